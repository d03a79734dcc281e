import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'
import { findInexact } from './exact-json.js'

/**
 * Bodies are JSON in UTF-8 that says one thing only: what is read is what was sent, or nothing. One
 * that is signed is read by whoever knows the signature: a bank may write as it likes, and no money
 * gets lost for the way it is told of.
 */
export function addJsonReader(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const value = read(request, body as Buffer)
    if (value instanceof Refusal) done(value)
    else done(null, value)
  })
}

function read(request: FastifyRequest, body: Buffer): unknown {
  const { 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity')
    return refuse('The body is compressed. Send it as it is, without `Content-Encoding`.', {
      reason: 'unsupported_media_type',
    })
  if (!isUtf8(body))
    return refuse('The body is not valid UTF-8. Send JSON encoded as UTF-8.', notJson)
  request.bodyText = body.toString()
  if (request.routeOptions.config.isSigned) return {}
  const text = withoutMark(request.bodyText)
  request.bodyText = text
  if (text === '' && mayLeaveOut(request)) return undefined
  if (text === '') return refuse('The body is empty. Send a JSON object.', notJson)
  return parse(text)
}

/**
 * Names such as `__proto__` are names like others: reading makes them fields of the object itself,
 * and a schema that does not know them refuses them.
 */
function parse(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('The body is not valid JSON. Check quotes, commas and braces.', notJson)
  }
  if (value === null) return refuse('The body must be an object, not null.')
  const inexact = findInexact(text)
  return inexact ? new Refusal('validation_failed', inexact) : value
}

/** Some editors put one at the beginning of every file. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Many clients name the type of a body also where they send none. */
function mayLeaveOut({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body as TSchema | undefined
  return body === undefined || Type.IsOptional(body)
}

const notJson = { reason: 'invalid_json' } as const

function refuse(message: string, why: { reason?: Reason } = {}): Refusal {
  return new Refusal('validation_failed', { message, ...why })
}
