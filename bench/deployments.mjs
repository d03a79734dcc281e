/**
 * The service as operators run it, in real processes on a PostgreSQL of its own: `npm start`, or
 * `manilla serve` beside `manilla work`; on the localnet, or on a chain that lands all at once.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Secret } from '../dist/base/secret.js'
import { Database } from '../dist/postgres/database.js'
import { startEmbeddedServer } from '../dist/postgres/embedded/server.js'
import { sql } from '../dist/postgres/sql.js'
import { openChain } from './chain.mjs'
import { readPostmasterPid } from './cpu.mjs'
import { findChild } from './memory.mjs'
import { readMetrics, sumOf } from './metrics.mjs'
import { startProcess } from './processes.mjs'
import { makeAddress } from './soak-mix.mjs'
import { startService } from './start-manilla.mjs'
import { nameModules } from './steps.mjs'
import { openBooks } from './workbench.mjs'

const secret = 'b'.repeat(64)
const fileWithinMs = 60_000
const pollIntervalMs = 100

/**
 * `shape` is `start` or `serve + work`, the latter with any number of processes; `chainKind` is
 * `localnet` or `stub`.
 */
export async function openDeployment({
  shape,
  chainKind,
  node,
  apiProcesses = 1,
  workerProcesses = 1,
}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-lives-'))
  chmodSync(folder, 0o755)
  const dataDirectory = path.join(folder, 'data')
  const profiles = path.join(folder, 'profiles')
  mkdirSync(profiles)
  const hasOwnChain = shape === 'start' && chainKind === 'localnet'
  const chain = hasOwnChain ? undefined : await openChain(folder)
  const stub =
    chainKind === 'stub' ? await startProcess('./stub-chain.mjs', { args: [chain.url] }) : undefined
  const env = {
    MANILLA_HOME: folder,
    MANILLA_SECRET: secret,
    RATE_LIMIT_PER_SECOND: '0',
    PUBLIC_RATE_LIMIT_PER_SECOND: '0',
    WEBHOOKS_ALLOW_LOOPBACK: 'true',
    BENCH_PROFILE_FOLDER: profiles,
    NODE_OPTIONS: `--import=${new URL('./profile-on-signal.mjs', import.meta.url)}`,
    ...chain?.configFor(stub?.url ?? chain.url),
  }
  const open = shape === 'start' ? openStart : openServeAndWork
  const opened = await open({
    folder,
    dataDirectory,
    env,
    node,
    apiProcesses,
    workerProcesses,
  })
  const { api, workers } = opened
  const services = [api, ...workers]
  const { url } = await startEmbeddedServer({ dataDirectory })
  const db = new Database(url, () => {}, { size: 2 })
  const [environment] = await db.rows(sql`select id from environments where mode = 'test' limit 1`)
  const postmasterPid = readPostmasterPid(dataDirectory)
  // After a failure, this process ends without stopping PostgreSQL.
  const stopDatabase = () => process.kill(postmasterPid, 'SIGINT')
  process.once('exit', stopDatabase)
  return {
    shape,
    hasOwnChain,
    db,
    databaseUrl: url,
    logFile: path.join(folder, 'postgres.log'),
    environmentId: environment.id,
    key: opened.key,
    secret: new Secret(secret),
    wallet: chain?.wallet ?? makeAddress(),
    port: api.port,
    roles: {
      api: [api.pid],
      ...(workers.length > 0 && { workers: workers.map(({ pid }) => pid) }),
      postgres: [postmasterPid],
      chain: chain ? [chain.pid, ...(stub ? [stub.pid] : [])] : [findChild(api.pid, 'localnet')],
    },
    readLanes: () => readLanes(services),
    /** Profiles of the Node processes while `work` runs. */
    async profile(work) {
      for (const { pid } of services) process.kill(pid, 'SIGUSR2')
      const result = await work()
      for (const { pid } of services) process.kill(pid, 'SIGUSR2')
      const files = services.map(({ pid }) => path.join(profiles, `${pid}.cpuprofile`))
      for (const file of files) await waitForFile(file)
      const read = files.map((file) => nameModules(JSON.parse(readFileSync(file, 'utf8'))))
      for (const file of files) rmSync(file)
      return { result, profiles: read }
    },
    /** Sends a request as the merchant. */
    async ask(method, route, body, type = 'application/json') {
      const response = await fetch(api.url + route, {
        method,
        headers: {
          authorization: `Bearer ${opened.key}`,
          ...(body && { 'content-type': type, 'idempotency-key': randomUUID() }),
        },
        body: body && (type === 'application/json' ? JSON.stringify(body) : body),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(`${route}: ${JSON.stringify(answer)}`)
      return answer.data
    },
    async stop() {
      process.removeListener('exit', stopDatabase)
      await db.close()
      for (const service of services) await service.stop()
      await stub?.stop()
      await chain?.stop()
      if (existsSync(path.join(dataDirectory, 'postmaster.pid')))
        await (await startEmbeddedServer({ dataDirectory })).stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openStart({ folder, env, node }) {
  const api = await startService('start.mjs', { env, node })
  const file = path.join(folder, 'demo.json')
  await waitForFile(file)
  return { api, workers: [], key: JSON.parse(readFileSync(file, 'utf8')).test.secretKey }
}

async function openServeAndWork({
  folder,
  dataDirectory,
  env,
  node,
  apiProcesses,
  workerProcesses,
}) {
  const server = await startEmbeddedServer({ dataDirectory })
  const books = await openBooks({ folder, databaseUrl: server.url })
  await books.db.close()
  const all = { ...env, DATABASE_URL: server.url, API_PROCESSES: String(apiProcesses) }
  const api = await startService('manilla.mjs', { words: ['serve'], env: all, node })
  const workers = []
  while (workers.length < workerProcesses)
    workers.push(
      await startService('manilla.mjs', {
        words: ['work'],
        env: all,
        node,
        portVariable: 'WORK_PORT',
      }),
    )
  return { api, workers, key: books.key }
}

/** Calls, batches and batches that were rolled back, of all lanes. */
async function readLanes(services) {
  const sums = { calls: 0, batches: 0, rolledBack: 0, deferred: 0 }
  for (const { metricsUrl } of services) {
    const metrics = await readMetrics(metricsUrl)
    const read = (event) => sumOf(metrics, 'manilla_lane_events', `event="${event}"`)
    sums.calls += read('calls')
    sums.batches += read('batches')
    sums.rolledBack += read('halved') + read('retried')
    sums.deferred += read('deferred')
  }
  return sums
}

async function waitForFile(file) {
  for (let waitedMs = 0; !existsSync(file); waitedMs += pollIntervalMs) {
    if (waitedMs > fileWithinMs) throw new Error(`${file} was not written in time`)
    await sleep(pollIntervalMs)
  }
}
