import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type Sql, sql } from './sql.js'

type ColumnType = 'text' | 'uuid' | 'timestamptz'

type Search = {
  table: string
  environmentId: EnvironmentId
  /** Condition on index columns with a fixed value, and that of a partial index. */
  where?: Sql<unknown>
  /** The next columns of the index, each with the wanted values. */
  columns: { name: string; type: ColumnType; values: readonly string[] }[]
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
export function newestRows(search: Search): Sql<unknown> {
  const { table, environmentId, columns, order, before, from, limit } = search
  const where = search.where ?? sql`true`
  const names = columns.map(({ name }) => name)
  const rows = combine(columns.map(({ values }) => values)).map(
    (values) => sql`(${sql.join(values.map((value, index) => typed(value, columns[index]!)))})`,
  )
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
    select found.* from (values ${sql.join(rows)}) wanted (${sql.raw(names.join(', '))})
    cross join lateral (
      select * from ${sql.raw(table)}
      where environment_id = ${environmentId} and ${where} and ${upper} and ${lower}
      order by ${descending(['environment_id', ...names, ...orderNames])}
      limit ${rowsRead(limit)}) found
    order by ${descending(orderNames.map((name) => `found.${name}`))} limit ${limit})`
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
