import { strict as assert } from 'node:assert'
import { listLimits } from '../limits.js'
import { named } from '../named.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import { roundedRows } from './find-ids.js'
import { type KeyRange, toIdRange } from './key-range.js'
import {
  conditionsBeside,
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
import { type Column, descending, typed, withinIndexRange } from './newest-ids.js'

const id: Column = { name: 'id', type: 'uuid' }

/**
 * The newest rows that pass all filters, of a list whose indexes need one range: filters have one
 * value. Filters that the index does not serve are checked on a bounded number of its rows: such a
 * page may be short or empty and still have a next one.
 */
export async function findRows<Row, Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  query: ListQuery<Filter>,
  { before, limit }: Page,
  { columns, keyOf }: { columns: Sql; keyOf: (row: Row) => string },
): Promise<RowPage<Row>> {
  const wanted = await resolveFilters(db, list, query)
  if (!wanted) return { rows: [], next: undefined }
  const [index] = usableIndexes(list, wanted, limit)
  const key = list.key ?? id
  const serves = [...index!.serves, key.name]
  const conditions = conditionsBeside(list, wanted, { ...index!, serves })
  const range = list.key ? toNumberRange(wanted, list.key, before) : toIdRange(query.filter, before)
  const scanned = readIndex(list, index!, { wanted, range, query })
  const end =
    conditions.length === 0
      ? undefined
      : await findScanEnd(db, list, scanned, index!.of?.rowsScannedMax ?? list.rowsScannedMax)
  const passed = [
    scanned.where,
    ...conditions,
    ...(end === undefined ? [] : [sql`${scanned.key} >= ${typed(end, key)}`]),
  ]
  const found = await db.rows(
    named(
      list.name,
      sql<Row>`
        select ${columns} from ${scanned.rows} where ${sql.join(passed, sql` and `)}
        order by ${scanned.order} limit ${sql.raw(String(roundedRows(limit + 1)))}`,
    ),
  )
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? keyOf(rows.at(-1)!) : end }
}

/** Rows in the order of an index. */
type Scanned = {
  /** What to count them in, and what to read them from as `t`. */
  index: Sql
  rows: Sql
  where: Sql
  order: Sql
  key: Sql
}

function readIndex<Filter>(
  list: ListTable<Filter>,
  { serves, where = sql`true`, of }: ListIndex,
  { wanted, range, query }: { wanted: WantedRows; range: KeyRange; query: ListQuery<Filter> },
): Scanned {
  const alias = of ? 'n.' : 't.'
  const { type, name } = list.key ?? id
  const key = { name: of?.key ?? name, type }
  const columns = wantedColumns(list, wanted, serves)
  const values = columns.map((column) => {
    assert(column.values.length === 1, 'an index is read in one range')
    return typed(column.values[0], column)
  })
  const { from, before } = range
  const bounds = {
    columns,
    order: [key],
    before: before === undefined ? undefined : [before],
    from,
  }
  const names = ['environment_id', ...serves, key.name]
  const table = sql.raw(of ? `${of.table} n` : `${list.table} t`)
  return {
    index: table,
    // One row per name, always by primary key.
    rows: of
      ? sql`${table} cross join lateral (
          select * from ${sql.raw(list.table)} r
          where r.environment_id = n.environment_id and r.${sql.raw(`${name} = n.${key.name}`)}
          limit 1) t`
      : table,
    where: sql`${sql.raw(alias)}environment_id = ${query.environmentId} and ${where}
      ${withinIndexRange(bounds, values, alias)}`,
    order: descending(names.map((column) => alias + column)),
    key: sql.raw(alias + key.name),
  }
}

/** The range of a list whose key is a number. */
function toNumberRange(wanted: WantedRows, { name }: Column, before: string | undefined): KeyRange {
  const { min, max } = wanted.ranges.get(name) ?? {}
  const end = max === undefined ? undefined : max + 1n
  return {
    from: min?.toString(),
    before: end !== undefined && (before === undefined || end < BigInt(before)) ? `${end}` : before,
  }
}

/** The last row that a page may read; undefined when it may read all of them. */
async function findScanEnd<Filter>(
  db: Queryable,
  { name }: ListTable<Filter>,
  { index, where, order, key }: Scanned,
  rowsScannedMax: number = listLimits.rowsPerScan,
): Promise<string | undefined> {
  const [last] = await db.rows(
    named(
      `${name}_end`,
      sql<{ scanEnd: string | bigint }>`
        select ${key} as scan_end from ${index} where ${where}
        order by ${order} offset ${sql.raw(String(rowsScannedMax - 1))} limit 1`,
    ),
  )
  return last && String(last.scanEnd)
}
