import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, hour } from './base/clock.js'
import { type Mode, modes } from './base/environment.js'
import { limits } from './base/limits.js'
import type { Logger } from './base/log.js'
import type { Seal } from './base/sealed.js'
import { expireAccounts } from './collections/end-accounts.js'
import { fetchUnannouncedPayments } from './collections/fetch-missed-payments.js'
import { followReturns } from './collections/follow-returns.js'
import { createPaymentLane, type PaymentLane, takeDueNotices } from './collections/payment-lane.js'
import type { WalletRail } from './collections/ports.js'
import { sendReturns } from './collections/send-returns.js'
import { forgetOldKeys } from './idempotency/forget-keys.js'
import type { OpenRails } from './open-rails.js'
import { JobProgress } from './operations/job-progress.js'
import { reconcileDue } from './operations/reconcile.js'
import { watchTreasury } from './operations/watch-treasuries.js'
import {
  describeWorker,
  keepBeating,
  stopHeartbeat,
  type WorkCommand,
} from './operations/worker-heartbeats.js'
import { followReversals } from './payouts/follow-reversals.js'
import { returnKinds } from './payouts/payout.js'
import { pollPayouts } from './payouts/poll-payouts.js'
import { markForReview } from './payouts/review-payouts.js'
import { connectLane } from './postgres/connection.js'
import type { Database } from './postgres/database.js'
import { isDatabaseAway } from './postgres/failures.js'
import { forgetOldEntries } from './request-log/forget-entries.js'
import { mintBackings } from './simulation/test-funding.js'
import { concludeSweeps } from './wallets/conclude-sweeps.js'
import { sweepWallets } from './wallets/sweep-wallets.js'
import { watchWallets } from './wallets/watch-wallets.js'
import { Deliverer } from './webhooks/deliver.js'
import { createSender } from './webhooks/send.js'
import { watchBalances } from './webhooks/watch-balances.js'

type Job = {
  name: string
  everyMs: number
  /** How long one run may take before it is late, where that is longer than usual. */
  mayTakeMs?: number
  /**
   * How many rows it dealt with, and how many it takes at once: a full batch is followed at once.
   */
  batch: number
  run: (db: Database, now: Date) => Promise<number>
}

type JobTools = { clock: Clock; logger: Logger; lane: PaymentLane; requestLogDays: number }

/** What happens by itself beside the sending of webhooks; key rings write down their own uses. */
export function createJobs(opened: OpenRails, tools: JobTools): Job[] {
  const { logger, requestLogDays } = tools
  return [
    {
      name: 'forget old idempotency keys',
      everyMs: hour,
      batch: limits.idempotency.forgottenAtOnce,
      run: forgetOldKeys,
    },
    {
      name: 'forget old request logs',
      everyMs: hour,
      batch: limits.requestLogs.forgottenAtOnce,
      run: (db, now) => forgetOldEntries(db, now, requestLogDays),
    },
    {
      name: 'tell merchants of low balances',
      everyMs: limits.lowBalance.lookEveryMs,
      batch: Number.POSITIVE_INFINITY,
      run: watchBalances,
    },
    {
      name: 'reconcile books, chain and bank',
      everyMs: limits.reconcile.lookEveryMs,
      mayTakeMs: limits.reconcile.leaseMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db, now) => reconcileDue({ db, rails: opened, logger }, now),
    },
    ...collectionJobs(opened, tools),
    ...payoutJobs(opened, tools),
  ]
}

