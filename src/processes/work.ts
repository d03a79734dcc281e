import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { auditLimits } from '../audit/limits.js'
import { logAuditHeads } from '../audit/log-heads.js'
import { type Clock, hour, type RealTime } from '../base/clock.js'
import type { Config } from '../base/config.js'
import { type Mode, modes } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type Logger, logLostConnection } from '../base/log.js'
import type { RateConfig } from '../base/rate-sources.js'
import type { Seal } from '../base/sealed.js'
import { announceOverdue, casesDue } from '../cases/announce-overdue.js'
import { caseLimits } from '../cases/limits.js'
import { expireAccounts, firstExpiryAt } from '../collections/accounts/end-accounts.js'
import { collectionLimits } from '../collections/limits.js'
import { confirmDueHints } from '../collections/notices/confirm-hints.js'
import { fetchMissedPayments } from '../collections/notices/fetch-missed-payments.js'
import { judgeDueNotices, noticesDue } from '../collections/notices/judge-due-notices.js'
import {
  createJudgingLane,
  createNoticeLane,
  type JudgingLane,
  type NoticeLane,
} from '../collections/notices/notice-lanes.js'
import { deleteOldHints, hintsDue } from '../collections/notices/store-hints.js'
import { createPaymentLog } from '../collections/payments/log-payments.js'
import type { BankRail, WalletRail } from '../collections/ports.js'
import { followReturns } from '../collections/returns/follow-returns.js'
import { returnsDue, sendReturns } from '../collections/returns/send-returns.js'
import { rescreenPayments } from '../collections/screening/rescreen-payments.js'
import { screeningsDue } from '../collections/screening/store-screenings.js'
import { createExchange } from '../conversions/exchange.js'
import { conversionLimits } from '../conversions/limits.js'
import { deleteOldQuotes } from '../conversions/store-conversions.js'
import { deadlinesDue, runDeadlines } from '../customers/invoices/run-deadlines.js'
import { invoiceLimits } from '../customers/limits.js'
import { invoiceSchedulesDue, runSchedules } from '../customers/schedules/run-schedules.js'
import { deleteOldEvents } from '../events/delete-old-events.js'
import { setCourier } from '../events/new-deliveries.js'
import { deleteOldKeys } from '../idempotency/delete-old-keys.js'
import { idempotencyLimits } from '../idempotency/limits.js'
import { mailLimits } from '../mail/limits.js'
import { openMailbox } from '../mail/mailbox.js'
import type { MailRelay } from '../mail/ports.js'
import { deleteOldMails, mailsDue, sendMails } from '../mail/send-mails.js'
import { lowBalanceLimits } from '../merchants/limits.js'
import { personalDataLimits, workLimits } from '../operations/limits.js'
import { FundFigures } from '../operations/metrics/fund-figures.js'
import { JobProgress } from '../operations/metrics/job-progress.js'
import {
  addDeliveryMetrics,
  addFundMetrics,
  addPoolMetrics,
} from '../operations/metrics/process-metrics.js'
import { logBankFindings, watchFloat } from '../operations/metrics/watch-floats.js'
import { watchTreasury } from '../operations/metrics/watch-treasuries.js'
import { addJobMetrics } from '../operations/metrics/work-metrics.js'
import {
  describeWorker,
  keepBeating,
  stopHeartbeat,
  type WorkCommand,
} from '../operations/metrics/worker-heartbeats.js'
import { applyRetention } from '../operations/personal-data/apply-retention.js'
import { firstProofDueAt, runLedgerProof } from '../operations/proofs/ledger-proofs.js'
import { reconcileDue } from '../operations/reconcile/reconcile.js'
import { expirePending } from '../payouts/approvals/expire-pending.js'
import { createConcludingLane } from '../payouts/attempts/conclude-sent.js'
import { followReversals } from '../payouts/attempts/follow-reversals.js'
import { attemptsDue } from '../payouts/attempts/live-attempts.js'
import { pollPayouts } from '../payouts/attempts/poll-payouts.js'
import { markForReview } from '../payouts/attempts/review-payouts.js'
import { SentPayouts } from '../payouts/attempts/sent-payouts.js'
import { expireBatches } from '../payouts/batches/decide-batch.js'
import { batchesDue, runBatches } from '../payouts/batches/run-batches.js'
import type { BatchDependencies } from '../payouts/batches/step.js'
import { expireClaims } from '../payouts/claims/end-claims.js'
import { CallbackAsker } from '../payouts/controls/ask-callbacks.js'
import { checksDue } from '../payouts/controls/payout-checks.js'
import { createLevyBook } from '../payouts/levies/levy-book.js'
import {
  batchLimits,
  callbackLimits,
  claimLimits,
  payoutLimits,
  reconcileLimits,
  settlementLimits,
} from '../payouts/limits.js'
import { createFeeBook } from '../payouts/requests/fee-book.js'
import { createPausedRails } from '../payouts/requests/paused-rails.js'
import { createPayoutPreparation } from '../payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../payouts/requests/send-new.js'
import { closeSettled } from '../payouts/settlements/close-subaccounts.js'
import { schedulesDue, settleDue } from '../payouts/settlements/settle-due.js'
import { Database } from '../postgres/database.js'
import { firstDueAt } from '../postgres/due.js'
import { connectLane, connectListener } from '../postgres/wire/connection.js'
import { createSmtpRelay } from '../rails/mail/smtp-relay.js'
import { createHttpSource } from '../rails/rates/http-source.js'
import { createRateBook } from '../rates/rate-book.js'
import { readRates } from '../rates/read-rates.js'
import { reportLimits } from '../reports/limits.js'
import { sumUpReports } from '../reports/sum-up.js'
import { deleteOldEntries } from '../request-log/delete-old-entries.js'
import { requestLogLimits } from '../request-log/limits.js'
import { screeningLimits } from '../screening/limits.js'
import { simulatedRates } from '../simulation/simulated-rates.js'
import {
  backCoins,
  createPendingMint,
  firstUnmintedAt,
  mintBackings,
} from '../simulation/test-funding.js'
import { shareLimits } from '../subaccounts/limits.js'
import { giveBack, takeBacksDue } from '../subaccounts/shares/give-back.js'
import { releaseShares, sharesDue } from '../subaccounts/shares/release-shares.js'
import { deleteOldSignIns } from '../team/delete-old-sign-ins.js'
import { concludeSweeps } from '../wallets/conclude-sweeps.js'
import { depositLimits, sweepLimits } from '../wallets/limits.js'
import { sweepsDue } from '../wallets/store-sweeps.js'
import { tokenAccountsDue, troubledDue } from '../wallets/store-token-accounts.js'
import { sweepWallets } from '../wallets/sweep-wallets.js'
import { watchWallets } from '../wallets/watch-wallets.js'
import { deleteOldDeliveries } from '../webhooks/deliveries/delete-old-deliveries.js'
import { Deliverer } from '../webhooks/deliveries/deliver.js'
import { createMessageSigner } from '../webhooks/deliveries/message.js'
import { createSender, type Sender } from '../webhooks/deliveries/send.js'
import { listenForDeliveries, notifyWorkers } from '../webhooks/deliveries/wake-ups.js'
import { watchBalances } from '../webhooks/endpoints/watch-balances.js'
import { webhookLimits } from '../webhooks/limits.js'
import { keepHeapSmall } from './heap.js'
import type { OpenRails } from './open-rails.js'
import { type Job, runJob, scheduleJobs } from './run-jobs.js'

