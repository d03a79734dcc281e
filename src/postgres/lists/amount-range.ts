import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { listLimits } from '../limits.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import { type IdSearch, withinRange } from './filtered-ids.js'

type AmountSearch = {
  /** With an index on (environment_id, asset, amount, id). */
  table: string
  environmentId: EnvironmentId
  /** The condition of that index, if it has one. */
  isIndexed?: Sql
  /** The assets of the amounts. */
  amountAssets?: readonly string[] | undefined
  amountMin?: bigint | undefined
  amountMax?: bigint | undefined
}

/**
 * Rows of a range of amounts are not in the order of time, so they are sorted. Undefined if no
 * range is wanted, or if it has too many rows: then a scan in the order of time finds a page of
 * them soon. `offset 0` makes the planner read the range first, not the whole table in the order
 * of ids.
 */
export async function newestIdsOfAmount(
  db: Queryable,
  search: AmountSearch,
): Promise<IdSearch['newestIds'] | undefined> {
  const { environmentId, isIndexed = sql`true`, amountAssets = [], amountMin, amountMax } = search
  if (amountMin === undefined && amountMax === undefined) return undefined
  const table = sql.raw(search.table)
  const inRange = sql`
    environment_id = ${environmentId} and ${isIndexed} and asset = any (${amountAssets}::text[])
    and amount between ${amountMin ?? 0n} and ${amountMax ?? limits.money.ledgerMax}`
  const [found] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${table} where ${inRange} limit ${listLimits.rowsSortedMax + 1}) t`)
  if (found!.count > listLimits.rowsSortedMax) return undefined
  return (range, limit) => sql`(
    select id from (
      select id from ${table} where ${inRange} ${withinRange(range)} offset 0) t
    order by id desc limit ${sql.raw(String(limit))})`
}
