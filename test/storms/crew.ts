import { strict as assert } from 'node:assert'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Secret } from '../../src/base/secret.js'
import type { Database } from '../../src/postgres/database.js'
import { isRunning, type Program, spawnServe, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { askUntilAnswered } from './payment-shops.js'
import { untilNoneRemain } from './progress.js'

/** API and worker processes on one database, which a storm kills and replaces. */
export type Crew = {
  urls: string[]
  apis: Program[]
  workers: Program[]
  startApi: (() => Program)[]
  startWorker(): Program
}

const connections = 48

type Site = {
  db: Database
  secret: Secret
  /** Environment variables of all processes. */
  variables?: Record<string, string>
  apis?: number
  workers?: number
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

export async function startCrew({
  db,
  secret,
  variables,
  apis: apiCount = 2,
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

/** How far a storm is; it drives the kills. */
export type Progress = {
  /** Items in total, done, and begun but not done. */
  of: number
  done: number
  underWay: number
  /** What the items are, for the output. */
  what: string
  /** No further item begins beyond so many, until a kill that is late has happened. */
  gate?: number
}

/**
 * Kills processes while the work of a storm proceeds: mostly workers, sometimes an API process. Each
 * is replaced, and one API process is always up. Returns how many fell while work was under way.
 */
export async function killSome(
  { random, kills, say }: { random: Random; kills: number; say(line: string): void },
  crew: Crew,
  progress: Progress,
): Promise<number> {
  const shareOf = (count: number) => Math.floor((progress.of * count) / (kills + 1))
  let duringWork = 0
  try {
    for (let round = 1; round <= kills; round += 1) {
      progress.gate = shareOf(round + 1)
      await untilNoneRemain(`kill ${round}`, () => Math.max(0, shareOf(round) - progress.done))
      await sleep(random.integer(0, 100))
      const isApi = round % 3 === 0
      const victim = random.integer(0, (isApi ? crew.apis : crew.workers).length - 1)
      const { of, done, underWay, what } = progress
      if (underWay > 0) duringWork += 1
      await killAndReplace(crew, isApi ? 'api' : 'worker', victim)
      const whom = isApi ? 'an API' : 'a worker'
      say(`kill ${round}: ${whom}, ${done} of ${of} ${what}, ${underWay} under way`)
    }
  } finally {
    progress.gate = progress.of
  }
  say(`${duringWork} of ${kills} kills fell while work was under way`)
  return duringWork
}

/** SIGKILL. An API process is replaced when the new one answers, a worker at once. */
export async function killAndReplace(
  crew: Crew,
  kind: 'api' | 'worker',
  index: number,
): Promise<void> {
  const crowd = kind === 'api' ? crew.apis : crew.workers
  crowd[index]!.signal('SIGKILL')
  await crowd[index]!.ended
  crowd[index] = kind === 'api' ? crew.startApi[index]!() : crew.startWorker()
  if (kind === 'api') await askUntilAnswered([crew.urls[index]!], '/health', {})
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

/** Works on some items at a time and counts them. */
export async function eachAtOnce<Item>(
  items: Item[],
  work: (item: Item, index: number) => Promise<void>,
  progress: Progress = { of: items.length, done: 0, underWay: 0, what: '' },
): Promise<void> {
  const waiting = items.entries()
  const runOne = async () => {
    for (const [index, item] of waiting) {
      const isBeyond = () =>
        progress.gate !== undefined && progress.done + progress.underWay >= progress.gate
      while (isBeyond()) await sleep(5)
      progress.underWay += 1
      await work(item, index)
      progress.underWay -= 1
      progress.done += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, runOne))
}
