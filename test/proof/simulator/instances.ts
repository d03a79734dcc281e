import type { LightMyRequestResponse } from 'fastify'
import type { Config } from '../../../src/base/config.js'
import { createLogger } from '../../../src/base/log.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import {
  createJudgingLane,
  createNoticeLane,
} from '../../../src/collections/notices/notice-lanes.js'
import { Rails } from '../../../src/collections/rails.js'
import { setCourier } from '../../../src/events/new-deliveries.js'
import { createConcludingLane } from '../../../src/payouts/attempts/conclude-sent.js'
import { SentPayouts } from '../../../src/payouts/attempts/sent-payouts.js'
import { Database } from '../../../src/postgres/database.js'
import { connectLane } from '../../../src/postgres/wire/connection.js'
import { compose } from '../../../src/processes/compose.js'
import type { OpenRails } from '../../../src/processes/open-rails.js'
import { createDueJobFinder, type Job } from '../../../src/processes/run-jobs.js'
import { createJobs } from '../../../src/processes/work.js'
import { Deliverer } from '../../../src/webhooks/deliveries/deliver.js'
import type { Sender } from '../../../src/webhooks/deliveries/send.js'
import {
  noChains,
  onlySandbox,
  standardNaira,
  standardRetention,
} from '../../support/open-manilla.js'
import type { Keeper } from '../gates/passage.js'
import { openPostgresGate } from '../gates/postgres-gate.js'
import type { SimulatedBank } from './bank.js'
import type { SimulatedChain } from './chain.js'
import type { Life } from './outside.js'
import type { VirtualTime } from './virtual-time.js'

/** The simulator compares books and rails itself; this job waits for seconds of real time. */
const leftOut = 'reconcile books, chain and bank'

/** Jobs that only tidy up run less often, or they would be most of the work. */
const tidying = /^(delete old|log heads|sum up|check for low|check the ledger|mark payouts)/
const tidyIntervalMs = 6 * 3_600_000

/** What all processes of a world share, and what survives them. */
export type Surroundings = {
  databaseUrl: string
  secret: Secret
  time: VirtualTime
  bank: SimulatedBank
  chain: SimulatedChain
  keeperOf(life: Life): Keeper
  senderOf(life: Life): Sender
  /** Whether the next worker also sends from memory what the process has just committed. */
  drawCourier(): boolean
}

const logger = createLogger('silent')

/** How long events and request logs are kept. */
const retentionDays = 30

function openRails({ bank, chain }: Surroundings, life: Life): OpenRails {
  const connected = bank.connect(life)
  const { payoutRail, walletRail, coinMint } = chain.connect(life)
  return {
    rails: new Rails({
      test: {
        payoutBank: connected,
        collectBank: connected,
        chain: payoutRail,
        wallets: walletRail,
      },
    }),
    localnetPayers: undefined,
    simulatedRails: [],
    mint: coinMint,
    sandboxBank: undefined,
    testPayers: undefined,
    emulator: undefined,
    localnet: undefined,
    solana: { test: undefined, live: undefined },
    treasuries: [],
    floats: [],
    close: async () => {},
  }
}

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers: Record<string, string>
  body?: object | string
}

export type ApiInstance = Awaited<ReturnType<typeof openApi>>

