import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { formatNaira } from '../money/amounts.js'
import { pollPayoutNow } from '../payouts/poll-now.js'
import type { Database } from '../postgres/database.js'
import { claimDue } from '../postgres/due.js'
import type { JudgingLane, NoticeLane } from './notice-lanes.js'
import type { CollectionRail, ConfirmedPayment } from './ports.js'
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
  rail: CollectionRail
  clock: Clock
  logger: Logger
  notices: Pick<NoticeLane, 'run'>
  judging: Pick<JudgingLane, 'run'>
}

/**
 * Asks the bank what a notice was about, and books what it says. The notice itself is never
 * trusted with an amount. A hint that the bank cannot confirm yet is tried again, less and less
 * often; payments that it never confirms are found by listing the bank's payments.
 */
export async function confirmHint(tools: ConfirmTools, hint: StoredHint): Promise<void> {
  const { db, rail, clock } = tools
  const { about } = hint
  if (about.subject === 'payout') {
    await pollPayoutNow(db, clock.now(), { rail: rail.name, reference: about.reference })
    return endHint(db, hint, { state: 'CONFIRMED', reason: null })
  }
  const confirmed = await rail.confirmPayment(about.key)
  await conclude(tools, hint, confirmed)
}

async function conclude(
  { db, clock, logger, notices, judging }: ConfirmTools,
  hint: StoredHint,
  confirmed: ConfirmedPayment,
): Promise<void> {
  const { rail, mode } = hint
  switch (confirmed.found) {
    case 'payment': {
      const { payment } = confirmed
      const notice = { rail, mode, id: payment.id, reported: payment, body: null }
      const { isJudged } = await notices.run(notice)
      if (!isJudged) await judging.run({ rail, mode, id: payment.id })
      return endHint(db, hint, { state: 'CONFIRMED', reason: null })
    }
    case 'rejected': {
      const { railAccount, amount, reason } = confirmed
      const shown = amount === null ? 'a payment' : formatNaira(amount)
      const into = railAccount === null ? '' : ` into ${railAccount}`
      const text = `${shown}${into}: ${reason}`
      logger.warn({ rail, id: hint.id, rejected: text }, 'bank sent a payment back to its payer')
      return endHint(db, hint, { state: 'REJECTED', reason: text })
    }
    case 'nothing':
      return endHint(db, hint, { state: 'DROPPED', reason: 'not a payment' })
    case 'unknown': {
      const { hintAttemptsMax, hintRetryMs, hintRetryMaxMs } = limits.banks
      if (hint.attempts >= hintAttemptsMax)
        return endHint(db, hint, { state: 'DROPPED', reason: 'not confirmed by the bank' })
      const pauseMs = Math.min(hintRetryMs * 2 ** hint.attempts, hintRetryMaxMs)
      return postponeHint(db, hint, after(clock.now(), pauseMs))
    }
  }
}

/** Confirms due hints of a bank. Returns how many. */
export async function confirmDueHints(tools: ConfirmTools, now: Date): Promise<number> {
  const { hintLeaseMs: leaseMs, hintsPerBatchMax: limit } = limits.banks
  const owner = tools.rail.name
  const rows = await claimDue<HintRow>(tools.db, hintsDue, { owner, now, leaseMs, limit })
  await Promise.all(
    rows.map((row) =>
      confirmHint(tools, toStoredHint(row)).catch((error) => {
        tools.logger.error({ err: error, id: row.id }, 'hint could not be confirmed, will retry')
      }),
    ),
  )
  return rows.length
}
