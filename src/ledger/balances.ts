import type { EnvironmentId } from '../base/environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'

/** `held` is reserved by open payouts; `pending` is received but not accepted yet. */
export type Balance = { asset: Asset; available: bigint; held: bigint; pending: bigint }

/** One balance per asset, including unused ones. */
export async function listBalances(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Balance[]> {
  const rows = await listBalancesOf(db, [environmentId])
  return assetNames.map((asset) => {
    const row = rows.find((one) => one.asset === asset)
    const { available = 0n, held = 0n, pending = 0n } = row ?? {}
    return { asset, available, held, pending }
  })
}

/** The balances of many environments, without unused assets. */
export async function listBalancesOf(
  db: Queryable,
  environmentIds: EnvironmentId[],
): Promise<(Balance & { environmentId: EnvironmentId })[]> {
  return db.rows(sql<Balance & { environmentId: EnvironmentId }>`
    select environment_id as "environmentId", asset,
      coalesce(max(credits_posted - debits_posted - debits_pending)
        filter (where name = 'available'), 0) as available,
      coalesce(max(debits_pending) filter (where name = 'available'), 0) as held,
      coalesce(max(credits_posted - debits_posted) filter (where name = 'suspense'), 0) as pending
    from ledger_accounts where environment_id = any(${environmentIds})
    group by environment_id, asset`)
}
