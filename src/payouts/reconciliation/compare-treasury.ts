import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { Difference } from './compare-books.js'
import type { TreasuryBooks } from './treasury-books.js'

/**
 * The chain must hold what was received less what was sent. Money in motion may count or not:
 *
 *   received − unminted − sent − reserved  ≤  on the chain  ≤  received + arriving − sent
 *
 * The chain is read between two readings of the books, `before` and `after`. Received and sent only
 * grow, and what has left the chain by then is sent or reserved in `after`, never released. So each
 * bound uses the readings that allow for everything that can happen in between, and no more.
 * `arriving` (sweeps in progress) is read before `after`: a sweep that ends in between is in both.
 */
export function compareTreasury(
  asset: Asset,
  held: bigint,
  { before, after, arriving }: { before: TreasuryBooks; after: TreasuryBooks; arriving: bigint },
): Difference[] {
  const least = before.received - before.unminted - after.sent - after.reserved
  const most = after.received + arriving - before.sent
  if (least <= held && held <= most) return []
  const show = (amount: bigint) => formatMoney(amount, asset)
  const inBooks = least === most ? show(most) : `${show(least)} to ${show(most)}`
  return [{ kind: 'treasury_differs', name: asset, inBooks, atRail: show(held) }]
}
