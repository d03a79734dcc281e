import type { EnvironmentId } from '../../base/environment.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import type { KeyRange, TimeRange } from './key-range.js'
import { type Column, type IndexColumnType, typed, type WantedColumn } from './newest-ids.js'
import { findTerms, hasTerms, type SearchKind, type TermSearch } from './search-terms.js'

/** A list of an environment, newest first: its filters, the indexes that serve them, its rows. */
export type List<Filter, Row> = ListTable<Filter> & {
  /** What is selected from `rowsOf`. */
  select: Sql
  /** Joins the row of `found.id`, as `joinRow` does, and what is shown beside it. */
  rowsOf: (environmentId: EnvironmentId) => Sql
  /** Completes rows as they were read. A method, because each list reads rows of its own type. */
  toRows(db: Queryable, read: unknown[]): Row[] | Promise<Row[]>
  /** The key of a row, where the next page begins. */
  keyOf: (row: Row) => string
}

/**
 * Joins the row of `found.id`. The LIMIT keeps the inner query apart, so that it reads each row by
 * its primary key: a join's plan may date from a time when the table was small.
 */
export function joinRow(table: string, alias: string): (environmentId: EnvironmentId) => Sql {
  const [from, end] = [sql.raw(table), sql.raw(alias)]
  return (environmentId) => sql`
    cross join lateral (
      select * from ${from} where environment_id = ${environmentId} and id = found.id
      limit 1) ${end}`
}

export type ListTable<Filter> = {
  /** Starts the names of the prepared statements. */
  name: string
  table: string
  /** The last column of every index, which names the rows. By default the id. */
  key?: Column
  /** Rows that a page reads for filters which its index does not serve. */
  rowsScannedMax?: number
  /** The columns that filters and indexes name. */
  columns: Record<string, ListColumn>
  /** The column of each filter, or a function that returns its restrictions. */
  filters: { [Name in Exclude<keyof Filter, keyof CommonFilter>]-?: FilterOf<Filter, Name> }
  /**
   * The most selective first. A page reads the first one that serves a wanted filter, or the last
   * one, and checks the other filters row by row. Rows whose ids a filter finds are read by key.
   */
  indexes: ListIndex[]
}

/** What every list understands. */
export type CommonFilter = TimeRange & {
  /** The caller may not see payers, so texts do not match their names and account numbers. */
  hidesPayers?: boolean | undefined
}

type ListColumn = {
  type: IndexColumnType
  /** All values, for an index that has this column while no filter names it. */
  values?: readonly string[]
  /** Filters restrict it to any number of values. */
  isLong?: boolean
}

type FilterOf<Filter, Name extends keyof Filter> =
  | string
  | ((
      value: NonNullable<Filter[Name]>,
      lookup: FilterLookup<Filter>,
    ) => Restriction[] | Promise<Restriction[]>)

/** Limits the rows of a list. A filter stands for one or more. */
export type Restriction =
  | {
      column: string
      values: readonly (string | number)[]
      /** Other restrictions imply it: it only helps to choose an index. */
      isHint?: boolean
    }
  /** Both ends are included. */
  | { column: string; min: bigint | undefined; max: bigint | undefined }
  | { terms: TermSearch }
  /** A condition on the table `t`. */
  | { condition: Sql }

const nothing: Restriction[] = [{ column: 'id', values: [] }]

/** A filter by words of a name, an account number or an address. */
export function matchTerms(kind: SearchKind) {
  return async (text: string, { db, environmentId, filter }: FilterLookup<unknown>) => {
    const { hidesPayers } = filter
    const terms = await findTerms(db, { environmentId, kind, text, hidesPayers })
    return terms ? [{ terms }] : nothing
  }
}

/** A filter by a text that names rows exactly, or else has words of a name. */
export function matchNamed(
  kind: SearchKind,
  find: (db: Queryable, environmentId: EnvironmentId, text: string) => Promise<string[]>,
) {
  return async (text: string, lookup: FilterLookup<unknown>): Promise<Restriction[]> => {
    const ids = await find(lookup.db, lookup.environmentId, text)
    return ids.length > 0 ? [{ column: 'id', values: ids }] : matchTerms(kind)(text, lookup)
  }
}

/** Amounts in the smallest unit of the assets. */
export type AmountRange = {
  assets: readonly string[]
  min?: bigint | undefined
  max?: bigint | undefined
}

/**
 * A filter by the columns `asset` and `amount`. Rows of one amount are in the order of time in the
 * index, so they are neither counted nor sorted, as those of a range are.
 */
export function withinAmounts({ assets, min, max }: AmountRange): Restriction[] {
  const isExact = min !== undefined && min === max
  return [
    { column: 'asset', values: assets },
    isExact ? { column: 'amount', values: [`${min}`] } : { column: 'amount', min, max },
  ]
}

export type ListIndex = {
  /** Its name in the database. */
  index: string
  /** Its columns between the environment and the key. `terms`: the words of searches. */
  serves: readonly string[]
  /** The condition of a partial index. */
  where?: Sql
  /** Values of other columns that a partial index is limited to. */
  holds?: Record<string, readonly string[]>
  /** Whether it is right for these filters and this many rows. */
  isSuitable?: (wanted: WantedRows, limit: number) => boolean
  /** If the index is of another table, that table and its column with the key. */
  of?: { table: string; key: string; rowsScannedMax?: number }
  /** Reads the ids, where that takes more than one range per combination of values. */
  read?: (wanted: WantedRows, range: KeyRange, limit: number) => Sql
}