function collectionJobs({ rails, collecting, wallets }: OpenRails, tools: JobTools) {
  const { lane, clock, logger } = tools
  const { workEveryMs: everyMs, noticesAtOnce, returnsAtOnce, expiredAtOnce } = limits.collections
  const returning = Object.values(rails).flatMap((byKind) =>
    returnKinds.flatMap((kind) => byKind[kind] ?? []),
  )
  const jobs: Job[] = [
    { name: 'expire accounts', everyMs, batch: expiredAtOnce, run: expireAccounts },
    ...modes.flatMap((mode) => {
      const rail = collecting[mode]
      if (!rail) return []
      const name = `ask ${rail.name} for payments it did not announce`
      const run = (db: Database, now: Date) =>
        fetchUnannouncedPayments({ db, rail, mode, logger }, now)
      return [
        { name, everyMs: limits.collections.askEveryMs, batch: Number.POSITIVE_INFINITY, run },
      ]
    }),
    ...namesOf(collecting).map((rail) => ({
      name: `judge payments of ${rail}`,
      everyMs,
      batch: noticesAtOnce,
      run: (db: Database, now: Date) => takeDueNotices({ db, rail, lane, logger }, now),
    })),
    ...modes.flatMap((mode) => walletJobs(wallets[mode], mode, tools)),
    ...[...new Set(returning)].map((rail) => ({
      name: `send payments back by ${rail.name}`,
      everyMs,
      batch: returnsAtOnce,
      run: (db: Database, now: Date) => sendReturns({ db, rail, clock, logger }, now),
    })),
  ]
  return jobs
}

function walletJobs(rail: WalletRail | undefined, mode: Mode, tools: JobTools): Job[] {
  if (!rail) return []
  const { lane, clock, logger } = tools
  const { deposits, sweeps, collections } = limits
  return [
    {
      name: `look for coins in wallets of ${mode} mode`,
      everyMs: deposits.workEveryMs,
      batch: deposits.accountsAtOnce,
      run: (db, now) => watchWallets({ db, rail, mode, lane, clock, logger }, now),
    },
    {
      name: `look again into wallets of ${mode} mode that could not be read`,
      everyMs: deposits.workEveryMs,
      batch: deposits.accountsAtOnce,
      run: (db, now) =>
        watchWallets({ db, rail, mode, lane, clock, logger, isTroubled: true }, now),
    },
    {
      name: `judge deposits of ${mode} mode`,
      everyMs: collections.workEveryMs,
      batch: collections.noticesAtOnce,
      run: (db, now) => takeDueNotices({ db, rail: rail.name, lane, logger }, now),
    },
    {
      name: `sweep wallets of ${mode} mode`,
      everyMs: sweeps.everyMs,
      batch: sweeps.accountsAtOnce,
      run: (db, now) => sweepWallets({ db, rail, clock, logger }, now),
    },
    {
      name: `look after sweeps of ${mode} mode`,
      everyMs: sweeps.lookEveryMs,
      batch: sweeps.looksAtOnce,
      run: (db, now) => concludeSweeps({ db, rail, clock, logger }, now),
    },
  ]
}

function namesOf(collecting: OpenRails['collecting']): string[] {
  return Object.values(collecting).flatMap((rail) => rail?.name ?? [])
}

function payoutJobs(opened: OpenRails, { clock, logger }: JobTools): Job[] {
  const { rails, reversing, mint, treasuries } = opened
  const payoutRails = new Set(Object.values(rails).flatMap((byKind) => Object.values(byKind)))
  return [
    {
      name: 'mark payouts for review',
      everyMs: hour,
      batch: limits.payouts.reviewedAtOnce,
      run: (db, now) => markForReview({ db, logger }, now),
    },
    ...treasuries.map((treasury) => ({
      name: `watch the hot wallet of ${treasury.mode} mode`,
      everyMs: limits.payouts.treasuryEveryMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db: Database) => watchTreasury({ db, logger }, treasury),
    })),
    ...[...payoutRails].map((rail) => ({
      name: `look after payouts on ${rail.name}`,
      everyMs: limits.payouts.workEveryMs,
      batch: limits.payouts.looksAtOnce,
      run: (db: Database, now: Date) =>
        pollPayouts({ db, rail, logger, clock, follow: followReturns }, now),
    })),
    ...reversing.map((rail) => ({
      name: `follow reversals of ${rail.name}`,
      everyMs: limits.payouts.reversalsEveryMs,
      batch: 1,
      run: (db: Database, now: Date) =>
        followReversals({ db, rail, logger, follow: followReturns }, now),
    })),
    ...(mint
      ? [
          {
            name: 'back test coins',
            everyMs: limits.payouts.mintEveryMs,
            batch: limits.payouts.mintedAtOnce,
            run: (db: Database) => mintBackings({ db, mint }),
          },
        ]
      : []),
  ]
}

