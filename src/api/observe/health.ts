import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import { jsonType, refusalBody, successBody } from '../server/envelope.js'
import type { Readiness } from './readiness.js'

export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve requests, and what it creates at its
 * start, such as a demo merchant, exists.
 */
export function addHealth(
  app: FastifyInstance,
  { readiness, isSetUp }: { readiness: Readiness; isSetUp: () => boolean },
): { drain(): void } {
  let isDraining = false
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async (_request, reply) =>
    reply.type(jsonType).send(successBody('Alive', {})),
  )
  app.get('/readyz', hidden, async (request, reply) => {
    const isReady = !isDraining && isSetUp() && (await readiness.isReady())
    reply.code(isReady ? 200 : 503).type(jsonType)
    if (isReady) return reply.send(successBody('Ready', {}))
    const message = isDraining
      ? 'Shutting down'
      : isSetUp()
        ? 'The database does not answer or cannot take writes'
        : 'Starting'
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