type JobDependencies = {
  seal: Seal
  clock: Clock
  logger: Logger
  lane: JudgingLane
  noticeLane: NoticeLane
  requestLogDays: number
  eventDays: number
  retention: Config['retention']
  callbackSender: Sender
  naira: Config['naira']
  rates?: RateConfig | undefined
  figures?: FundFigures
  /** Ends the payouts that batches send. Absent: they are polled. */
  sentPayouts?: SentPayouts
  /** Absent: mails are kept. */
  relay?: MailRelay | undefined
  isStopping?: () => boolean
}

/** All background jobs except the delivery of webhooks, which `startWork` runs beside them. */
export function createJobs(opened: OpenRails, dependencies: JobDependencies): Job[] {
  const { seal, logger, requestLogDays, eventDays, retention } = dependencies
  return [
    {
      name: 'delete old idempotency keys',
      everyMs: hour,
      batch: idempotencyLimits.keysDeletedPerBatchMax,
      run: deleteOldKeys,
    },
    {
      name: 'delete old request logs',
      everyMs: hour,
      batch: requestLogLimits.entriesDeletedPerBatchMax,
      run: (db, now) => deleteOldEntries(db, now, requestLogDays),
    },
    {
      name: 'delete old deliveries',
      everyMs: limits.retention.jobIntervalMs,
      batch: limits.retention.rowsDeletedPerBatchMax,
      run: deleteOldDeliveries,
    },
    {
      name: 'delete old events',
      everyMs: limits.retention.jobIntervalMs,
      batch: limits.retention.rowsDeletedPerBatchMax,
      run: (db, now) => deleteOldEvents(db, now, eventDays),
    },
    {
      name: 'delete old sessions and links',
      everyMs: limits.retention.jobIntervalMs,
      batch: limits.retention.rowsDeletedPerBatchMax,
      run: deleteOldSignIns,
    },
    {
      name: 'delete old notice hints',
      everyMs: hour,
      batch: limits.banks.hintsDeletedPerBatchMax,
      run: deleteOldHints,
    },
    {
      name: 'delete old quotes',
      everyMs: hour,
      batch: conversionLimits.quotesDeletedPerBatchMax,
      run: deleteOldQuotes,
    },
    {
      name: 'delete old mails',
      everyMs: hour,
      batch: mailLimits.deletedPerBatchMax,
      run: deleteOldMails,
    },
    {
      name: 'pseudonymise old personal data',
      everyMs: personalDataLimits.jobIntervalMs,
      batch: personalDataLimits.rowsPerBatchMax,
      run: (db, now) => applyRetention(db, now, retention),
    },
    {
      name: 'close sub-accounts that are paid out',
      everyMs: workLimits.idleJobIntervalMs,
      batch: settlementLimits.perBatchMax,
      run: closeSettled,
    },
    {
      name: 'check for low balances',
      everyMs: lowBalanceLimits.pollIntervalMs,
      batch: Number.POSITIVE_INFINITY,
      run: watchBalances,
    },
    {
      name: 'reconcile books, chain and bank',
      everyMs: reconcileLimits.pollIntervalMs,
      mayTakeMs: reconcileLimits.leaseMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db, now) => reconcileDue({ db, rails: opened, logger }, now),
    },
    {
      name: 'check the ledger on request',
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstProofDueAt,
      mayTakeMs: hour,
      batch: Number.POSITIVE_INFINITY,
      run: runLedgerProof,
    },
    {
      name: 'sum up reports',
      everyMs: reportLimits.pollIntervalMs,
      mayTakeMs: reportLimits.runMaxMs,
      batch: reportLimits.environmentsPerBatchMax,
      run: sumUpReports,
    },
    {
      name: 'log heads of the audit log',
      everyMs: auditLimits.jobIntervalMs,
      batch: auditLimits.headsLoggedPerBatchMax,
      run: (db, now) => logAuditHeads({ db, seal, logger }, now),
    },
    ...rateJobs(dependencies),
    ...collectionJobs(opened, dependencies),
    ...payoutJobs(opened, dependencies),
    ...modes.map((mode) => settlementJob(opened, mode, dependencies)),
    ...modes.map((mode) => batchJob(opened, mode, dependencies)),
    ...modes.map((mode) => callbackJob(opened, mode, dependencies)),
    ...modes.flatMap(shareJobs),
    ...modes.flatMap(invoiceJobs),
    ...modes.map((mode) => mailJob(mode, dependencies)),
  ]
}

