import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { listLimits } from '../limits.js'
import { named } from '../named.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import { type KeyRange, toIdRange, withinRange } from './key-range.js'
import {
  conditionsBeside,
  type List,
  type ListIndex,
  type ListQuery,
  type ListTable,
  type Page,
  type RowPage,
  resolveFilters,
  usableIndexes,
  type WantedRows,
  wantedColumns,
} from './list.js'
import { newestIds } from './newest-ids.js'
import { newestIdsWithTerm } from './search-terms.js'

const { rowsOfFirstScan, rowsPerScan, scansPerPageMax } = listLimits
const rowsScannedMax = rowsOfFirstScan + rowsPerScan * (scansPerPageMax - 1)

/**
 * The newest rows that pass all filters; see `findIds`. One statement finds and reads them, unless
 * the index does not serve all filters.
 */
export async function readList<Filter, Row>(
  db: Queryable,
  list: List<Filter, Row>,
  query: ListQuery<Filter>,
  page: Page,
): Promise<RowPage<Row>> {
  const search = await prepareSearch(db, list, query, page.limit)
  if (!search) return { rows: [], next: undefined }
  if (search.conditions.length > 0) {
    const { ids, next } = await scanIds(db, list, search, query, page)
    const found = sql`unnest(${ids}::uuid[]) as found (id)`
    const read = ids.length === 0 ? [] : await readRows(db, list, query, found)
    return { rows: await list.toRows(db, read), next }
  }
  const { before, limit } = page
  const newest = search.newestIds(toIdRange(query.filter, before), roundedRows(limit + 1))
  const found = sql`(select id from ${newest} newest order by id desc limit ${limit + 1}) found`
  const read = await readRows(db, list, query, found)
  const rows = await list.toRows(db, read.slice(0, limit))
  return { rows, next: read.length > limit ? list.keyOf(rows.at(-1)!) : undefined }
}

/** `found` is a FROM item with the ids. */
async function readRows<Filter, Row>(
  db: Queryable,
  list: List<Filter, Row>,
  { environmentId }: ListQuery<Filter>,
  found: Sql,
): Promise<unknown[]> {
  return db.rows(
    named(
      list.name,
      sql`
        select ${list.select} from ${found} ${list.rowsOf(environmentId)}
        order by found.id desc`,
    ),
  )
}

export type IdPage = {
  /** Newest first. */
  ids: string[]
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

/**
 * The newest rows that pass all filters. Reads a bounded number of rows: where few rows pass, a
 * page may be short or empty and still have a next one.
 */
export async function findIds<Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  query: ListQuery<Filter>,
  page: Page,
): Promise<IdPage> {
  const search = await prepareSearch(db, list, query, page.limit)
  return search ? scanIds(db, list, search, query, page) : { ids: [], next: undefined }
}

async function scanIds<Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  search: Search,
  query: ListQuery<Filter>,
  { before, limit }: Page,
): Promise<IdPage> {
  const rowsOfPage = roundedRows(limit + 1)
  const isFiltered = search.conditions.length > 0
  const ids: string[] = []
  let range = toIdRange(query.filter, before)
  let rowsRemaining = list.rowsScannedMax ?? rowsScannedMax
  for (let rows: number = rowsOfFirstScan; rowsRemaining > 0; rows = rowsPerScan) {
    const rowsRead = isFiltered ? Math.max(Math.min(rows, rowsRemaining), rowsOfPage) : rowsOfPage
    const found = await scan(db, { ...search, range }, rowsRead, limit + 1 - ids.length)
    ids.push(...found.ids)
    if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] }
    if (found.scanned < rowsRead) return { ids, next: undefined }
    range = { ...range, before: found.scanEnd! }
    rowsRemaining -= rowsRead
  }
  return { ids, next: range.before }
}

export type Count = { count: number; isComplete: boolean }

/** How many rows pass; not complete if there are more than are counted. */
export async function countRows<Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  query: ListQuery<Filter>,
): Promise<Count> {
  const { countMax, rowsCountedMax } = listLimits
  const search = await prepareSearch(db, list, query, countMax)
  if (!search) return { count: 0, isComplete: true }
  const rows = search.conditions.length > 0 ? rowsCountedMax : countMax + 1
  const range = toIdRange(query.filter, undefined)
  const [found] = await db.rows(
    named(
      `${list.name}_count`,
      sql<{ count: number; scanned: number }>`
        with ${scanOf({ ...search, range }, rows)}
        select (select count(*)::int from (select from passed limit ${countMax + 1}) p) as count,
          (select count(*)::int from scanned) as scanned`,
    ),
  )
  const { count, scanned } = found!
  return { count: Math.min(count, countMax), isComplete: count <= countMax && scanned < rows }
}

type Search = {
  name: string
  table: string
  /** Column with the ids. */
  key: string
  environmentId: EnvironmentId
  /** A FROM item with the newest `limit` ids in the range, read in the order of an index. */
  newestIds: (range: KeyRange, limit: number) => Sql
  /** Conditions on the table `t` that this index does not serve. */
  conditions: Sql[]
}

