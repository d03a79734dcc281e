import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Logger } from '../log.js'
import type { Database } from '../postgres/database.js'
import { gather } from '../postgres/gather.js'
import { Refusal } from '../refusal.js'
import { jsonType, refusalBody, successBody } from './envelope.js'

/** `/healthz` says that the process lives; `/readyz` that it should be sent requests. */
export function addHealth(app: FastifyInstance, db: Database, logger: Logger): { drain(): void } {
  let isDraining = false
  // Those who ask at the same moment share one question: anybody may ask, as often as they like.
  const answers = gather(async (asked: undefined[]) => {
    const isThere = await answersNow(db, logger)
    return asked.map(() => isThere)
  })
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async (_request, reply) =>
    reply.type(jsonType).send(successBody('Alive', {})),
  )
  app.get('/readyz', hidden, async (request, reply) => {
    const isReady = !isDraining && (await answers(undefined))
    reply.code(isReady ? 200 : 503).type(jsonType)
    if (isReady) return reply.send(successBody('Ready', {}))
    const message = isDraining ? 'Shutting down' : 'The database does not answer'
    const refusal = new Refusal('internal_error', { reason: 'unavailable', message })
    return reply.send(refusalBody(refusal, request.id))
  })
  return {
    drain() {
      isDraining = true
    },
  }
}

async function answersNow(db: Database, logger: Logger): Promise<boolean> {
  try {
    await db.rows(sql`select 1`)
    return true
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer')
    return false
  }
}
