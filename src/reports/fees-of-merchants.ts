import type { EnvironmentId, Mode } from '../base/environment.js'
import { listVatRates } from '../ledger/vat-rates.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { Period } from './calendar.js'
import { type EntrySum, entryLines } from './entries.js'
import { type Fees, kindsOfFees, subaccountFeeLines, sumFees } from './fees.js'

export type MerchantFees = Fees & { merchantId: string; merchantName: string; asset: Asset }

type Row = Omit<EntrySum, 'start'> &
  Pick<MerchantFees, 'merchantId' | 'merchantName' | 'asset'> & { environmentId: EnvironmentId }

/**
 * The fees of every merchant in whole days, by when they are on its statement and on those of its
 * sub-accounts.
 */
export async function readFeesOfMerchants(
  db: Queryable,
  mode: Mode,
  { from, to }: Period,
): Promise<MerchantFees[]> {
  const rates = (await listVatRates(db)).filter((rate) => rate.mode === mode)
  const purposes = Object.keys(kindsOfFees)
  const own = sql`environment_id = e.id and asset = a.asset
    and entry_number > coalesce(p.last_number, 0)`
  const ofSubaccounts = sql`environment_id = e.id and asset = a.asset
    and created_at >= ${from} and created_at < ${to}`
  const rows = await db.rows(sql<Row>`
    select e.id as environment_id, e.merchant_id, m.display_name as merchant_name, sums.asset,
      sums.purpose, sums.effect, sum(sums.amount)::bigint as amount, sum(sums.vat)::bigint as vat
    from environments e join merchants m on m.id = e.merchant_id
    cross join lateral (
      select asset, purpose, effect, amount, vat from report_entries
      where environment_id = e.id and bucket = 'day' and bucket_start >= ${from}
        and bucket_start < ${to} and purpose = any(${purposes})
      union all
      select a.asset, live.purpose, live.effect, live.amount, live.vat
      from ledger_accounts a
      left join report_entry_progress p on p.environment_id = e.id and p.asset = a.asset
      cross join lateral (${entryLines(own, rates)}) live
      where a.environment_id = e.id and a.name = 'available' and live.created_at >= ${from}
        and live.created_at < ${to} and live.purpose = any(${purposes})
      union all
      select a.asset, paid.purpose, paid.effect, paid.amount, paid.vat
      from ledger_accounts a
      cross join lateral (${subaccountFeeLines(ofSubaccounts, rates)}) paid
      where a.environment_id = e.id and a.name = 'available') sums
    where e.mode = ${mode}
    group by e.id, e.merchant_id, m.display_name, sums.asset, sums.purpose, sums.effect
    order by m.display_name, e.id, sums.asset`)
  const byBalance = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row.environmentId}/${row.asset}`
    const found = byBalance.get(key)
    if (found) found.push(row)
    else byBalance.set(key, [row])
  }
  return [...byBalance.values()].map((found) => {
    const { merchantId, merchantName, asset } = found[0]!
    return { merchantId, merchantName, asset, ...sumFees(found) }
  })
}
