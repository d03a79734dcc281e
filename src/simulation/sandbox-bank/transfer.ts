import { after } from '../../base/clock.js'
import type { AttemptFinding } from '../../payouts/ports.js'
import { findMagicAccount, ordinary } from './magic-accounts.js'

/** What the bank will do with a transfer, unless a tester changes it in time. */
export type Plan = {
  isLost: boolean
  /** Null: it stays unknown. */
  ending: 'completed' | 'failed' | null
  failureReason: string | null
  endsAt: Date | null
  reversesAt: Date | null
}

export type SandboxTransfer = Plan & {
  reference: string
  paymentOrder: string
  amount: bigint
  receivedAt: Date
  /** The ending was reported to a caller, so it is final whatever the clock says. */
  isReported: boolean
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
