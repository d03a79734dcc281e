import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'
import { fileTypes } from '../../merchants/kyc/kyc-documents.js'
import { wrongType } from '../server/failures.js'
import { findInexact } from './exact-json.js'
import { isPlainJson } from './plain-json.js'

/**
 * Bodies are unambiguous JSON in UTF-8. Signed bodies are not parsed here: a bank may use any
 * JSON, and no payment may be lost because of its style. Forms are accepted from pages that work
 * without script; the content of one that has no fields is ignored.
 */
export function addBodyParsers(app: FastifyInstance): void {
  const add = (type: string | string[], read: (request: FastifyRequest, body: Buffer) => unknown) =>
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const value = refuseCharset(request) ?? read(request, body as Buffer)
      if (value instanceof Promise) value.then((parsed) => done(null, parsed), done)
      else if (value instanceof Refusal) done(value)
      else done(null, value)
    })
  add('application/json', parseBody)
  // A route that takes files has a body limit of its own.
  add([...fileTypes], (request, body) => (request.route?.fileBytesMax ? body : refuseType(request)))
  add('text/csv', readCsv)
  add('application/x-www-form-urlencoded', (request, body) =>
    request.route?.takesForm ? readFields(request, body) : refuseType(request),
  )
}

const charsets = /;\s*charset\s*=\s*("[^"]*"|[^;]*)/gi

/** Text in another charset would be read as other text: `é` of Latin-1 is no letter in UTF-8. */
function refuseCharset({ headers, route }: FastifyRequest): Refusal | undefined {
  const named = [...(headers['content-type'] ?? '').matchAll(charsets)]
  const isUtf8Only = named.every(([, name]) => /^"?utf-?8"?\s*$/i.test(name!))
  if (isUtf8Only || route?.access === 'signed') return undefined
  return refuse(
    'The body must be UTF-8. Send it in UTF-8, with `charset=utf-8` or without a charset.',
    { reason: 'unsupported_media_type' },
  )
}

/** Converts CSV to JSON. Everything after this sees the JSON. */
function readCsv(request: FastifyRequest, body: Buffer): Refusal | Promise<object> {
  const read = request.route?.readCsv
  if (!read) return refuseType(request)
  if (!isUtf8(body))
    return refuse('The file is not valid UTF-8. Save it as CSV in UTF-8 and send it again.')
  return read(withoutByteOrderMark(body.toString()), request.caller!.environment).then((value) => {
    request.bodyText = JSON.stringify(value)
    return value
  })
}

function notAFile(): Refusal {
  return refuse(`The body must be a file: ${fileTypes.join(', ')}.`, {
    reason: 'unsupported_media_type',
  })
}

function refuseType({ route }: FastifyRequest): Refusal {
  return refuse(wrongType(route), { reason: 'unsupported_media_type' })
}

/** Fields of a form, as text. */
function readFields(
  request: FastifyRequest,
  body: Buffer,
): Record<string, string> | Refusal | undefined {
  if (isBodyOptional(request)) return undefined
  const fields = [...new URLSearchParams(body.toString())]
  // Bytes that are not UTF-8 become this character, also those that are percent-encoded.
  if (fields.flat().some((text) => text.includes('\ufffd')))
    return refuse('The form is not valid UTF-8. Send it encoded as UTF-8.')
  return Object.fromEntries(fields)
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  const { 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity')
    return refuse('The body is compressed. Send it uncompressed, without `Content-Encoding`.', {
      reason: 'unsupported_media_type',
    })
  if (!isUtf8(body))
    return refuse('The body is not valid UTF-8. Send JSON encoded as UTF-8.', notJson)
  if (request.route?.fileBytesMax) return notAFile()
  request.bodyText = body.toString()
  if (request.route?.access === 'signed') return {}
  const text = withoutByteOrderMark(request.bodyText)
  request.bodyText = text
  if (text === '' && isBodyOptional(request)) return undefined
  if (text === '') return refuse('The body is empty. Send a JSON object.', notJson)
  return parseJson(text)
}

/** JSON.parse makes `__proto__` an ordinary field, which the schema then refuses. */
function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('The body is not valid JSON. Check quotes, commas and braces.', notJson)
  }
  if (value === null) return refuse('The body must be an object, not null.')
  const inexact = isPlainJson(text, value) ? undefined : findInexact(text)
  return inexact ? new Refusal('validation_failed', inexact) : value
}

/** Some editors put one at the beginning of every file. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Many clients send a Content-Type without a body. */
function isBodyOptional({ route }: FastifyRequest): boolean {
  return route?.body === undefined || Type.IsOptional(route.body)
}

const notJson = { reason: 'invalid_json' } as const

function refuse(message: string, why: { reason?: Reason } = {}): Refusal {
  return new Refusal('validation_failed', { message, ...why })
}
