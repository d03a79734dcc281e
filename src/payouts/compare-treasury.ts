import { sql } from 'kysely'
import type { Mode } from '../environment.js'
import { formatDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import type { Reader } from '../postgres/tx.js'
import type { Difference } from './compare-books.js'

/** The treasury of a mode in the books, summed over its environments. */
export type TreasuryBooks = {
  /** What came in, ever: debits posted to `treasury`. */
  came: bigint
  /** Of that, test coins that may not have been minted yet: open backings. */
  coming: bigint
  /** What went out for certain, ever: credits posted. Fees stay in the treasury. */
  left: bigint
  /** What open payouts will take, if they have not: credits pending. */
  leaving: bigint
}

export async function readTreasuryBooks(
  db: Reader,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<TreasuryBooks> {
  const [row] = await db.rows(sql<TreasuryBooks>`
    select coalesce(sum(a.debits_posted), 0)::bigint as came,
      coalesce(sum(a.credits_posted), 0)::bigint as left,
      coalesce(sum(a.credits_pending), 0)::bigint as leaving,
      (select coalesce(sum(b.amount), 0)::bigint from coin_backings b
        join environments e on e.id = b.environment_id
        where not b.is_minted and e.mode = ${mode} and b.asset = ${asset}) as coming
    from ledger_accounts a join environments e on e.id = a.environment_id
    where e.mode = ${mode} and a.asset = ${asset} and a.name = 'treasury'`)
  return row!
}

/**
 * The chain must hold what came less what left. What is under way may be on either side:
 *
 *   came − coming − left − leaving  ≤  on the chain  ≤  came − left
 *
 * The chain is read between two readings of the books. All four are sums that begin with the first
 * row, and what has left the chain by then is, in the later reading, spent or open, never given
 * back; so each bound takes from both readings what makes it wide enough for whatever happened
 * between them, and no wider.
 */
export function compareTreasury(
  asset: Asset,
  held: bigint,
  { before, after }: { before: TreasuryBooks; after: TreasuryBooks },
): Difference[] {
  const least = before.came - before.coming - after.left - after.leaving
  const most = after.came - before.left
  if (least <= held && held <= most) return []
  const show = (amount: bigint) => formatDecimal(amount, asset)
  const inBooks = least === most ? show(most) : `${show(least)} to ${show(most)}`
  return [{ kind: 'treasury_differs', name: asset, inBooks, atRail: show(held) }]
}
