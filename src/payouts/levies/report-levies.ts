import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { levyDebitsOf } from './store-levies.js'

/** Levies of one rail and month, in kobo. */
export type LevyMonth = {
  mode: Mode
  rail: string
  /** Such as 2026-01, in Lagos. */
  month: string
  /** Transfers with a levy that completed. */
  transfers: number
  /** Levies of these transfers. */
  levied: bigint
  /** Returned to merchants in this month, because the bank reversed their transfers. */
  reversed: bigint
  /** The part of `levied` less `reversed` that the provider debited, as an operator set it. */
  taken: bigint
  /** The rest: owed to the state by the operator. */
  owed: bigint
}

/** Newest month first. The sum of `taken` and `owed` is the ledger account `levies`. */
export function reportLevies(db: Queryable, mode: Mode | undefined): Promise<LevyMonth[]> {
  const lines = sql`
    select p.environment_id, p.rail, p.submitted_at, change.at, change.levied, change.reversed
    from payouts p cross join lateral (
      values (p.completed_at, p.levy, 0::bigint), (p.reversed_at, 0::bigint, p.levy)
    ) change (at, levied, reversed)
    where p.levy > 0 and change.at is not null`
  return db.rows(sql<LevyMonth>`
    select mode, rail, month, count(*) filter (where levied > 0)::int as transfers,
      sum(levied)::int8 as levied, sum(reversed)::int8 as reversed,
      coalesce(sum(levied - reversed) filter (where debits <> 'no'), 0)::int8 as taken,
      coalesce(sum(levied - reversed) filter (where debits = 'no'), 0)::int8 as owed
    from (
      select e.mode, l.rail, l.levied, l.reversed,
        to_char(l.at at time zone 'Africa/Lagos', 'YYYY-MM') as month,
        ${levyDebitsOf(sql`l.rail`, sql`l.submitted_at`)} as debits
      from (${lines}) l join environments e on e.id = l.environment_id
      ${mode === undefined ? sql`` : sql`where e.mode = ${mode}`}) months
    group by mode, rail, month order by month desc, mode, rail
    limit ${limits.operator.rowsListedMax}`)
}