function invoiceJobs(mode: Mode): Job[] {
  return [
    {
      name: `make ${mode} invoices`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(invoiceSchedulesDue, mode),
      batch: invoiceLimits.schedulesPerBatchMax,
      run: (db, now) => runSchedules({ db, mode }, now),
    },
    {
      name: `follow ${mode} invoices`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(deadlinesDue, mode),
      batch: invoiceLimits.deadlinesPerBatchMax,
      run: (db, now) => runDeadlines({ db, mode }, now),
    },
    {
      name: `announce overdue ${mode} cases`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(casesDue, mode),
      batch: caseLimits.overduePerBatchMax,
      run: (db, now) => announceOverdue({ db, mode }, now),
    },
  ]
}

function mailJob(mode: Mode, dependencies: JobDependencies): Job {
  const { seal, clock, logger, relay, isStopping } = dependencies
  return {
    name: `send ${mode} mails`,
    everyMs: workLimits.idleJobIntervalMs,
    firstDueAt: firstDueAt(mailsDue, mode),
    mayTakeMs: Math.ceil(mailLimits.perBatchMax / mailLimits.parallelMax) * mailLimits.sendMs,
    batch: mailLimits.perBatchMax,
    run: (db, now) => sendMails({ db, clock, seal, logger, relay, isStopping, mode }, now),
  }
}

