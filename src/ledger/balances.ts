import { sql } from 'kysely'
import type { EnvironmentId } from '../environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import type { Reader } from '../postgres/tx.js'

/**
 * What a merchant may spend, what open payouts have set aside, what came and is not decided yet.
 */
export type Balance = { asset: Asset; available: bigint; held: bigint; pending: bigint }

/** One balance per asset, also for those that were never used. */
export async function listBalances(db: Reader, environmentId: EnvironmentId): Promise<Balance[]> {
  const rows = await db.rows(sql<Balance>`
    select asset,
      coalesce(max(credits_posted - debits_posted - debits_pending)
        filter (where name = 'available'), 0) as available,
      coalesce(max(debits_pending) filter (where name = 'available'), 0) as held,
      coalesce(max(credits_posted - debits_posted) filter (where name = 'suspense'), 0) as pending
    from ledger_accounts where environment_id = ${environmentId} group by asset`)
  return assetNames.map(
    (asset) =>
      rows.find((row) => row.asset === asset) ?? { asset, available: 0n, held: 0n, pending: 0n },
  )
}
