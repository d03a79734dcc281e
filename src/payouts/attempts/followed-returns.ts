import { strict as assert } from 'node:assert'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isReturn, type Payout } from '../payout.js'

/** Writes what the end of these payouts means for their returns. Awaits nothing. */
type EndReturns = (now: Date, ended: Payout[]) => void

/**
 * Implemented by `collections/returns/follow-returns.ts`, which owns the returns: payouts do not
 * depend on collections. It locks the returns of these payouts, before any ledger account is
 * locked. The returned function changes them in the same transaction, when the payouts have ended.
 */
export type FollowReturns = (tx: Tx, payouts: Payout[]) => Promise<EndReturns>

/** Calls `follow` for the payouts that are returns, if there are any. */
export async function lockFollowedReturns(
  tx: Tx,
  payouts: Payout[],
  follow: FollowReturns | undefined,
): Promise<EndReturns> {
  const returns = payouts.filter(isReturn)
  if (returns.length === 0) return () => {}
  assert(follow, 'payouts that return payments need a follower')
  const endReturns = await follow(tx, returns)
  return (now, ended) => endReturns(now, ended.filter(isReturn))
}