/** Only if sources are configured: otherwise operators set rates. */
function rateJobs({ rates, clock, logger }: JobDependencies): Job[] {
  if (!rates || rates.sources.length === 0) return []
  const sources = rates.sources.map((source) => createHttpSource(source, { clock }))
  return [
    {
      name: 'read rates',
      everyMs: limits.rates.pollIntervalMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db, now) => readRates({ db, sources, bounds: rates, logger }, now),
    },
  ]
}

function settlementJob(opened: OpenRails, mode: Mode, dependencies: JobDependencies): Job {
  const { rails, mint, screening } = opened
  const { clock, logger, naira } = dependencies
  return {
    name: `settle ${mode} balances`,
    everyMs: workLimits.idleJobIntervalMs,
    firstDueAt: firstDueAt(schedulesDue, mode),
    batch: settlementLimits.perBatchMax,
    run: (db, now) => {
      const fees = createFeeBook({ db, clock })
      const paused = createPausedRails({ db, clock })
      const send = createSendAfterCommit({ rails, clock, logger, paused })
      const levies = createLevyBook({ db, clock })
      const tools = { db, rails, fees, logger, paused, levies, screening }
      const preparation = createPayoutPreparation(tools)
      const exchange = createExchange({
        db,
        rates: createRateBook({ db, clock, simulated: simulatedRates }),
        backCoins: mint && backCoins,
        mintPending: createPendingMint({ db, mint, logger }),
      })
      return settleDue({ db, clock, mode, preparation, naira, exchange, send, logger }, now)
    },
  }
}

/** Shares of payments: those that are released, and those that failed refunds give back. */
function shareJobs(mode: Mode): Job[] {
  return [
    {
      name: `release ${mode} shares`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(sharesDue, mode),
      batch: shareLimits.perBatchMax,
      run: (db, now) => releaseShares({ db, mode }, now),
    },
    {
      name: `give ${mode} shares back`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(takeBacksDue, mode),
      batch: shareLimits.perBatchMax,
      run: (db, now) => giveBack({ db, mode }, now),
    },
  ]
}

/** One preparation for all runs: batches of items share its caches. */
function batchJob({ rails, screening }: OpenRails, mode: Mode, dependencies: JobDependencies): Job {
  const { clock, logger, sentPayouts } = dependencies
  let opened: BatchDependencies | undefined
  const open = (db: Database): BatchDependencies => {
    const fees = createFeeBook({ db, clock })
    const paused = createPausedRails({ db, clock })
    const send = createSendAfterCommit({ rails, clock, logger, paused, sentPayouts })
    const follows = sentPayouts !== undefined
    const preparation = createPayoutPreparation({
      db,
      rails,
      fees,
      logger,
      paused,
      levies: createLevyBook({ db, clock }),
      follows,
      screening,
    })
    return { db, rails, preparation, fees, clock, logger, send }
  }
  return {
    name: `pay ${mode} batches`,
    everyMs: workLimits.idleJobIntervalMs,
    firstDueAt: firstDueAt(batchesDue, mode),
    batch: 1,
    run: (db) => {
      opened ??= open(db)
      return runBatches(opened, mode)
    },
  }
}

