import { strict as assert } from 'node:assert'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Secret } from '../../src/base/secret.js'
import type { Database } from '../../src/postgres/database.js'
import { isRunning, type Program, spawnServe, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { askUntilAnswered } from './payment-shops.js'

/** API and worker processes on one database, which a storm kills and replaces. */
export type Crew = {
  urls: string[]
  apis: Program[]
  workers: Program[]
  startApi: (() => Program)[]
  startWorker(): Program
}

const apiCount = 2
const connections = 48

type Site = {
  db: Database
  secret: Secret
  /** Environment variables of all processes. */
  variables?: Record<string, string>
  workers?: number
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

export async function startCrew({
  db,
  secret,
  variables,
  workers = 4,
  onStart,
}: Site): Promise<Crew> {
  const ports = await Promise.all(Array.from({ length: apiCount }, freePort))
  const noted = (program: Program) => {
    onStart(program)
    return program
  }
  const startApi = ports.map(
    (port) => () => noted(spawnServe(db.url, secret.reveal(), port, variables)),
  )
  const startWorker = () => noted(spawnWork(db.url, secret.reveal(), variables))
  const apis = startApi.map((begin) => begin())
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(urls.map((url) => askUntilAnswered([url], '/health', {})))
  return {
    urls,
    apis,
    workers: Array.from({ length: workers }, startWorker),
    startApi,
    startWorker,
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert(address && typeof address === 'object')
  return address.port
}

/**
 * Kills processes while the work of a storm proceeds: mostly workers, sometimes an API process. Each
 * is replaced, and one API process is always up.
 */
export async function killSome(
  { random, kills, say }: { random: Random; kills: number; say(line: string): void },
  crew: Crew,
  progress: { count: number; of: number; what: string },
): Promise<void> {
  for (let round = 1; round <= kills; round += 1) {
    while (progress.count < (progress.of * round) / (kills + 1)) await sleep(5)
    await sleep(random.integer(0, 100))
    const isApi = round % 3 === 0
    const crowd = isApi ? crew.apis : crew.workers
    const victim = random.integer(0, crowd.length - 1)
    crowd[victim]!.signal('SIGKILL')
    await crowd[victim]!.ended
    crowd[victim] = isApi ? crew.startApi[victim]!() : crew.startWorker()
    say(`kill ${round}: ${isApi ? 'an API' : 'a worker'}, ${progress.count} ${progress.what}`)
    if (isApi) await askUntilAnswered([crew.urls[victim]!], '/health', {})
  }
}

/** Kills all processes and starts others. `meanwhile` happens while none runs. */
export async function replaceAll(crew: Crew, meanwhile: () => Promise<void>): Promise<void> {
  const all = [...crew.apis, ...crew.workers]
  for (const program of all) program.signal('SIGKILL')
  await Promise.all(all.map(({ ended }) => ended))
  await meanwhile()
  crew.apis = crew.startApi.map((begin) => begin())
  crew.workers = crew.workers.map(() => crew.startWorker())
  await Promise.all(crew.urls.map((url) => askUntilAnswered([url], '/health', {})))
}

export async function stopCrew({ apis, workers }: Crew): Promise<void> {
  await Promise.all(
    [...apis, ...workers].map((program) => {
      if (isRunning(program.pid)) program.signal('SIGTERM')
      return program.ended
    }),
  )
}

export async function eachAtOnce<Item>(
  items: Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries()
  const runOne = async () => {
    for (const [index, item] of waiting) await work(item, index)
  }
  await Promise.all(Array.from({ length: connections }, runOne))
}
