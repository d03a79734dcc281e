import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.js'

/** Bodies are JSON in UTF-8. Other bytes are refused: read leniently, they would be changed. */
export function addJsonReader(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body as Buffer)) parse(request, body.toString(), done)
    else
      done(
        new Refusal('validation_failed', {
          reason: 'invalid_json',
          message: 'The body is not valid UTF-8. Send JSON encoded as UTF-8.',
        }),
      )
  })
}
