import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { formatMoney } from '../money/amounts.js'
import { type Asset, assets } from '../money/assets.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { Book } from './book.js'
import { lockForAll, moveWith } from './move.js'
import type { Moved, Movement } from './movement.js'

export type Funding = {
  id: string
  environmentId: EnvironmentId
  asset: Asset
  amount: bigint
  purpose: 'test_funding' | 'operator_credit'
}

export function lockForFunding(tx: Tx, fundings: Funding[]): Promise<Book> {
  return lockForAll(tx, fundings.map(toMovement))
}

/** Credits available balances against clearing or treasury. */
export async function fundAll(
  tx: Tx,
  now: RealTime,
  fundings: Funding[],
  locked = lockForFunding(tx, fundings),
): Promise<Outcome<Moved>[]> {
  const outcomes = moveWith(tx, now, await locked, fundings.map(toMovement))
  return outcomes.map((outcome, index) => (outcome.isMoved ? outcome : tooLarge(fundings[index]!)))
}

function toMovement({ id, environmentId, asset, amount, purpose }: Funding): Movement {
  const lines = [{ debit: assets[asset].holder, credit: 'available' as const, amount, purpose }]
  return { environmentId, asset, causeId: id, isHold: false, lines }
}

/** The only possible refusal: the debited account may be overdrawn. */
function tooLarge({ asset, amount }: Funding): Refusal {
  return new Refusal('balance_funding_failed', {
    reason: 'balance_limit',
    message:
      `Adding ${formatMoney(amount, asset)} would exceed the largest balance. ` +
      'Use a smaller amount.',
  })
}