/** Undefined: no row can match. */
async function prepareSearch<Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  query: ListQuery<Filter>,
  limit: number,
): Promise<Search | undefined> {
  const wanted = await resolveFilters(db, list, query)
  if (!wanted) return undefined
  const { name, table } = list
  const { environmentId } = query
  const search = { name, table, key: list.key?.name ?? 'id', environmentId }
  const known = wanted.values.get('id')
  if (known) {
    const conditions = conditionsBeside(list, wanted, { serves: ['id'] })
    return { ...search, newestIds: knownIds(search, known.values), conditions }
  }
  for (const index of usableIndexes(list, wanted, limit)) {
    const newestIds = await readIndex(db, { list, index, wanted, environmentId })
    const conditions = conditionsBeside(list, wanted, index)
    if (newestIds) return { ...search, newestIds, conditions }
  }
  throw new Error(`no index of ${name} serves these filters`)
}

type IndexRead<Filter> = {
  list: ListTable<Filter>
  index: ListIndex
  wanted: WantedRows
  environmentId: EnvironmentId
}

async function readIndex<Filter>(
  db: Queryable,
  { list, index, wanted, environmentId }: IndexRead<Filter>,
): Promise<Search['newestIds'] | undefined> {
  const { serves, read } = index
  if (read) return (range, limit) => read(wanted, range, limit)
  if (serves.includes('terms'))
    return (range, limit) => newestIdsWithTerm(wanted.terms[0]!, range, limit)
  const table = index.of?.table ?? list.table
  const where = sql`environment_id = ${environmentId} and ${index.where ?? sql`true`}`
  const rangeColumn = serves.find((column) => wanted.ranges.has(column))
  if (rangeColumn !== undefined) {
    const { min, max } = wanted.ranges.get(rangeColumn)!
    const equal = wantedColumns(list, wanted, serves.slice(0, serves.indexOf(rangeColumn)))
    return sortedIds(db, {
      table,
      where: sql.join(
        [
          where,
          ...equal.map(
            ({ name, type, values }) => sql`${sql.raw(name)} = any (${values}::${sql.raw(type)}[])`,
          ),
          sql`${sql.raw(rangeColumn)} between ${min ?? 0n} and ${max ?? limits.money.ledgerMax}`,
        ],
        sql` and `,
      ),
    })
  }
  const columns = wantedColumns(list, wanted, serves)
  return ({ before, from }, limit) =>
    newestIds({
      table,
      where,
      columns,
      order: [{ name: index.of?.key ?? 'id', type: 'uuid' }],
      before: before === undefined ? undefined : [before],
      from,
      limit,
    })
}

/**
 * Rows of a range of amounts are not in the order of time, so they are sorted. Undefined if there
 * are too many: then a scan in the order of time finds a page of them soon. `offset 0` makes the
 * planner read the range first, not the whole table in the order of ids.
 */
async function sortedIds(
  db: Queryable,
  { table, where }: { table: string; where: Sql },
): Promise<Search['newestIds'] | undefined> {
  const from = sql.raw(table)
  const [found] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${from} where ${where} limit ${listLimits.rowsSortedMax + 1}) t`)
  if (found!.count > listLimits.rowsSortedMax) return undefined
  return (range, limit) => sql`(
    select id from (
      select id from ${from} where ${where} ${withinRange(range)} offset 0) t
    order by id desc limit ${sql.raw(String(limit))})`
}

/** Reads those of a few ids that exist. */
function knownIds(
  { table, environmentId }: Pick<Search, 'table' | 'environmentId'>,
  ids: readonly unknown[],
): Search['newestIds'] {
  return (range) => sql`(
    select id from ${sql.raw(table)}
    where environment_id = ${environmentId} and id = any (${ids}::uuid[]) ${withinRange(range)})`
}

const { pageSizeDefault, pageSizeMax, csvRowsPerRead } = limits.http
/** One more than a page shows, to know whether there is a next one. */
const usualRows = [pageSizeDefault, pageSizeMax, csvRowsPerRead].map((size) => size + 1)

/** Few different numbers, which are literals: each is a statement of its own. */
export function roundedRows(rows: number): number {
  return usualRows.find((usual) => usual >= rows) ?? rows
}

type Scan = { ids: string[]; scanned: number; scanEnd: string | null }

async function scan(
  db: Queryable,
  search: Search & { range: KeyRange },
  rowsRead: number,
  wanted: number,
): Promise<Scan> {
  const [found] = await db.rows(
    named(
      search.name,
      sql<Scan>`
        with ${scanOf(search, rowsRead)}
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
function scanOf(search: Search & { range: KeyRange }, rows: number): Sql {
  const { table, environmentId, newestIds, conditions, range } = search
  const key = sql.raw(`t.${search.key}`)
  const passed =
    conditions.length === 0
      ? sql`select id from scanned`
      : sql`
          select t.id from scanned
          cross join lateral (
            select ${key} as id from ${sql.raw(table)} t
            where t.environment_id = ${environmentId} and ${key} = scanned.id
              and ${sql.join(conditions, sql` and `)}
            offset 0) t`
  return sql`
    scanned as materialized (
      select found.id from ${newestIds(range, rows)} found
      order by found.id desc limit ${sql.raw(String(rows))}),
    passed as (${passed})`
}
