import type { Mode } from '../base/environment.js'
import { listVatRates, vatInSql } from '../ledger/vat-rates.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { Period } from './calendar.js'
import { bucketRows, bucketStart, idPeriodRows } from './period-rows.js'

export type Margin = {
  /** `exchange` for conversions, which no rail carries. */
  rail: string
  asset: Asset
  /** Start of the day in Lagos. */
  day: Date
  /** Kept: without those of transfers that are open, failed or came back. */
  fees: bigint
  /** The part of `fees` that is VAT. */
  vat: bigint
  /** What the provider charged, as far as it is known. */
  providerFees: bigint
  /** Payments and payouts at a provider that did not report what it charged. */
  unknown: number
}

/** The rail of the sandbox bank, which charges nothing. */
const freeBank = 'sandbox-bank'

/**
 * What was earned per rail and day, by when payments, payouts and conversions were made. The sums
 * of all days are the posted balance of the ledger accounts `fees`.
 */
export async function readMargins(db: Queryable, mode: Mode, period: Period): Promise<Margin[]> {
  const rates = (await listVatRates(db)).filter((rate) => rate.mode === mode)
  const vat = vatInSql(rates, { fee: sql`made.fee`, causeId: sql`made.id` })
  return db.rows(sql<Margin>`
    select made.rail, made.asset, ${bucketStart('made.created_at')} as day,
      sum(made.fee)::bigint as fees, sum(${vat})::bigint as vat,
      coalesce(sum(charged.amount), 0)::bigint as provider_fees,
      count(*) filter (where charged.amount is null and made.asset = 'NGN'
        and made.rail not in (${freeBank}, 'exchange'))::int as unknown
    from environments e cross join ${idPeriodRows([period])} cross join ${bucketRows(['day'])}
    cross join lateral (
      select id, rail, asset, fee, created_at from payments
      where environment_id = e.id and id >= first_id and id < end_id
      union all
      select id, rail, asset, case when status = 'COMPLETED' then fee else 0 end, created_at
      from payouts
      where environment_id = e.id and id >= first_id and id < end_id
        and status in ('COMPLETED', 'REVERSED')
      union all
      select id, 'exchange', source_asset, fee, created_at from conversions
      where environment_id = e.id and id >= first_id and id < end_id) made
    left join provider_fees charged
      on charged.environment_id = e.id and charged.cause_id = made.id
    where e.mode = ${mode} and made.created_at >= starts_at and made.created_at < ends_at
    group by made.rail, made.asset, day order by day desc, made.rail, made.asset`)
}
