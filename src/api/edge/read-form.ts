import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../base/refusal.js'

/** A button in a page without script sends an empty form; what is in it is not read. */
export function addFormReader(app: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, _body, done) => {
    const { takesForm } = request.routeOptions.config as { takesForm?: boolean }
    if (takesForm) done(null, undefined)
    else done(notJson())
  })
}

function notJson(): Refusal {
  return new Refusal('validation_failed', {
    reason: 'unsupported_media_type',
    message: 'The body must be JSON. Send `Content-Type: application/json`.',
  })
}