/** Whose rows are listed, and which of them. */
export type ListQuery<Filter> = { environmentId: EnvironmentId; filter: Filter & CommonFilter }

/** What a filter needs to find its restrictions. */
export type FilterLookup<Filter> = ListQuery<Filter> & { db: Queryable }

export type Page = {
  /** Where the previous page ended. */
  before: string | undefined
  limit: number
}

export type RowPage<Row> = {
  /** Newest first. */
  rows: Row[]
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

/** The restrictions of all filters together. */
export type WantedRows = {
  values: Map<string, { values: readonly (string | number)[]; isHint: boolean }>
  ranges: Map<string, { min: bigint | undefined; max: bigint | undefined }>
  terms: TermSearch[]
  conditions: Sql[]
}

/** Undefined: no row can match. */
export async function resolveFilters<Filter>(
  db: Queryable,
  list: ListTable<Filter>,
  query: ListQuery<Filter>,
): Promise<WantedRows | undefined> {
  const wanted: WantedRows = { values: new Map(), ranges: new Map(), terms: [], conditions: [] }
  for (const name of Object.keys(list.filters) as (keyof typeof list.filters)[]) {
    const value = query.filter[name]
    if (value === undefined || value === null) continue
    const filter = list.filters[name]
    const restrictions =
      typeof filter === 'string'
        ? [{ column: filter, values: [value as string] }]
        : await filter(value, { ...query, db })
    for (const restriction of restrictions) restrict(wanted, restriction)
    if ([...wanted.values.values()].some(({ values }) => values.length === 0)) return undefined
  }
  return wanted
}

function restrict(wanted: WantedRows, restriction: Restriction): void {
  if ('terms' in restriction) wanted.terms.push(restriction.terms)
  else if ('condition' in restriction) wanted.conditions.push(restriction.condition)
  else if ('values' in restriction) {
    const { column, values, isHint = false } = restriction
    const known = wanted.values.get(column)
    wanted.values.set(column, {
      values: known ? known.values.filter((value) => values.includes(value)) : values,
      isHint: isHint && (known?.isHint ?? true),
    })
  } else wanted.ranges.set(restriction.column, restriction)
}

/** The indexes that can be read for these filters, the best first. */
export function usableIndexes(
  { columns, indexes }: Pick<ListTable<never>, 'columns' | 'indexes'>,
  wanted: WantedRows,
  limit: number,
): ListIndex[] {
  const isWanted = (column: string) =>
    column === 'terms'
      ? wanted.terms.length > 0
      : wanted.values.has(column) || wanted.ranges.has(column)
  const isWithin = ([column, held]: [string, readonly (string | number)[]]) =>
    wanted.values.get(column)?.values.every((value) => held.includes(value))
  return indexes.filter(
    ({ serves, holds = {}, isSuitable }, position) =>
      (serves.length === 0 || serves.some(isWanted) || position === indexes.length - 1) &&
      serves.every((column) => isWanted(column) || columns[column]?.values) &&
      Object.entries(holds).every(isWithin) &&
      (isSuitable?.(wanted, limit) ?? true),
  )
}

/** Whether an index alone finds the rows. */
export function servesAll(wanted: WantedRows, serves: readonly string[]): boolean {
  const { values, ranges, terms, conditions } = wanted
  return (
    terms.length + conditions.length + ranges.size === 0 &&
    [...values].every(([column, { isHint }]) => isHint || serves.includes(column))
  )
}

export function wantedColumns(
  { columns }: Pick<ListTable<never>, 'columns'>,
  wanted: WantedRows,
  serves: readonly string[],
): WantedColumn[] {
  return serves.map((name) => {
    const { type, values = [], isLong } = columns[name]!
    return { name, type, values: wanted.values.get(name)?.values ?? values, isLong }
  })
}

/** Conditions on the table `t` for what the index does not serve. */
export function conditionsBeside(
  { columns }: Pick<ListTable<never>, 'columns'>,
  wanted: WantedRows,
  { serves, holds = {} }: Pick<ListIndex, 'serves' | 'holds'>,
): Sql[] {
  const conditions = [...wanted.conditions]
  for (const [column, { values, isHint }] of wanted.values) {
    const isHeld = holds[column]?.every((value) => values.includes(value)) ?? false
    if (isHint || isHeld || serves.includes(column)) continue
    const name = sql.raw(`t.${column}`)
    const { type } = columns[column]!
    conditions.push(
      values.length === 1
        ? sql`${name} = ${typed(values[0], { type })}`
        : sql`${name} = any (${values}::${sql.raw(type)}[])`,
    )
  }
  for (const [column, { min, max }] of wanted.ranges) {
    if (serves.includes(column)) continue
    const name = sql.raw(`t.${column}`)
    if (min !== undefined) conditions.push(sql`${name} >= ${min}`)
    if (max !== undefined) conditions.push(sql`${name} <= ${max}`)
  }
  for (const [index, search] of wanted.terms.entries()) {
    const isRead = index === 0 && serves.includes('terms')
    conditions.push(...hasTerms(isRead ? { ...search, words: search.words.slice(1) } : search))
  }
  return conditions
}
