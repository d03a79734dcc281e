import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'

type Answer = { status: number; headers: Headers; text: string; json: unknown }
type Json = { [name: string]: unknown }
type Media = { examples?: Json }
type Operation = { responses: Record<string, { content?: Record<string, Media> }> }
type Document = { paths?: Record<string, Record<string, Operation>> }

/**
 * Validates an answer against the OpenAPI document: its status and body must be documented for the
 * operation, without undocumented fields, a refusal must have an example, and one that passes must
 * say when. Answers to unknown paths and methods are ignored.
 */
export function createConformance(given: object) {
  const document = structuredClone(given) as Document
  closeObjects(document)
  const options = { strict: false, allErrors: true, validateFormats: false }
  // The document itself is no schema; only its parts are compiled.
  // Most schemas are compiled for a few answers: optimizing them takes longer than it saves.
  const ajv = new Ajv2020({ ...options, validateSchema: false, code: { optimize: false } })
  ajv.addSchema(document, 'openapi')

  return (method: string, url: string, answer: Answer): void => {
    const found = findOperation(document, method, url)
    if (!found) return
    const said = `${method} ${found.path} answered ${answer.status}`
    const promised = found.operation.responses[answer.status]
    if (!promised) throw new Error(`${said}, which the document does not promise`)

    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? 'nothing'
    if (!promised.content?.[type]) throw new Error(`${said} as ${type}, which it does not promise`)
    const place = ['paths', found.path, method.toLowerCase(), 'responses', `${answer.status}`]
    const pointer = [...place, 'content', type, 'schema'].map(escapePointer).join('/')
    const validate = ajv.getSchema(`openapi#/${pointer}`)!
    if (!validate(type === 'application/json' ? answer.json : answer.text))
      throw new Error(
        `${said} against its schema: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
      )
    if (answer.status === 503 && !/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? ''))
      throw new Error(`${said} without Retry-After`)
    const { examples } = promised.content[type]
    if (type === 'application/json' && examples && !(nameOf(answer.json) in examples))
      throw new Error(`${said} with ${nameOf(answer.json)}, of which it has no example`)
  }
}

let committed: ReturnType<typeof createConformance> | undefined

/**
 * Validates against the repository's openapi.json, which `test/generated.test.ts` keeps equal to the
 * served one. Schemas are compiled once per test file.
 */
export function getConformance() {
  const file = path.resolve(import.meta.dirname, '../../openapi.json')
  committed ??= createConformance(JSON.parse(readFileSync(file, 'utf8')))
  return committed
}

function nameOf(refusal: unknown): string {
  const { code, reason } = refusal as { code: string; reason?: string }
  return reason ? `${code}.${reason}` : code
}

/** The documented path with the most literal segments wins. */
export function findOperation(document: Document, method: string, url: string) {
  const segments = url.split(/[?#]/, 1)[0]!.split('/')
  const isSame = (pattern: string[]) =>
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith('{') || part === segments[index])
  const openIn = (path: string) => path.split('{').length
  const [path] = Object.keys(document.paths ?? {})
    .filter((one) => isSame(one.split('/')))
    .toSorted((left, right) => openIn(left) - openIn(right))
  const operation = path && document.paths![path]![method.toLowerCase()]
  return operation ? { path, operation } : undefined
}

/** Undocumented fields are errors. */
function closeObjects(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Json
  const isSchema = schema.type === 'object' && typeof schema.properties === 'object'
  if (isSchema && !('additionalProperties' in schema)) schema.additionalProperties = false
  for (const inner of Object.values(schema)) closeObjects(inner)
}

export function escapePointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}