/** An API process. */
export async function openApi(surroundings: Surroundings) {
  const { secret, time } = surroundings
  const life: Life = { isDead: false }
  const gate = await openPostgresGate(surroundings.databaseUrl, surroundings.keeperOf(life))
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    apiProcesses: 1,
    metricsPort: 0,
    workPort: 0,
    home: '/nowhere',
    databaseUrl: new Secret(gate.url),
    databaseRead: undefined,
    secret,
    otherSecrets: undefined,
    publicUrl: 'http://localhost',
    consoleUrl: undefined,
    hasConsole: false,
    trustProxy: false,
    logLevel: 'silent',
    rateLimitPerSecond: 0,
    publicRateLimitPerSecond: 0,
    requestLogDays: 0,
    eventDays: retentionDays,
    retention: standardRetention,
    naira: standardNaira,
    rates: undefined,
    allowsLoopbackWebhooks: true,
    ...onlySandbox,
    solana: noChains,
  }
  const opened = openRails(surroundings, life)
  const service = await compose({
    config,
    databaseUrl: gate.url,
    logger,
    clock: time.clock,
    rails: opened.rails,
    mint: opened.mint,
    followsPayouts: true,
  })
  await service.app.ready()

  return {
    life,
    async ask({ method, path, headers, body }: ApiRequest): Promise<LightMyRequestResponse> {
      return service.app.inject({
        method,
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      })
    },
    isBusy: gate.isBusy,
    kill() {
      life.isDead = true
      gate.kill()
    },
    async close() {
      await service.close()
      await gate.close()
    },
  }
}

export type WorkerInstance = Awaited<ReturnType<typeof openWorker>>

/** A worker process, whose jobs run when the simulator says so. */
export async function openWorker(surroundings: Surroundings) {
  const { time } = surroundings
  const { clock } = time
  const life: Life = { isDead: false }
  const gate = await openPostgresGate(surroundings.databaseUrl, surroundings.keeperOf(life))
  const db = new Database(gate.url, () => {})
  const claimDb = new Database(gate.url, () => {}, { size: 1, readsByKey: true })
  const seal = createSeal(surroundings.secret)
  const opened = openRails(surroundings, life)
  const connect = () => connectLane(gate.url, 'simulator lane')
  const laneDependencies = { connect, clock, rails: opened.rails.banksByName }
  const judging = createJudgingLane(laneDependencies)
  const noticeLane = createNoticeLane(laneDependencies)
  const concluding = createConcludingLane(laneDependencies)
  const sentPayouts = new SentPayouts({ db, clock, logger, laneOf: () => concluding })
  const jobs = createJobs(opened, {
    seal,
    clock,
    logger,
    lane: judging,
    noticeLane,
    requestLogDays: retentionDays,
    eventDays: retentionDays,
    retention: standardRetention,
    naira: standardNaira,
    sentPayouts,
    callbackSender: surroundings.senderOf(life),
  }).filter(({ name }) => name !== leftOut)
  const deliverer = new Deliverer({
    db: claimDb,
    countsDb: db,
    connect,
    seal,
    clock,
    logger,
    sender: surroundings.senderOf(life),
  })
  deliverer.start()
  const unsetCourier = surroundings.drawCourier() ? setCourier(db.name, deliverer) : () => {}
  const running = new Set<Job>()
  const lastRunMs = new Map<Job, number>()
  const findWithDueRows = createDueJobFinder(jobs)

  /** Jobs that have a due row, or whose interval has passed. */
  async function findDueJobs(): Promise<Job[]> {
    const found = await findWithDueRows(claimDb, clock.now()).catch(() => undefined)
    if (!found) return []
    return jobs.filter((job) => {
      if (running.has(job)) return false
      if (found.includes(job)) return true
      const everyMs = tidying.test(job.name) ? tidyIntervalMs : job.everyMs
      return time.nowMs - (lastRunMs.get(job) ?? 0) >= everyMs
    })
  }

  /** As in a worker, what a job that fails leaves undone is due again. */
  async function runJob(job: Job): Promise<void> {
    running.add(job)
    lastRunMs.set(job, time.nowMs)
    let done = Number.POSITIVE_INFINITY
    while (done >= job.batch && !life.isDead) done = await job.run(db, clock.now()).catch(() => 0)
    running.delete(job)
  }

  return {
    life,
    deliverer,
    findDueJobs,
    runJob,
    isBusy: gate.isBusy,
    kill() {
      life.isDead = true
      unsetCourier()
      gate.kill()
    },
    async close() {
      await Promise.allSettled([deliverer.stop(), sentPayouts.stop()])
      await Promise.allSettled([judging.close(), noticeLane.close(), concluding.close()])
      await Promise.allSettled([db.close(), claimDb.close()])
      await gate.close()
    },
  }
}
