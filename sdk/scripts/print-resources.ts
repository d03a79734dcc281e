import {
  isOperation,
  type Operation,
  type Operations,
  operations,
  parametersOf,
} from '../src/operations.js'
import {
  type Described,
  type Document,
  dataOf,
  describedBy,
  header,
  inputName,
  inputOf,
} from './document.js'
import { printComment, printSchema, quote } from './print-schema.js'

/** sdk/src/resources.ts: the type of the client, with the descriptions of openapi.json. */
export function printResources(document: Document): string {
  const body = printRows(document, operations, '  ')
  const used = (name: string) => new RegExp(`\\b${name}\\b`).test(body)
  const imports = [...namesIn(document)].filter(used).sort()
  const lines = [
    header.trimEnd(),
    "import type { RequestOptions, WriteOptions } from './options.js'",
    "import type { Pages } from './pages.js'",
    'import type {',
    ...imports.map((name) => `  ${name},`),
    "} from './types.js'",
    '',
    '/** Every operation of the API. */',
    'export type Resources = {',
    body,
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function namesIn(document: Document): Set<string> {
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const inputs = described.flatMap((one) =>
    (['body', 'query'] as const).map((takes) => inputName({ takes }, one)),
  )
  return new Set([...Object.keys(document.components.schemas), ...inputs])
}

function printRows(document: Document, rows: Operations, indent: string): string {
  const printed = Object.entries(rows).map(([name, row]) => {
    if (isOperation(row)) return printMethod(document, name, row, indent)
    return [
      `${indent}readonly ${name}: {`,
      printRows(document, row, `${indent}  `),
      `${indent}}`,
    ].join('\n')
  })
  return printed.join('\n')
}

function printMethod(document: Document, name: string, row: Operation, indent: string): string {
  const described = describedBy(document, row)
  const { summary, description } = described
  const comment = printComment(`${summary}.\n\n${description}\n\n${addressOf(row)}`, indent)
  const options = row.method === 'POST' && !row.isPublic ? 'WriteOptions' : 'RequestOptions'
  const given = [
    ...parametersOf(row.path).map((name) => `${name}: string`),
    ...printInput(row, described),
    `options?: ${options}`,
  ].join(', ')
  const line = `${indent}${quote(name)}(${given}): ${printAnswer(row, described, indent)}`
  return [...comment, line].join('\n')
}

function addressOf({ method, path }: Operation): string {
  return `\`${method} ${path}\``
}

function printInput(row: Operation, described: Described): string[] {
  const input = inputOf(row, described)
  if (!input) return []
  const isOptional = (input.required ?? []).length === 0 && row.method !== 'PATCH'
  const name = row.takes === 'body' ? 'input' : 'query'
  // A text is a CSV file.
  const csv = described.requestBody?.content['text/csv'] ? ' | string' : ''
  return [`${name}${isOptional ? '?' : ''}: ${inputName(row, described)}${csv}`]
}

function printAnswer({ gives }: Operation, described: Described, indent: string): string {
  if (gives === 'nothing') return 'Promise<void>'
  if (gives === 'csv') return 'AsyncIterable<string>'
  if (gives === 'pdf') return 'Promise<Uint8Array>'
  const data = dataOf(described)
  if (gives === 'data') return `Promise<${printSchema(data, false, indent)}>`
  const item = printSchema(data.properties!.items!.items!, false, indent)
  return gives === 'pages' ? `Pages<${item}>` : `Promise<${item}[]>`
}
