import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.js'
import { postgresLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import {
  apiConnections,
  connectionCounts,
  workerConnections,
} from '../../src/postgres/wire/connection-counts.js'
import { freshDatabase } from '../support/database.js'
import { spawnServe, spawnWork } from '../support/program.js'
import { until } from '../support/sessions.js'
import { trackPrograms } from '../support/track-programs.js'

/** Processes as operators run them: what they open, and what their health check says. */

const root = path.resolve(import.meta.dirname, '../..')
const programs = trackPrograms()
const secret = 'c'.repeat(32)

/** Connections that processes opened, by application name without the number of a listener. */
async function countConnections(db: Database): Promise<Record<string, number>> {
  const rows = await db.rows(sql<{ name: string; count: number }>`
    select regexp_replace(application_name, ' \\d{4}$', '') as name, count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and application_name like 'manilla%'
      and pid <> pg_backend_pid()
    group by 1`)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function checkHealth(command: string, env: Record<string, string>): number | null {
  const words = [path.join(root, 'bin/healthcheck.mjs'), command]
  return spawnSync(process.execPath, words, { env: { PATH: process.env.PATH, ...env } }).status
}

// Operators set max_connections by these numbers: a kind of connection that is missing here would
// be refused under load.
test('a worker opens the connections that are documented, and its health check sees it', async () => {
  const db = await freshDatabase()
  const [port, workPort] = [`${await findPort()}`, `${await findPort()}`]
  expect(checkHealth('work', { PORT: port, WORK_PORT: workPort })).toBe(1)
  programs.push(spawnWork(db.url, secret, { PORT: port, WORK_PORT: workPort }))
  await until(() => isReady(Number(workPort)))
  expect(checkHealth('work', { PORT: port, WORK_PORT: workPort })).toBe(0)
  // No API answers there.
  expect(checkHealth('serve', { PORT: port, WORK_PORT: workPort })).toBe(1)
  expectWithin(await countConnections(db), connectionCounts.worker)
})

test('an API opens the connections that are documented, and its health check sees it', async () => {
  const db = await freshDatabase()
  const [port, metricsPort] = [await findPort(), await findPort()]
  programs.push(spawnServe(db.url, secret, port, { METRICS_PORT: `${metricsPort}` }))
  await until(() => isReady(port))
  expect(checkHealth('serve', { PORT: `${port}` })).toBe(0)
  expect(checkHealth('work', { PORT: `${port}` })).toBe(1)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const lanes = new Set(
    [...metrics.matchAll(/^manilla_lane_\w+\{lane="(\w+)"/gm)].map(([, l]) => l),
  )
  expect(lanes.size).toBe(connectionCounts.api['manilla lane'])
  expectWithin(await countConnections(db), connectionCounts.api)
})

function expectWithin(counted: Record<string, number>, allowed: Record<string, number>): void {
  expect(Object.keys(allowed)).toEqual(expect.arrayContaining(Object.keys(counted)))
  for (const [name, count] of Object.entries(counted))
    expect(count, name).toBeLessThanOrEqual(allowed[name]!)
}

test('documentation and examples name the same numbers', () => {
  const read = (file: string) =>
    readFileSync(path.join(root, file), 'utf8').replaceAll(/\s*\n\s*/g, ' ')
  expect(read('docs/operating/deployment.md')).toContain(
    `An API process opens up to ${apiConnections} connections, so one \`manilla serve\` opens ${apiConnections} times \`API_PROCESSES\`; a worker opens up to ${workerConnections}.`,
  )
  const replicaPools = postgresLimits.poolSize + 1
  expect(read('docs/operating/deployment.md')).toContain(
    `up to ${replicaPools} connections to the replica`,
  )
  const compose = read('compose.yaml')
  expect(compose).toContain(
    `(API_PROCESSES) opens up to ${apiConnections} connections, a worker ${workerConnections},`,
  )
  const [, allowed] = /max_connections=(\d+)/.exec(compose)!
  expect(Number(allowed)).toBeGreaterThan(8 * apiConnections + workerConnections)
})
