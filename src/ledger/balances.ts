import type { EnvironmentId } from '../base/environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import { listStatement } from '../postgres/statement.js'
import { gather } from '../postgres/transactions/gather.js'
import type { Queryable } from '../postgres/transactions/tx.js'

/**
 * `held` is reserved by open payouts; `pending` is received and not decided yet. Money that goes
 * back to the sender is in neither: it leaves `pending` when the return is decided, although a
 * worker holds it in suspense only when it sends the return.
 */
export type Balance = { asset: Asset; available: bigint; held: bigint; pending: bigint }

/** One balance per asset, including unused ones. */
export async function listBalances(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Balance[]> {
  return addUnusedAssets(await listBalancesOf(db, [environmentId]))
}

/**
 * Reads what `listBalances` reads; calls that arrive together share a query, and those of one
 * environment also share what `show` returns.
 */
export function createBalanceReader<Shown>(db: Queryable, show: (balances: Balance[]) => Shown) {
  return gather(async (environmentIds: EnvironmentId[]) => {
    const used = new Map<EnvironmentId, Balance[]>(environmentIds.map((id) => [id, []]))
    for (const row of await listBalancesOf(db, [...used.keys()]))
      used.get(row.environmentId)!.push(row)
    const shown = new Map<EnvironmentId, Shown>()
    for (const [id, balances] of used) shown.set(id, show(addUnusedAssets(balances)))
    return environmentIds.map((id) => shown.get(id)!)
  })
}

function addUnusedAssets(used: Balance[]): Balance[] {
  return assetNames.map((asset) => {
    const row = used.find((balance) => balance.asset === asset)
    return {
      asset,
      available: row?.available ?? 0n,
      held: row?.held ?? 0n,
      pending: row?.pending ?? 0n,
    }
  })
}

type BalanceOf = Balance & { environmentId: EnvironmentId }

const columns = { environmentId: 'int4' } as const

const findBalances = listStatement<typeof columns, BalanceOf>({
  name: 'list_balances',
  columns,
  text: (list) => `
    select a.environment_id, a.asset,
      coalesce(max(a.credits_posted - a.debits_posted - a.debits_pending)
        filter (where a.name = 'available'), 0) as available,
      coalesce(max(a.debits_pending) filter (where a.name = 'available'), 0) as held,
      coalesce(max(case when a.name = 'suspense' then
        a.credits_posted - a.debits_posted - a.debits_pending - coalesce((
          select sum(r.amount)::int8 from payment_returns r
          where r.environment_id = a.environment_id and r.asset = a.asset
            and r.state = 'WAITING'), 0) end), 0) as pending
    from ${list} join ledger_accounts a on a.environment_id = list.environment_id
      and a.asset in ('NGN', 'USDC', 'USDT') and a.name in ('available', 'suspense')
    group by a.environment_id, a.asset`,
})

/** The balances of many environments, without unused assets. */
export async function listBalancesOf(
  db: Queryable,
  environmentIds: EnvironmentId[],
): Promise<BalanceOf[]> {
  return db.rows(findBalances(environmentIds.map((id) => ({ environmentId: id }))))
}
