import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import { jsonType, refusalBody, successBody } from './envelope.js'
import type { Readiness } from './readiness.js'

export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
export function addHealth(app: FastifyInstance, readiness: Readiness): { drain(): void } {
  let isDraining = false
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async (_request, reply) =>
    reply.type(jsonType).send(successBody('Alive', {})),
  )
  app.get('/readyz', hidden, async (request, reply) => {
    const isReady = !isDraining && (await readiness.isReady())
    reply.code(isReady ? 200 : 503).type(jsonType)
    if (isReady) return reply.send(successBody('Ready', {}))
    const message = isDraining
      ? 'Shutting down'
      : 'The database does not answer or cannot take writes'
    const refusal = new Refusal('internal_error', { reason: 'unavailable', message })
    return reply
      .header('retry-after', refusal.retryAfterSeconds)
      .send(refusalBody(refusal, request.id))
  })
  return {
    drain() {
      isDraining = true
    },
  }
}
