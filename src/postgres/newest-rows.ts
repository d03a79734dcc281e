import type { EnvironmentId } from '../base/environment.js'
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
  from?: Date | undefined
  limit: number
}

/**
 * A FROM item with the newest rows that have one of the wanted values in each column, in no
 * guaranteed order. Reads at most `limit` rows per combination of values, whatever else the table
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
  const combinations = combine(columns.map(({ values }) => values))
  const arrays = columns.map(
    ({ type }, index) => sql`${combinations.map((one) => one[index]!)}::${sql.raw(type)}[]`,
  )
  const names = columns.map(({ name }) => name)
  const wanted = names.map((name) => sql.raw(`wanted.${name}`))
  const orderNames = order.map(({ name }) => name)
  const position = before?.map((value, index) => sql`${value}::${sql.raw(order[index]!.type)}`)
  const upper = position
    ? sql`${tuple([...names, ...orderNames])} < (${sql.join([...wanted, ...position])})`
    : sql`${tuple(names)} <= (${sql.join(wanted)})`
  const lower = from
    ? sql`${tuple([...names, orderNames[0]!])} >= (${sql.join([...wanted, sql`${from}::timestamptz`])})`
    : sql`${tuple(names)} >= (${sql.join(wanted)})`
  return sql`(
    select found.* from unnest(${sql.join(arrays)}) wanted (${sql.raw(names.join(', '))})
    cross join lateral (
      select * from ${sql.raw(table)}
      where environment_id = ${environmentId} and ${where} and ${upper} and ${lower}
      order by ${descending(['environment_id', ...names, ...orderNames])}
      limit ${limit}) found
    order by ${descending(orderNames.map((name) => `found.${name}`))} limit ${limit})`
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
