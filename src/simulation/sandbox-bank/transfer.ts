import { after } from '../../base/clock.js'
import type { Finding } from '../../payouts/ports.js'
import { findMagicAccount, ordinary } from './magic-accounts.js'

/** What the bank will do with a transfer, unless it is told otherwise in time. */
export type Plan = {
  isLost: boolean
  /** Null: it stays unknown for ever. */
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
  /** Somebody was told how it ended, so that it ended for good, whatever a clock says. */
  isTold: boolean
  /** Its reversal was listed, so that it is reversed for good. */
  isListed: boolean
}

export type TransferState = 'lost' | 'processing' | 'completed' | 'failed' | 'reversed'

/** Nothing is known and nothing will happen by itself. */
export const unknownForEver: Plan = {
  isLost: false,
  ending: null,
  failureReason: null,
  endsAt: null,
  reversesAt: null,
}

/** What becomes of an order that arrives now, for the first time or again after it was lost. */
export function planTransfer(
  now: Date,
  { accountNumber, isAgain }: { accountNumber: string; isAgain: boolean },
): Plan {
  const { isLostAtFirst, endsAfterMs, failureReason, reversesAfterMs } =
    findMagicAccount(accountNumber)?.behaviour ?? ordinary
  if (isLostAtFirst && !isAgain) return { ...unknownForEver, isLost: true }
  if (endsAfterMs === null) return unknownForEver
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
  const { isListed, reversesAt } = transfer
  const isReversed = isListed || (reversesAt !== null && reversesAt <= now)
  return isReversed ? 'reversed' : transfer.ending
}

export function hasEnded({ isTold, endsAt }: SandboxTransfer, now: Date): boolean {
  return isTold || (endsAt !== null && endsAt <= now)
}

/**
 * What the bank answers when asked. A transfer that it does not know may still land, because the
 * order may turn up; one that was reversed did land, and its reversal is listed on its own.
 */
export function findingOf(transfer: SandboxTransfer | undefined, now: Date): Finding {
  const state = transfer ? stateOf(transfer, now) : 'lost'
  if (state === 'lost') return { state: 'unseen' }
  if (state === 'processing') return { state: 'pending' }
  if (state === 'failed') return { state: 'failed', reason: transfer!.failureReason! }
  return { state: 'landed' }
}
