import type { Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Clock } from '../base/clock.js'
import { workLimits } from '../operations/limits.js'
import { addRailMetrics } from '../operations/metrics/process-metrics.js'
import { addWorkFigures } from '../operations/metrics/work-metrics.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Work } from './work.js'

/**
 * Serves `/healthz`, `/readyz` and `/metrics` of a worker in place of the startup handler. Ready
 * means: the database responds, jobs make progress, and no shutdown was requested.
 */
export function answerForWork(
  server: Server,
  { db, clock, work }: { db: Database; clock: Clock; work: Work },
): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addWorkFigures(registry, { db, clock })
  addRailMetrics(registry)
  work.addMetrics(registry)

  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/healthz': async (response) => send(response, 200, { message: 'Alive' }),
    '/readyz': async (response) => {
      const message = await findObstacle(db, work)
      const lateJobs = work.progress.lateJobs()
      if (message === undefined) return send(response, 200, { message: 'Ready', lateJobs })
      return send(response, 503, { message, lateJobs })
    },
    '/metrics': async (response) => {
      response.setHeader('content-type', registry.contentType)
      response.end(await registry.metrics())
    },
  }
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const answer = answers[request.url ?? '']
    if (answer) answer(response).catch(() => response.destroy())
    else response.writeHead(404).end()
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}

async function findObstacle(db: Database, work: Work): Promise<string | undefined> {
  if (work.isStopping()) return 'Shutting down'
  const answer = db.rows(sql`select 1`).then(
    () => true,
    () => false,
  )
  const timeout = sleep(workLimits.databaseTimeoutMs, false, { ref: false })
  if (!(await Promise.race([answer, timeout]))) return 'The database does not respond'
  return work.progress.isRecent() ? undefined : 'No job has succeeded recently'
}
