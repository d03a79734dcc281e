import { strict as assert } from 'node:assert'
import type { Tx } from '../postgres/tx.js'
import { isReturn, type Payout } from './payout.js'

/**
 * Who has money sent back hears of every end of it, in the same transaction. It locks its own rows
 * when asked, before the ledger's accounts are locked, and writes when told.
 */
export type FollowReturns = (
  tx: Tx,
  payouts: Payout[],
) => Promise<(now: Date, ended: Payout[]) => void>

/** For a list that may hold no returns at all; then nobody needs to listen. */
export async function findOwners(
  tx: Tx,
  payouts: Payout[],
  follow: FollowReturns | undefined,
): Promise<(now: Date, ended: Payout[]) => void> {
  const returns = payouts.filter(isReturn)
  if (returns.length === 0) return () => {}
  assert(follow, 'whoever returns payments hears of their end')
  const tell = await follow(tx, returns)
  return (now, ended) => tell(now, ended.filter(isReturn))
}
