import { sql } from 'kysely'
import type { Mode } from '../environment.js'
import type { Asset } from '../money/assets.js'
import type { Reader } from '../postgres/tx.js'

/**
 * What of the hot wallet of a mode is spoken for: what open payouts will take, less coins that are
 * on their way into it.
 */
export async function readOpenAmount(
  db: Reader,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<bigint> {
  const [row] = await db.rows(sql<{ open: bigint; coming: bigint }>`
    select
      (select coalesce(sum(a.credits_pending), 0)::bigint from ledger_accounts a
        join environments e on e.id = a.environment_id
        where e.mode = ${mode} and a.asset = ${asset} and a.name = 'treasury') as open,
      (select coalesce(sum(b.amount), 0)::bigint from coin_backings b
        join environments e on e.id = b.environment_id
        where not b.is_minted and e.mode = ${mode} and b.asset = ${asset}) as coming`)
  return row!.open - row!.coming
}
