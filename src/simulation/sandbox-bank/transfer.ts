import { after } from '../../base/clock.js'
import type { AttemptFinding } from '../../payouts/ports.js'
import { column, Table } from '../../postgres/table.js'
import { findMagicAccount, ordinary } from './magic-accounts.js'

export const sandboxTransfers = new Table('sandbox_transfers', {
  reference: column.text(),
  instruction: column.text(),
  amount: column.int8(),
  receivedAt: column.time(),
  isLost: column.bool(),
  /** Null: it stays unknown. */
  ending: column.text<'completed' | 'failed'>().orNull(),
  failureReason: column.text().orNull(),
  endsAt: column.time().orNull(),
  reversesAt: column.time().orNull(),
  /** The ending was reported to a caller, so it is final whatever the clock says. */
  isReported: column.bool(),
  /** The payment that it returns. */
  refundOf: column.text().orNull(),
})

export type NewTransfer = typeof sandboxTransfers.row

/** What the bank will do with a transfer, unless a tester changes it in time. */
export type Plan = Pick<
  NewTransfer,
  'isLost' | 'ending' | 'failureReason' | 'endsAt' | 'reversesAt'
>

export type SandboxTransfer = NewTransfer & {
  /** The reversal was listed, so it is final. */
  isReversalListed: boolean
}

export type TransferState = 'lost' | 'processing' | 'completed' | 'failed' | 'reversed'

export const staysUnknown: Plan = {
  isLost: false,
  ending: null,
  failureReason: null,
  endsAt: null,
  reversesAt: null,
}

/** Plans an order that arrives now, for the first time or again after it was lost. */
export function planTransfer(
  now: Date,
  { accountNumber, isRepeat }: { accountNumber: string; isRepeat: boolean },
): Plan {
  const { isLostAtFirst, endsAfterMs, failureReason, reversesAfterMs } =
    findMagicAccount(accountNumber)?.behaviour ?? ordinary
  if (isLostAtFirst && !isRepeat) return { ...staysUnknown, isLost: true }
  if (endsAfterMs === null) return staysUnknown
  const endsAt = after(now, endsAfterMs)
  return {
    isLost: false,
    ending: failureReason === null ? 'completed' : 'failed',
    failureReason,
    endsAt,
    reversesAt: reversesAfterMs === null ? null : after(endsAt, reversesAfterMs),
  }
}

export function stateOf(transfer: SandboxTransfer, now: Date): TransferState {
  if (transfer.isLost) return 'lost'
  if (transfer.ending === null || !hasEnded(transfer, now)) return 'processing'
  const { isReversalListed, reversesAt } = transfer
  const isReversed = isReversalListed || (reversesAt !== null && reversesAt <= now)
  return isReversed ? 'reversed' : transfer.ending
}

export function hasEnded({ isReported, endsAt }: SandboxTransfer, now: Date): boolean {
  return isReported || (endsAt !== null && endsAt <= now)
}

/**
 * The bank's status of a transfer. An unknown transfer may still land, because its order may arrive
 * later. A reversed one has landed; its reversal is listed separately.
 */
export function findingOf(transfer: SandboxTransfer | undefined, now: Date): AttemptFinding {
  const state = transfer ? stateOf(transfer, now) : 'lost'
  if (state === 'lost') return { state: 'unseen' }
  if (state === 'processing') return { state: 'pending' }
  if (state === 'failed') return { state: 'failed', reason: transfer!.failureReason! }
  return { state: 'landed' }
}
