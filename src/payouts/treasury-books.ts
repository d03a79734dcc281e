import { sql } from 'kysely'
import type { Mode } from '../environment.js'
import type { Asset } from '../money/assets.js'
import type { Reader } from '../postgres/tx.js'

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
 * What of the hot wallet of a mode is spoken for: what open payouts will take, less coins that are
 * on their way into it.
 */
export async function readOpenAmount(
  db: Reader,
  which: { mode: Mode; asset: Asset },
): Promise<bigint> {
  const { leaving, coming } = await readTreasuryBooks(db, which)
  return leaving - coming
}
