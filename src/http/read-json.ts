import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { Refusal } from '../refusal.js'
import { findInexact } from './exact-json.js'

/** Bodies are JSON in UTF-8 that says one thing only: what is read is what was sent, or nothing. */
export function addJsonReader(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(body as Buffer))
      return done(
        new Refusal('validation_failed', {
          reason: 'invalid_json',
          message: 'The body is not valid UTF-8. Send JSON encoded as UTF-8.',
        }),
      )
    const text = body.toString()
    request.bodyText = text
    if (text === '' && mayLeaveOut(request)) return done(null, undefined)
    parse(request, text, (error, value) => {
      const issue = error ? undefined : findInexact(text, value)
      if (issue) done(new Refusal('validation_failed', { message: issue }))
      else if (value === null && !error) done(nullRefused())
      else done(error, value)
    })
  })
}

/** Many clients name the type of a body also where they send none. */
function mayLeaveOut({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.schema?.body as TSchema | undefined
  return body === undefined || Type.IsOptional(body)
}

function nullRefused(): Refusal {
  return new Refusal('validation_failed', { message: 'The body must be an object, not null.' })
}