/** One signer for all runs: it keeps the keys. Runs do not wait for callbacks that are silent. */
function callbackJob(
  { rails, screening }: OpenRails,
  mode: Mode,
  dependencies: JobDependencies,
): Job {
  const { clock, logger, seal, sentPayouts, callbackSender: sender } = dependencies
  const sign = createMessageSigner(seal)
  const asker = new CallbackAsker()
  return {
    name: `ask callbacks about ${mode} payouts`,
    everyMs: workLimits.idleJobIntervalMs,
    firstDueAt: firstDueAt(checksDue, mode),
    // Whatever was claimed, or has ended, there may be more that is due and has a slot.
    batch: 1,
    finish: () => asker.finish(),
    run: async (db, now) => {
      const paused = createPausedRails({ db, clock })
      const send = createSendAfterCommit({ rails, clock, logger, paused, sentPayouts })
      const claimed = await asker.claim(
        { db, mode, rails, clock, logger, sender, sign, send, screening, follow: followReturns },
        now,
      )
      return claimed + ((await asker.waitForNext()) ? 1 : 0)
    },
  }
}

function collectionJobs({ rails, screening }: OpenRails, dependencies: JobDependencies): Job[] {
  const { lane, noticeLane, clock, logger } = dependencies
  const everyMs = workLimits.idleJobIntervalMs
  const bankJobs = (rail: BankRail, mode: Mode): Job[] => [
    {
      name: `fetch payments without a notice from ${rail.name}`,
      everyMs: collectionLimits.missedPaymentsIntervalMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db, now) => fetchMissedPayments({ db, rail, mode, logger }, now),
    },
    {
      name: `judge payments of ${rail.name}`,
      everyMs,
      firstDueAt: firstDueAt(noticesDue, rail.name),
      batch: collectionLimits.noticesPerBatchMax,
      run: (db, now) => judgeDueNotices({ db, rail: rail.name, lane, logger }, now),
    },
    {
      name: `confirm notices of ${rail.name}`,
      everyMs,
      firstDueAt: firstDueAt(hintsDue, rail.name),
      batch: limits.banks.hintsPerBatchMax,
      run: (db, now) =>
        confirmDueHints({ db, rail, clock, logger, notices: noticeLane, judging: lane }, now),
    },
  ]
  return [
    {
      name: 'expire accounts',
      everyMs,
      firstDueAt: firstExpiryAt,
      batch: collectionLimits.expiriesPerBatchMax,
      run: expireAccounts,
    },
    ...modes.flatMap((mode) => rails.banksOf(mode).flatMap((rail) => bankJobs(rail, mode))),
    ...modes.flatMap((mode) => walletJobs(rails.walletsOf(mode), mode, dependencies)),
    ...modes.map((mode) => ({
      name: `screen ${mode} payments`,
      everyMs,
      firstDueAt: firstDueAt(screeningsDue, mode),
      batch: screeningLimits.perBatchMax,
      run: (db: Database, now: RealTime) =>
        rescreenPayments({ db, clock, logger, mode, screening, rails: rails.banksByName }, now),
    })),
    ...rails.returning.map((rail) => ({
      name: `return payments on ${rail.name}`,
      everyMs,
      firstDueAt: firstDueAt(returnsDue, rail.name),
      batch: collectionLimits.returnsPerBatchMax,
      run: (db: Database, now: RealTime) => sendReturns({ db, rail, clock, logger }, now),
    })),
  ]
}

function walletJobs(
  rail: WalletRail | undefined,
  mode: Mode,
  dependencies: JobDependencies,
): Job[] {
  if (!rail) return []
  const { lane, clock, logger } = dependencies
  const everyMs = workLimits.idleJobIntervalMs
  return [
    {
      name: `poll ${mode} wallets`,
      everyMs,
      firstDueAt: firstDueAt(tokenAccountsDue, rail.name),
      batch: depositLimits.accountsPerBatchMax,
      run: (db, now) => watchWallets({ db, rail, mode, lane, clock, logger }, now),
    },
    {
      name: `poll unreadable ${mode} wallets`,
      everyMs,
      firstDueAt: firstDueAt(troubledDue, rail.name),
      batch: depositLimits.accountsPerBatchMax,
      run: (db, now) =>
        watchWallets({ db, rail, mode, lane, clock, logger, isTroubled: true }, now),
    },
    {
      name: `judge ${mode} deposits`,
      everyMs,
      firstDueAt: firstDueAt(noticesDue, rail.name),
      batch: collectionLimits.noticesPerBatchMax,
      run: (db, now) => judgeDueNotices({ db, rail: rail.name, lane, logger }, now),
    },
    {
      name: `sweep ${mode} wallets`,
      everyMs: sweepLimits.jobIntervalMs,
      batch: sweepLimits.accountsPerBatchMax,
      run: (db, now) => sweepWallets({ db, rail, clock, logger }, now),
    },
    {
      name: `poll ${mode} sweeps`,
      everyMs,
      firstDueAt: firstDueAt(sweepsDue, rail.name),
      batch: sweepLimits.sweepsPerBatchMax,
      run: (db, now) => concludeSweeps({ db, rail, clock, logger }, now),
    },
  ]
}

