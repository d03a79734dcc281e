import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../postgres/database.js'
import { Refusal } from '../refusal.js'
import { refusalBody, successBody } from './envelope.js'

/** `/healthz` says that the process lives; `/readyz` that it should be sent requests. */
export function addHealth(app: FastifyInstance, db: Database): { drain(): void } {
  let isDraining = false
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(successBody('Alive', {})),
  )
  app.get('/readyz', hidden, async (request, reply) => {
    const isReady = !isDraining && (await answers(db))
    reply.code(isReady ? 200 : 503).type('application/json; charset=utf-8')
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

async function answers(db: Database): Promise<boolean> {
  try {
    await db.rows(sql`select 1`)
    return true
  } catch {
    return false
  }
}
