import { after, type Clock, pauseAfter } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { bookReversal } from '../../payouts/attempts/follow-reversals.js'
import { findEndedAttempts, pollPayoutNow, storeSession } from '../../payouts/attempts/poll-now.js'
import type { LiveAttempt } from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, whileLeased } from '../../postgres/due.js'
import { rejectPayment } from '../payments/reject-payment.js'
import type { BankRail, ConfirmedPayment } from '../ports.js'
import { followReturns } from '../returns/follow-returns.js'
import type { JudgingLane, NoticeLane } from './notice-lanes.js'
import {
  endHint,
  type HintRow,
  hintsDue,
  postponeHint,
  type StoredHint,
  toStoredHint,
} from './store-hints.js'

export type ConfirmTools = {
  db: Database
  rail: BankRail
  clock: Clock
  logger: Logger
  notices: Pick<NoticeLane, 'run'>
  judging: Pick<JudgingLane, 'run'>
}

/**
 * Queries the bank's API about a notice and books the answer. An amount in the notice itself is
 * never trusted. A hint that the bank cannot confirm yet is retried at growing intervals; payments
 * that it never confirms are found by listing the bank's payments.
 */
export async function confirmHint(tools: ConfirmTools, hint: StoredHint): Promise<void> {
  const { about } = hint
  if (about.subject === 'payout') return confirmPayout(tools, hint, about)
  await conclude(tools, hint, await tools.rail.confirmPayment(about.key))
}

/**
 * A worker polls an open payout. A completed one may have been reversed after the days for which a
 * worker lists reversals.
 */
async function confirmPayout(
  tools: ConfirmTools,
  hint: StoredHint,
  { reference, sessionId = null }: { reference: string; sessionId?: string | null },
): Promise<void> {
  const { db, rail, clock, logger } = tools
  const name = { rail: rail.name, reference }
  if (sessionId !== null) await storeSession(db, name, sessionId)
  await pollPayoutNow(db, clock.now(), name)
  const { landed, failed } = await findEndedAttempts(db, name)
  if (failed) await reportIfLanded(tools, failed)
  if (landed) {
    const [finding] = await rail.check([landed])
    const { state } = finding!
    if (state !== 'landed' && state !== 'failed') return retryOrDrop(tools, hint)
    if (state === 'failed')
      await bookReversal({ db, logger, follow: followReturns }, clock.now(), {
        rail: rail.name,
        id: landed.payoutId,
      })
  }
  await endHint(db, hint, { state: 'CONFIRMED', reason: null })
}

/** Money has left for a payout whose money is back in the balance: an operator must decide. */
async function reportIfLanded({ rail, logger }: ConfirmTools, failed: LiveAttempt): Promise<void> {
  const [finding] = await rail.check([failed])
  if (finding?.state === 'landed')
    logger.error(
      { rail: rail.name, reference: failed.reference },
      'bank completed a payout that is FAILED in the books',
    )
}

async function conclude(
  tools: ConfirmTools,
  hint: StoredHint,
  confirmed: ConfirmedPayment,
): Promise<void> {
  const { db, clock, logger, notices, judging } = tools
  const { rail, mode } = hint
  switch (confirmed.found) {
    case 'payment': {
      const { payment } = confirmed
      const notice = { rail, mode, id: payment.id, reported: payment, body: null }
      const { isJudged } = await notices.run(notice)
      if (!isJudged) await judging.run({ rail, mode, id: payment.id })
      await endHint(db, hint, { state: 'CONFIRMED', reason: null })
      return
    }
    case 'rejected': {
      const { railAccount } = confirmed
      const rejected = await rejectPayment(db, clock.now(), hint, confirmed)
      logger.warn(
        { rail, id: hint.id, railAccount, rejected },
        'bank sent a payment back to its payer',
      )
      return
    }
    case 'nothing':
      await endHint(db, hint, { state: 'DROPPED', reason: 'not a payment' })
      return
    case 'unknown':
      return retryOrDrop(tools, hint)
  }
}

async function retryOrDrop({ db, clock }: ConfirmTools, hint: StoredHint): Promise<void> {
  const { hintAttemptsMax, hintRetryMs, hintRetryMaxMs } = limits.banks
  if (hint.attempts >= hintAttemptsMax) {
    await endHint(db, hint, { state: 'DROPPED', reason: 'not confirmed by the bank' })
    return
  }
  const pauseMs = pauseAfter(hint.attempts, { retryMs: hintRetryMs, retryMaxMs: hintRetryMaxMs })
  await postponeHint(db, hint, after(clock.now(), pauseMs))
}

/** Confirms due hints of a bank. Returns how many. */
export async function confirmDueHints(tools: ConfirmTools, now: Date): Promise<number> {
  const { hintsPerBatchMax: limit, hintFailureRetryMs } = limits.banks
  const owner = tools.rail.name
  const rows = await claimDue<HintRow>(tools.db, hintsDue, { owner, now, limit })
  if (rows.length === 0) return 0
  const postpone = (row: HintRow) =>
    postponeHint(tools.db, row, after(tools.clock.now(), hintFailureRetryMs)).catch(() => {})
  const confirm = (row: HintRow) =>
    confirmHint(tools, toStoredHint(row)).catch(async (error) => {
      tools.logger.error({ err: error, id: row.id }, 'hint could not be confirmed, will retry')
      await postpone(row)
    })
  await whileLeased(tools, hintsDue, { owner, now }, () => Promise.all(rows.map(confirm)))
  return rows.length
}
