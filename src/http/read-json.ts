import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
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
    parse(request, text, (error, value) => {
      const issue = error ? undefined : findInexact(text, value)
      if (issue) done(new Refusal('validation_failed', { message: issue }))
      else done(error, value)
    })
  })
}
