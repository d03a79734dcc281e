import { strict as assert } from 'node:assert'
import type { Tx } from '../postgres/tx.js'
import { isReturn, type Payout } from './payout.js'

/**
 * Notifies the owner of returns (collections) when they end, in the same transaction. The first
 * call locks its rows, before the ledger accounts are locked; the function it returns writes.
 */
export type FollowReturns = (
  tx: Tx,
  payouts: Payout[],
) => Promise<(now: Date, ended: Payout[]) => void>

export async function lockFollowedReturns(
  tx: Tx,
  payouts: Payout[],
  follow: FollowReturns | undefined,
): Promise<(now: Date, ended: Payout[]) => void> {
  const returns = payouts.filter(isReturn)
  if (returns.length === 0) return () => {}
  assert(follow, 'payouts that return payments need a follower')
  const notify = await follow(tx, returns)
  return (now, ended) => notify(now, ended.filter(isReturn))
}
