import { formatDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import type { Difference } from './compare-books.js'
import type { TreasuryBooks } from './treasury-books.js'

/**
 * The chain must hold what came less what left. What is under way may be on either side:
 *
 *   came − coming − left − leaving  ≤  on the chain  ≤  came + arriving − left
 *
 * The chain is read between two readings of the books. All four are sums that begin with the first
 * row, and what has left the chain by then is, in the later reading, spent or open, never given
 * back; so each bound takes from both readings what makes it wide enough for whatever happened
 * between them, and no wider. What sweeps are bringing is read before the later reading: one that
 * ends in between is in both, never in none.
 */
export function compareTreasury(
  asset: Asset,
  held: bigint,
  { before, after, arriving }: { before: TreasuryBooks; after: TreasuryBooks; arriving: bigint },
): Difference[] {
  const least = before.came - before.coming - after.left - after.leaving
  const most = after.came + arriving - before.left
  if (least <= held && held <= most) return []
  const show = (amount: bigint) => formatDecimal(amount, asset)
  const inBooks = least === most ? show(most) : `${show(least)} to ${show(most)}`
  return [{ kind: 'treasury_differs', name: asset, inBooks, atRail: show(held) }]
}
