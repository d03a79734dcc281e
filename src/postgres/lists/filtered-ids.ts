import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { listLimits } from '../limits.js'
import { named } from '../named.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import { newestRows, type RowSearch } from './newest-rows.js'

/** Ids hold the time, so a range of ids is a range of time. */
export type IdRange = {
  /** Inclusive. */
  from: string | undefined
  before: string | undefined
}

export type TimeRange = { from?: Date | undefined; to?: Date | undefined }

/** `beforeId` is where the previous page ended. */
export function toIdRange({ from, to }: TimeRange, beforeId: string | undefined): IdRange {
  const end = to && firstIdAt(to)
  return {
    from: from && firstIdAt(from),
    before: end !== undefined && (beforeId === undefined || end < beforeId) ? end : beforeId,
  }
}

/** Conditions on a column of ids; empty if there are none. */
export function withinRange({ from, before }: IdRange, column = 'id'): Sql {
  const name = sql.raw(column)
  return sql`
    ${from === undefined ? sql`` : sql`and ${name} >= ${from}::uuid`}
    ${before === undefined ? sql`` : sql`and ${name} < ${before}::uuid`}`
}

export type IdSearch = {
  /** Starts the names of the prepared statements. */
  name: string
  table: string
  environmentId: EnvironmentId
  /** A FROM item with the newest `limit` ids in the range, read in the order of an index. */
  newestIds: (range: IdRange, limit: number) => Sql
  /** Conditions on the table `t` that this index does not serve. */
  conditions: Sql[]
  range: IdRange
}

/** Reads the ids in the order of an index that ends with the id. */
export function idsByIndex({
  table,
  environmentId,
  where = sql`true`,
  columns,
}: Pick<RowSearch, 'table' | 'environmentId' | 'where' | 'columns'>): IdSearch['newestIds'] {
  return (range, limit) =>
    newestRows({
      table,
      environmentId,
      where,
      columns,
      order: [{ name: 'id', type: 'uuid' }],
      before: range.before === undefined ? undefined : [range.before],
      from: range.from,
      limit,
    })
}

/** Reads those of a few ids that exist. */
export function knownIds(
  { table, environmentId }: Pick<RowSearch, 'table' | 'environmentId'>,
  ids: string[],
): IdSearch['newestIds'] {
  return (range) => sql`(
    select id from ${sql.raw(table)}
    where environment_id = ${environmentId} and id = any (${ids}::uuid[]) ${withinRange(range)})`
}

export type IdPage = {
  /** Newest first. */
  ids: string[]
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

type Scan = { ids: string[]; scanned: number; scanEnd: string | null }

/**
 * The newest rows that pass all conditions. Reads a bounded number of rows: where few rows pass, a
 * page may be short or empty and still have a next one.
 */
export async function findPageOfIds(
  db: Queryable,
  search: IdSearch,
  limit: number,
): Promise<IdPage> {
  const { rowsOfFirstScan, rowsPerScan: rowsOfOthers, scansPerPageMax } = listLimits
  const isFiltered = search.conditions.length > 0
  const ids: string[] = []
  let { range } = search
  for (let scans = 0; scans < scansPerPageMax; scans += 1) {
    const rowsFiltered = scans === 0 ? rowsOfFirstScan : rowsOfOthers
    const rowsOfPage = roundedRows(limit + 1)
    const rowsPerScan = isFiltered ? Math.max(rowsFiltered, rowsOfPage) : rowsOfPage
    const wanted = limit + 1 - ids.length
    const found = await scan(db, { ...search, range }, { rowsPerScan, wanted })
    ids.push(...found.ids)
    if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] }
    if (found.scanned < rowsPerScan) return { ids, next: undefined }
    range = { ...range, before: found.scanEnd! }
  }
  return { ids, next: range.before }
}

const { pageSizeDefault, pageSizeMax, csvRowsPerRead } = limits.http
const usualRows = [pageSizeDefault, pageSizeMax, csvRowsPerRead].map((size) => size + 1)

/** Few different numbers, which are literals: each is a statement of its own. */
function roundedRows(rows: number): number {
  return usualRows.find((one) => one >= rows) ?? rows
}

async function scan(
  db: Queryable,
  search: IdSearch,
  { rowsPerScan, wanted }: { rowsPerScan: number; wanted: number },
): Promise<Scan> {
  const [found] = await db.rows(
    named(
      search.name,
      sql<Scan>`
        with ${scanOf(search, rowsPerScan)}
        select array(select id::text from passed order by id desc limit ${wanted}) as ids,
          (select count(*)::int from scanned) as scanned,
          (select id from scanned order by id limit 1) as scan_end`,
    ),
  )
  return found!
}

/**
 * The OFFSET keeps the inner query apart, so that it reads each row by its key. A join's plan for
 * any values would expect few rows between two amounts, and read all of them by amount.
 */
function scanOf(search: IdSearch, rows: number): Sql {
  const { table, environmentId, newestIds, conditions, range } = search
  const passed =
    conditions.length === 0
      ? sql`select id from scanned`
      : sql`
          select t.id from scanned
          cross join lateral (
            select t.id from ${sql.raw(table)} t
            where t.environment_id = ${environmentId} and t.id = scanned.id
              and ${sql.join(conditions, sql` and `)}
            offset 0) t`
  return sql`
    scanned as materialized (
      select found.id from ${newestIds(range, rows)} found
      order by found.id desc limit ${sql.raw(String(rows))}),
    passed as (${passed})`
}

export type Count = { count: number; isComplete: boolean }

/** How many rows pass; not complete if there are more than are counted. */
export async function countIds(db: Queryable, search: IdSearch): Promise<Count> {
  const { countMax, rowsCountedMax } = listLimits
  const rows = search.conditions.length > 0 ? rowsCountedMax : countMax + 1
  const [found] = await db.rows(
    named(
      `${search.name}_count`,
      sql<{ count: number; scanned: number }>`
        with ${scanOf(search, rows)}
        select (select count(*)::int from (select from passed limit ${countMax + 1}) p) as count,
          (select count(*)::int from scanned) as scanned`,
    ),
  )
  const { count, scanned } = found!
  return { count: Math.min(count, countMax), isComplete: count <= countMax && scanned < rows }
}
