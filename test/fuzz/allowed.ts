import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { escapePointer, findOperation } from '../support/conformance.js'
import type { Document, Parameter } from './operations.js'
import type { Answer, Sent } from './send.js'
import { unwrittenRules } from './unwritten-rules.js'

type Refusal = {
  code: string
  reason?: string
  message: string
  details?: { field: string; issue: string }[]
}

/**
 * Throws if the service is stricter than its document, apart from the unwritten rules, or laxer.
 * Requests whose meaning the document leaves open are ignored: other methods, other content types,
 * JSON that is not in the form that a serializer writes.
 */
export function createStrictness(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  ajv.addSchema(document, 'openapi')
  const compile = (...place: string[]): ValidateFunction =>
    ajv.getSchema(`openapi#/${place.map(escapePointer).join('/')}`)!

  /** What breaks the document; undefined if it does not decide. */
  function findBreach(sent: Sent): string | undefined | null {
    const found = findOperation(document, sent.method, sent.path)
    if (!found) return null
    const method = sent.method.toLowerCase()
    const { parameters = [], requestBody } = document.paths[found.path]![method]!
    const schemaOf = (parameter: Parameter) =>
      compile(
        'paths',
        found.path,
        method,
        'parameters',
        `${parameters.indexOf(parameter)}`,
        'schema',
      )
    const headers = toPairs(sent.headers)
    // What follows a `#` never reaches a server: the request is of another operation.
    if (/#./.test(sent.path)) return null
    const [target = ''] = sent.path.split('#', 1)
    const [pathText = '', queryText = ''] = target.split('?', 2)
    if (!isDecodable(pathText)) return null
    const query = [...new URLSearchParams(queryText)]
    const values = { path: readPath(found.path, pathText), query, header: headers }
    for (const parameter of parameters) {
      const isSame = (name: string) => name.toLowerCase() === parameter.name.toLowerCase()
      const all = values[parameter.in].filter(([name]) => isSame(name))
      if (all.length > 1) return `${parameter.name} appears more than once`
      if (all.length === 0 && parameter.required) return `${parameter.name} is missing`
      for (const [, text] of all)
        if (!schemaOf(parameter)(toValue(parameter, text)))
          return `${parameter.name} does not fit its schema`
    }
    const isKnown = (name: string) =>
      parameters.some((one) => one.in === 'query' && one.name === name)
    const unknown = query.find(([name]) => !isKnown(name))
    if (unknown) return `the query has ${unknown[0]}`
    if (!requestBody) return sent.body ? null : undefined
    if (!sent.body) return requestBody.required ? 'the body is missing' : undefined
    const types = headers.filter(([name]) => name === 'Content-Type').map(([, type]) => type)
    if (types.join() !== 'application/json') return null
    const json = parsePlain(sent.body)
    if (!json) return null
    const fits = compile(
      'paths',
      found.path,
      method,
      'requestBody',
      'content',
      'application/json',
      'schema',
    )
    return fits(json.value) ? undefined : `the body does not fit: ${ajv.errorsText(fits.errors)}`
  }

  return (sent: Sent, { status, json }: Answer): void => {
    const breach = findBreach(sent)
    if (breach === null) return
    if (breach !== undefined) {
      if (status < 300) throw new Error(`${status}, although ${breach}`)
      return
    }
    const refusal = json as Refusal
    if (status !== 400 || refusal.code !== 'validation_failed') return
    if (!isUnwritten(refusal)) throw new Error(`the document allows this, but: ${refusal.message}`)
  }
}

function isUnwritten({ details = [] }: Refusal): boolean {
  const isKnown = ({ field, issue }: { field: string; issue: string }) =>
    unwrittenRules.some((rule) => rule.field.test(field) && rule.issue.test(issue))
  return details.length > 0 && details.every(isKnown)
}

function toPairs(list: string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < list.length; index += 2) pairs.push([list[index]!, list[index + 1]!])
  return pairs
}

function readPath(template: string, sent: string): [string, string][] {
  const parts = sent.split('/')
  return template.split('/').flatMap((part, index): [string, string][] => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    return name ? [[name, parts[index]!]] : []
  })
}

/** Query texts of whole numbers are numbers. */
function toValue({ schema, in: place }: Parameter, text: string): unknown {
  const isNumber = schema.type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(text)
  if (isNumber) return Number(text)
  return place === 'path' ? safeDecode(text) : text
}

/** A path that is no UTF-8 is not a valid URL, whatever the document says of its parts. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function parsePlain(body: Buffer): { value: unknown } | undefined {
  const text = body.toString()
  if (!Buffer.from(text).equals(body)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? { value } : undefined
  } catch {
    return undefined
  }
}
