import {
  type ApiDocument,
  type ListedOperation,
  listOperations,
  pathOfOperation,
} from './document.js'
import type { Guide } from './guides.js'

/**
 * The words of every page by its address, for the field "Find": descriptions, fields and errors of
 * operations, and the text of guides. Each word once, so that the file stays small.
 */
export function collectWords(
  document: ApiDocument,
  guides: Map<string, Guide>,
): Record<string, string> {
  const pages = [
    ...listOperations(document).map((one): [string, string] => [
      pathOfOperation(one),
      wordsOf(document, one),
    ]),
    ...[...guides.values()].map(({ name, text }): [string, string] => [`/docs/${name}`, text]),
  ]
  return Object.fromEntries(pages.map(([address, text]) => [address, uniqueWords(text)]))
}

function wordsOf(document: ApiDocument, operation: ListedOperation): string {
  const { operationId, method, path, summary, description, tags } = operation
  const words = [operationId, method, path, summary, description, ...tags]
  collect(document, [operation.parameters, operation.requestBody, operation.responses], words)
  return words.join(' ')
}

const schemaStart = '#/components/schemas/'
const exampleStart = '#/components/examples/'

/** Names and descriptions of fields, values of enums, and the codes of errors. */
function collect(
  document: ApiDocument,
  node: unknown,
  words: string[],
  seen = new Set<string>(),
): void {
  if (typeof node !== 'object' || node === null) return
  const {
    $ref,
    description,
    name,
    properties = {},
    enum: values = [],
  } = node as Record<string, never>
  if (typeof $ref === 'string') {
    const ref: string = $ref
    if (seen.has(ref)) return
    seen.add(ref)
    if (ref.startsWith(exampleStart)) words.push(ref.slice(exampleStart.length))
    const schema = document.components.schemas[ref.slice(schemaStart.length)]
    // Every answer can be a refusal: its fields would be found everywhere.
    if (schema?.title !== 'Refusal') collect(document, schema, words, seen)
    return
  }
  for (const text of [description, name, ...Object.keys(properties), ...(values as unknown[])])
    if (typeof text === 'string') words.push(text)
  for (const [key, child] of Object.entries(node)) {
    if (key === 'example') continue
    if (key === 'examples') collect(document, Object.values(child as object), words, seen)
    else collect(document, child, words, seen)
  }
}

function uniqueWords(text: string): string {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_/{}.-]+/u)
  return [...new Set(words.map((word) => word.replace(/^[-./]+|[-./]+$/g, '')))].join(' ').trim()
}