function payoutJobs(
  opened: OpenRails,
  { clock, logger, figures = new FundFigures() }: JobDependencies,
): Job[] {
  const { rails, mint, treasuries, floats } = opened
  return [
    {
      name: 'mark payouts for review',
      everyMs: hour,
      batch: payoutLimits.reviewsPerBatchMax,
      run: (db, now) => markForReview({ db, logger }, now),
    },
    {
      name: 'end payouts not approved in time',
      everyMs: payoutLimits.approvalIntervalMs,
      batch: payoutLimits.expiriesPerBatchMax,
      run: (db, now) => expirePending({ db, logger, follow: followReturns }, now),
    },
    {
      name: 'end claims whose time is over',
      everyMs: claimLimits.expiryIntervalMs,
      batch: claimLimits.expiriesPerBatchMax,
      run: (db, now) => expireClaims({ db, follow: followReturns }, now),
    },
    {
      name: 'end batches without approval',
      everyMs: batchLimits.approvalIntervalMs,
      batch: batchLimits.expiriesPerRunMax,
      run: expireBatches,
    },
    ...treasuries.map((treasury) => ({
      name: `check the ${treasury.mode} hot wallet`,
      everyMs: payoutLimits.treasuryIntervalMs,
      batch: Number.POSITIVE_INFINITY,
      run: (db: Database) => watchTreasury({ db, clock, logger, figures }, treasury),
    })),
    ...floats
      .filter(({ floatMin }) => floatMin > 0n)
      .map((watched) => ({
        name: `check the balance at ${watched.bank.name}`,
        everyMs: limits.banks.floatIntervalMs,
        batch: Number.POSITIVE_INFINITY,
        run: (db: Database) => watchFloat({ db, clock, logger, figures }, watched),
      })),
    ...rails.all.map((rail) => ({
      name: `poll payouts on ${rail.name}`,
      everyMs: workLimits.idleJobIntervalMs,
      firstDueAt: firstDueAt(attemptsDue, rail.name),
      batch: payoutLimits.attemptsPerBatchMax,
      run: (db: Database, now: RealTime) =>
        pollPayouts({ db, rail, logger, clock, follow: followReturns }, now),
    })),
    ...rails.banks.map((rail) => ({
      name: `poll reversals of ${rail.name}`,
      everyMs: rail.reversalIntervalMs,
      batch: 1,
      run: (db: Database, now: RealTime) =>
        followReversals({ db, rail, logger, follow: followReturns }, now),
    })),
    ...(mint
      ? [
          {
            name: 'mint test coins',
            everyMs: workLimits.idleJobIntervalMs,
            firstDueAt: firstUnmintedAt,
            batch: payoutLimits.mintsPerBatchMax,
            run: (db: Database) => mintBackings({ db, mint }),
          },
        ]
      : []),
  ]
}

type WorkDependencies = {
  command: WorkCommand
  db: Database
  seal: Seal
  clock: Clock
  logger: Logger
  rails: OpenRails
  allowsLoopbackWebhooks: boolean
  requestLogDays: number
  eventDays: number
  retention: Config['retention']
  naira: Config['naira']
  rates?: RateConfig | undefined
  mail?: Config['mail']
  /** Where people sign in, for links in mails. */
  consoleUrl?: string | undefined
}

export type Work = {
  progress: JobProgress
  /** Adds the figures of this process. Those of rails are left to the caller. */
  addMetrics(registry: Registry): void
  isStopping(): boolean
  stop(): Promise<void>
}

const deliveries = { name: 'deliver webhooks', everyMs: webhookLimits.pollIntervalMs }