type Tools = {
  command: WorkCommand
  db: Database
  seal: Seal
  clock: Clock
  logger: Logger
  rails: OpenRails
  allowsLoopbackWebhooks: boolean
  requestLogDays: number
}

export type Work = {
  progress: JobProgress
  isStopping(): boolean
  stop(): Promise<void>
}

const deliveries = { name: 'deliver webhooks', everyMs: limits.webhooks.lookEveryMs }

/**
 * Runs every job, and sends webhooks, until stopped. Many processes may do so at once: rows are
 * claimed, not jobs.
 */
export function startWork(tools: Tools): Work {
  const { db, seal, clock, logger, rails, allowsLoopbackWebhooks, requestLogDays } = tools
  const stopping = new AbortController()
  const collectionRails = Object.values(rails.collecting).filter((rail) => rail !== undefined)
  const payments = createPaymentLane({
    connect: () => connectLane(db.url, 'manilla payments'),
    clock,
    rails: new Map(collectionRails.map((rail) => [rail.name, rail])),
  })
  const jobs = createJobs(rails, { clock, logger, lane: payments, requestLogDays })
  // Each of them waits for the stop; Node would take so many for a leak.
  setMaxListeners(jobs.length + 1, stopping.signal)
  const progress = new JobProgress(clock, [...jobs, deliveries])
  const running = jobs.map((job) => runJob(job, { ...tools, progress }, stopping.signal))
  const worker = describeWorker(tools.command)
  running.push(keepBeating(worker, { db, logger, progress }, stopping.signal))
  const sender = createSender({ clock, allowsLoopback: allowsLoopbackWebhooks })
  const connectToDatabase = () => connectLane(db.url, 'manilla deliveries')
  const deliverer = new Deliverer({
    db,
    connect: connectToDatabase,
    seal,
    clock,
    logger,
    sender,
    onRound: (hasSucceeded) => progress.record(deliveries.name, hasSucceeded),
  })
  deliverer.start()
  return {
    progress,
    isStopping: () => stopping.signal.aborted,
    async stop() {
      stopping.abort()
      const hasEnded = Promise.all([...running, deliverer.stop()]).then(() => true)
      const isLate = sleep(limits.work.finishMs, false, { ref: false })
      if (!(await Promise.race([hasEnded, isLate])))
        logger.warn('some work did not end in time: it is left, and found again at the next start')
      await payments.close()
      await stopHeartbeat(db, worker).catch((error: unknown) =>
        logger.warn({ err: error }, 'the stop of this worker was not recorded'),
      )
    },
  }
}

async function runJob(
  job: Job,
  tools: { db: Database; clock: Clock; logger: Logger; progress: JobProgress },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, logger, progress } = tools
  while (!signal.aborted) {
    let done = 0
    let hasFailed = false
    try {
      done = await job.run(db, clock.now())
      progress.record(job.name, true)
    } catch (error) {
      // The next run finds the same rows again; nothing is lost by waiting for it.
      hasFailed = true
      progress.record(job.name, false)
      const level = isDatabaseAway(error) ? 'warn' : 'error'
      logger[level]({ err: error, job: job.name }, 'a job failed')
    }
    const pauseMs = hasFailed ? Math.min(job.everyMs, limits.work.retryMs) : job.everyMs
    if (done < job.batch) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}
