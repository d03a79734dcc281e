import {
  type ApiDocument,
  type ListedOperation,
  listOperations,
  pathOfOperation,
} from './document.js'
import type { Guide } from './guides.js'

/**
 * What "Find" knows of a page: the names that it defines, such as fields and error codes, and the
 * other words of its text. Each word once, so that the file stays small.
 */
type PageWords = { names: string; text: string }
type WordLists = { names: string[]; texts: string[] }

/** Words by address of the page. A page that defines what a reader types is listed first. */
export function collectWords(
  document: ApiDocument,
  guides: Map<string, Guide>,
): Record<string, PageWords> {
  const pages = [
    ...listOperations(document).map((operation): [string, WordLists] => [
      pathOfOperation(operation),
      wordsOf(document, operation),
    ]),
    ...[...guides.values()].map((guide): [string, WordLists] => [
      `/docs/${guide.name}`,
      { names: namesIn(guide.text), texts: [guide.text] },
    ]),
  ]
  return Object.fromEntries(
    pages.map(([address, { names, texts }]) => {
      const known = uniqueWords(names)
      return [address, { names: known.join(' '), text: uniqueWords(texts, known).join(' ') }]
    }),
  )
}

function wordsOf(document: ApiDocument, operation: ListedOperation): WordLists {
  const { operationId, method, path, summary, description, tags } = operation
  const words = {
    names: [operationId, path],
    texts: [method, summary, description, ...tags],
  }
  collect(document, [operation.parameters, operation.requestBody, operation.responses], words)
  return words
}

/** The first column of its tables, such as the codes of the page about errors. */
function namesIn(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!)
}

const schemaStart = '#/components/schemas/'
const exampleStart = '#/components/examples/'

/** Names and descriptions of fields, values of enums, and the codes of errors. */
function collect(
  document: ApiDocument,
  node: unknown,
  words: WordLists,
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
    if (ref.startsWith(exampleStart)) words.names.push(ref.slice(exampleStart.length))
    const schema = document.components.schemas[ref.slice(schemaStart.length)]
    // Every answer can be a refusal: its fields would be found everywhere.
    if (schema?.title !== 'Refusal') collect(document, schema, words, seen)
    return
  }
  if (typeof description === 'string') words.texts.push(description)
  for (const word of [name, ...Object.keys(properties), ...(values as unknown[])])
    if (typeof word === 'string') words.names.push(word)
  for (const [key, child] of Object.entries(node)) {
    if (key === 'example') continue
    if (key === 'examples') collect(document, Object.values(child as object), words, seen)
    else collect(document, child, words, seen)
  }
}

function uniqueWords(texts: string[], known: string[] = []): string[] {
  const words = texts
    .join(' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}_/{}.-]+/u)
    .map((word) => word.replace(/^[-./]+|[-./]+$/g, ''))
  return [...new Set(words)].filter((word) => word !== '' && !known.includes(word))
}
