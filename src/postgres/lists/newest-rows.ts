import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { type Sql, sql } from '../sql.js'

type ColumnType = 'text' | 'uuid' | 'timestamptz' | 'int8'

export type RowSearch = {
  table: string
  environmentId: EnvironmentId
  /** Condition on index columns with a fixed value, and that of a partial index. */
  where?: Sql<unknown>
  /**
   * The next columns of the index, each with the wanted values. `isLong`: the number of values
   * differs from call to call, so they are one parameter and the statement is the same for all.
   */
  columns: { name: string; type: ColumnType; values: readonly string[]; isLong?: boolean }[]
  /** The last columns of the index, which sort the rows. */
  order: { name: string; type: ColumnType }[]
  /** Only rows before this position; undefined: start with the newest. */
  before: (Date | string)[] | undefined
  /** Only rows at or after this value of the first order column. */
  from?: Date | string | undefined
  limit: number
}

/**
 * A FROM item with the newest rows that have one of the wanted values in each column, in no
 * guaranteed order. Reads about `limit` rows per combination of values, whatever else the table
 * holds, by the index (environment_id, ...where, ...columns, ...order).
 *
 * The conditions are ranges of rows, not equalities, because only that index sorts such a range.
 * With equalities the planner may scan another index in the wanted order and filter. Its
 * statistics cover all environments, so it does that exactly where a value is common elsewhere and
 * rare in this environment, and then reads every row of the environment.
 */
export function newestRows(search: RowSearch): Sql<unknown> {
  const { table, environmentId, columns, order, before, from, limit } = search
  const where = search.where ?? sql`true`
  const names = columns.map(({ name }) => name)
  const wanted = names.map((name) => sql.raw(`wanted.${name}`))
  const orderNames = order.map(({ name }) => name)
  const position = before?.map((value, index) => typed(value, order[index]!))
  const upper = position
    ? sql`${tuple([...names, ...orderNames])} < (${sql.join([...wanted, ...position])})`
    : sql`${tuple(names)} <= (${sql.join(wanted)})`
  const lower = from
    ? sql`${tuple([...names, orderNames[0]!])} >= (${sql.join([...wanted, typed(from, order[0]!)])})`
    : sql`${tuple(names)} >= (${sql.join(wanted)})`
  return sql`(
    select found.* from ${wantedRows(columns)} wanted
    cross join lateral (
      select * from ${sql.raw(table)}
      where environment_id = ${environmentId} and ${where} and ${upper} and ${lower}
      order by ${descending(['environment_id', ...names, ...orderNames])}
      limit ${rowsRead(limit)}) found
    order by ${descending(orderNames.map((name) => `found.${name}`))} limit ${limit})`
}

/** Every combination of the wanted values. */
function wantedRows(columns: RowSearch['columns']): Sql<unknown> {
  const short = columns.filter(({ isLong }) => !isLong)
  const long = columns.filter(({ isLong }) => isLong)
  const rows = combine(short.map(({ values }) => values)).map(
    (values) => sql`(${sql.join(values.map((value, index) => typed(value, short[index]!)))})`,
  )
  const names = sql.raw(short.map(({ name }) => name).join(', '))
  const combined = sql`(values ${sql.join(rows)})`
  if (long.length === 0) return sql`(select * from ${combined} short (${names}))`
  const lists = long.map(
    ({ name, type, values }) =>
      sql`cross join unnest(${values}::${sql.raw(type)}[]) ${sql.raw(`as ${name}_list (${name})`)}`,
  )
  return sql`(select * from ${combined} short (${names}) ${sql.join(lists, sql` `)})`
}

const { pageSizeDefault, pageSizeMax } = limits.http
/** One more than a page shows, to know whether there is a next one. */
const pageLimits = [pageSizeDefault + 1, pageSizeMax + 1]

/**
 * How many rows each range reads, as a literal. With a parameter the planner would assume a tenth
 * of the table, find the plan for any value worse than that for this one, and plan every time.
 */
export function rowsRead(limit: number): Sql {
  return sql.raw(String(pageLimits.find((one) => one >= limit) ?? limit))
}

function typed(value: unknown, { type }: { type: ColumnType }): Sql {
  return sql`${value}::${sql.raw(type)}`
}

function tuple(names: string[]): Sql<unknown> {
  return sql.raw(`(${names.join(', ')})`)
}

function descending(names: string[]): Sql<unknown> {
  return sql.raw(names.map((name) => `${name} desc`).join(', '))
}

function combine(lists: (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )
}
