import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../../../src/base/log.js'
import { createSeal } from '../../../src/base/sealed.js'
import type { Secret } from '../../../src/base/secret.js'
import {
  createJudgingLane,
  createNoticeLane,
} from '../../../src/collections/notices/notice-lanes.js'
import { setCourier } from '../../../src/events/new-deliveries.js'
import type { MailRelay } from '../../../src/mail/ports.js'
import { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'
import { connectLane } from '../../../src/postgres/wire/connection.js'
import type { OpenRails } from '../../../src/processes/open-rails.js'
import { createDueJobFinder, type Job } from '../../../src/processes/run-jobs.js'
import { createJobs } from '../../../src/processes/work.js'
import { Deliverer } from '../../../src/webhooks/deliveries/deliver.js'
import { createSender, type Sender } from '../../../src/webhooks/deliveries/send.js'
import type { manualClock } from '../../support/clock.js'
import { openManilla, standardNaira, standardRetention } from '../../support/open-manilla.js'
import type { Keeper } from './passage.js'
import { openPostgresGate } from './postgres-gate.js'

type VirtualClock = ReturnType<typeof manualClock>

/** Jobs whose results no money depends on, or that compare and are run by the proof itself. */
const leftOut = /^(delete old|log heads|sum up|reconcile|check the ledger|check for low)/

export type InstanceSettings = {
  /** Without a gate, for what the outside does. */
  db: Database
  clock: VirtualClock
  secret: Secret
  keeper: Keeper
  /** Opens the rails of this instance, which reach the outside through gates of their own. */
  openRails(gated: { db: Database }): Promise<OpenRails>
  /** Whether the API ends the payouts that it sends, as `npm start` does. */
  followsPayouts?: boolean
  /** Absent: mails are kept. */
  relay?: MailRelay | undefined
  /** Closes the gates to banks and chains. */
  killCalls?: () => void
}

export type Instance = Awaited<ReturnType<typeof openInstance>>

/**
 * An API and a worker in this process, as `npm start` runs them, behind gates. Its jobs run only
 * when the caller says so, by the virtual clock.
 */
export async function openInstance(settings: InstanceSettings) {
  const { clock, secret, keeper } = settings
  const gate = await openPostgresGate(settings.db.url, keeper)
  const db = new Database(gate.url, () => {})
  const logger = createLogger('silent')
  const seal = createSeal(secret)
  const opened = await settings.openRails({ db })
  const service = await openManilla({
    beside: { db: settings.db, clock, secret },
    databaseUrl: gate.url,
    rails: opened.rails,
    simulatedRails: opened.simulatedRails,
    mint: opened.mint,
    ...(opened.testPayers && { sandboxPayers: opened.testPayers }),
    ...(opened.localnetPayers && { localnetPayers: opened.localnetPayers }),
    followsPayouts: settings.followsPayouts ?? false,
    isClosedByCaller: true,
  })
  const connect = () => connectLane(gate.url, 'proof lane')
  const laneDependencies = { connect, clock, rails: opened.rails.banksByName }
  const lane = createJudgingLane(laneDependencies)
  const noticeLane = createNoticeLane(laneDependencies)
  const sender = createSender({ clock, allowsLoopback: true })
  let isDead = false
  const killable: Sender = {
    send: (message) => (isDead ? Promise.reject(new Error('killed')) : sender.send(message)),
    close: () => sender.close(),
  }
  const jobs = createJobs(opened, {
    seal,
    clock,
    logger,
    lane,
    noticeLane,
    requestLogDays: 30,
    eventDays: 30,
    retention: standardRetention,
    naira: standardNaira,
    relay: settings.relay,
    callbackSender: killable,
  }).filter(({ name }) => !leftOut.test(name))
  const jobFailures: string[] = []
  const deliverer = new Deliverer({
    db,
    connect,
    seal,
    clock,
    logger,
    sender: killable,
  })
  deliverer.start()
  const unsetCourier = setCourier(db.name, deliverer)
  const lastRuns = new Map<Job, number>()
  const findWithDueRows = createDueJobFinder(jobs)

  /** Whether a row of the job is due, or its interval has passed. */
  async function findDueJobs(): Promise<Job[]> {
    const due = new Set(await findWithDueRows(settings.db, clock.now()))
    const nowMs = clock.now().getTime()
    // Those that wait for due rows would only claim nothing at their interval.
    return jobs.filter((job) =>
      job.firstDueAt ? due.has(job) : nowMs - (lastRuns.get(job) ?? 0) >= job.everyMs,
    )
  }

  /** Runs every due job once. A job that fails is due again, as in a worker. */
  async function runJobs(): Promise<number> {
    let done = 0
    for (const job of await findDueJobs()) {
      if (isDead) return done
      lastRuns.set(job, clock.now().getTime())
      try {
        done += await job.run(db, clock.now())
      } catch (error) {
        jobFailures.push(`${job.name}: ${(error as Error).message}`)
      }
    }
    return done
  }

  /** Wakes the delivery and waits until nothing due is left, or the receiver does not answer. */
  async function deliver(): Promise<void> {
    for (let waitedMs = 0; waitedMs < 2_000 && !isDead; waitedMs += 5) {
      const [row] = await settings.db.rows(sql<{ count: number }>`
        select count(*)::int as count from deliveries
        where state = 'PENDING' and due_at <= ${clock.now()}`)
      if (row!.count === 0) return
      deliverer.wake()
      await sleep(5)
    }
  }

  async function close(): Promise<void> {
    unsetCourier()
    await Promise.allSettled([deliverer.stop(), lane.close(), noticeLane.close(), service.close()])
    await opened.close().catch(() => {})
    await db.close()
    await gate.close()
    settings.killCalls?.()
  }

  return {
    service,
    opened,
    runJobs,
    deliver,
    isDead: () => isDead,
    /** Why jobs failed so far. Without a fault, none may. */
    jobFailures,
    /** As SIGKILL: nothing of this instance reaches the outside any more. */
    kill() {
      isDead = true
      unsetCourier()
      gate.kill()
      settings.killCalls?.()
      service.app.server.closeAllConnections()
      service.app.server.close()
    },
    close,
  }
}
