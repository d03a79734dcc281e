import { strict as assert } from 'node:assert'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isReturn, type Payout, type PayoutStatus } from '../payout.js'

/** What carries a return: its payout or, while its payer has not claimed it, its claim. */
type Carrier = Pick<Payout, 'environmentId' | 'id'>

/** `FAILED` of a claim: it expired or was cancelled. */
type EndedCarrier = { id: string; status: PayoutStatus }

/** Writes what the end of these carriers means for their returns. Awaits nothing. */
type EndReturns = (now: Date, ended: EndedCarrier[]) => void

/**
 * Implemented by `collections/returns/follow-returns.ts`, which owns the returns: payouts do not
 * depend on collections. It locks the returns of these carriers, before any ledger account is
 * locked, and after claims. The returned function changes them in the same transaction, when the
 * carriers have ended.
 */
export type FollowReturns = (tx: Tx, carriers: Carrier[]) => Promise<EndReturns>

/**
 * Calls `follow` for the payouts that are returns, if there are any. A payout whose claim opens
 * again does not end its return: leave it out of what has ended.
 */
export async function lockFollowedReturns(
  tx: Tx,
  payouts: Payout[],
  follow: FollowReturns | undefined,
): Promise<(now: Date, ended: Payout[]) => void> {
  const returns = payouts.filter(isReturn)
  if (returns.length === 0) return () => {}
  assert(follow, 'payouts that return payments need a follower')
  const endReturns = await follow(tx, returns)
  return (now, ended) => endReturns(now, ended.filter(isReturn))
}