/** Runs all jobs and delivers webhooks until stopped. Many processes may run: rows are claimed. */
export function startWork(dependencies: WorkDependencies): Work {
  keepHeapSmall()
  const { db, seal, clock, logger, rails: opened, allowsLoopbackWebhooks, naira } = dependencies
  const { rails } = opened
  const stopping = new AbortController()
  const closeMailbox = openMailbox(db.name, { seal, consoleUrl: dependencies.consoleUrl })
  // One lane for both modes, unlike in the API: no caller waits, and what is not judged stays due.
  const laneDependencies = {
    connect: () => connectLane(db.url, 'manilla payments'),
    clock,
    rails: rails.banksByName,
    onBooked: createPaymentLog({ db, logger }),
    db,
    screening: opened.screening,
  }
  const callbackSender = createSender({
    clock,
    allowsLoopback: allowsLoopbackWebhooks,
    attemptTimeoutMs: callbackLimits.answerMs,
  })
  const figures = new FundFigures()
  const concluding = createConcludingLane(laneDependencies)
  const sentPayouts = new SentPayouts({ db, clock, logger, laneOf: () => concluding })
  const judging = createJudgingLane(laneDependencies)
  const noticeLane = createNoticeLane(laneDependencies)
  const claimDb = new Database(db.url, logLostConnection(logger), {
    size: 1,
    applicationName: 'manilla claims',
    readsByKey: true,
  })
  const jobs = scheduleJobs(
    createJobs(opened, {
      seal,
      clock,
      logger,
      lane: judging,
      noticeLane,
      requestLogDays: dependencies.requestLogDays,
      eventDays: dependencies.eventDays,
      retention: dependencies.retention,
      callbackSender,
      naira,
      rates: dependencies.rates,
      figures,
      sentPayouts,
      relay: dependencies.mail?.relay && createSmtpRelay(dependencies.mail.relay),
      isStopping: () => stopping.signal.aborted,
    }),
    claimDb,
  )
  // Every job listens for the stop; Node would warn of a leak.
  setMaxListeners(jobs.length + 1, stopping.signal)
  const progress = new JobProgress(clock, [...jobs, deliveries])
  const running = jobs.map((job) => runJob(job, { ...dependencies, progress }, stopping.signal))
  const worker = describeWorker(dependencies.command)
  void logBankFindings(logger, rails.banks)
  running.push(keepBeating(worker, { db, logger, progress }, stopping.signal))
  const sender = createSender({ clock, allowsLoopback: allowsLoopbackWebhooks })
  const connectToDatabase = () => connectLane(db.url, 'manilla deliveries')
  const deliverer = new Deliverer({
    db: claimDb,
    countsDb: db,
    connect: connectToDatabase,
    seal,
    clock,
    logger,
    sender,
    onPoll: (hasSucceeded) => progress.record(deliveries.name, hasSucceeded),
  })
  deliverer.start()
  const listener = listenForDeliveries(() => deliverer.wake(), {
    connect: () => connectListener(db.url, 'manilla wake-ups'),
    logger,
  })
  const unsetCourier = setCourier(db.name, deliverer)
  // `npm start` also serves the API, which notifies for the whole process.
  const notifier = dependencies.command === 'work' ? notifyWorkers(db) : undefined
  return {
    progress,
    addMetrics(registry) {
      addJobMetrics(registry, progress)
      addFundMetrics(registry, figures)
      addDeliveryMetrics(registry, deliverer.stats)
      addPoolMetrics(registry, { work: db, claims: claimDb })
    },
    isStopping: () => stopping.signal.aborted,
    async stop() {
      stopping.abort()
      unsetCourier()
      const hasEnded = Promise.all([...running, deliverer.stop()]).then(() => true)
      const isLate = sleep(workLimits.shutdownMs, false, { ref: false })
      if (!(await Promise.race([hasEnded, isLate])))
        logger.warn('some jobs did not stop in time; their rows are picked up at the next start')
      callbackSender.close()
      await sentPayouts.stop()
      await Promise.all([judging.close(), noticeLane.close(), concluding.close()])
      await listener.stop()
      await notifier?.stop()
      await claimDb.close()
      closeMailbox()
      await stopHeartbeat(db, worker).catch((error: unknown) =>
        logger.warn({ err: error }, 'could not record that this worker stopped'),
      )
    },
  }
}
