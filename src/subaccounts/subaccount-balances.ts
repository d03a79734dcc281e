import type { EnvironmentId } from '../base/environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { SubaccountBalance } from './subaccount.js'

const columns = { environmentId: 'int4', id: 'uuid' } as const

type SumsOf = { id: string; kind: string; asset: Asset; balance: bigint; held: bigint }

/** By primary key: the accounts of an environment may be as many as it has sellers. */
const findSums = listStatement<typeof columns, SumsOf>({
  name: 'find_subaccount_balances',
  columns,
  text: (list) => `
    select list.id, wanted.kind, a.asset,
      a.credits_posted - a.debits_posted - a.debits_pending as balance, a.debits_pending as held
    from ${list}
    cross join unnest(array['sub', 'sub_pending', 'sub_owed']) wanted (kind)
    join ledger_accounts a on a.environment_id = list.environment_id
      and a.asset in ('NGN', 'USDC', 'USDT') and a.name = wanted.kind || ':' || list.id`,
})

/** One balance per asset for each sub-account, including unused ones. */
export async function findSubaccountBalances(
  db: Queryable,
  wanted: { environmentId: EnvironmentId; id: string }[],
): Promise<Map<string, SubaccountBalance[]>> {
  const rows = wanted.length === 0 ? [] : await db.rows(findSums(wanted))
  return new Map(
    wanted.map(({ id }) => {
      const own = rows.filter((row) => row.id === id)
      return [id, assetNames.map((asset) => toBalance(own, asset))]
    }),
  )
}

function toBalance(rows: SumsOf[], asset: Asset): SubaccountBalance {
  const of = (kind: string) => rows.find((row) => row.kind === kind && row.asset === asset)
  return {
    asset,
    available: of('sub')?.balance ?? 0n,
    held: of('sub')?.held ?? 0n,
    pending: of('sub_pending')?.balance ?? 0n,
    // Debits: what is owed to the merchant.
    owed: -(of('sub_owed')?.balance ?? 0n),
  }
}
