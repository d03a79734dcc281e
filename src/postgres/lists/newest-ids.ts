import { type Sql, sql } from '../sql.js'

export type IndexColumnType = 'text' | 'uuid' | 'timestamptz' | 'int4' | 'int8'

export type Column = { name: string; type: IndexColumnType }

/** A column of an index with the wanted values. */
export type WantedColumn = Column & {
  values: readonly (string | number)[]
  /**
   * The number of values differs from call to call, so they are one parameter and the statement is
   * the same for all.
   */
  isLong?: boolean | undefined
}

export type IndexRange = {
  table: string
  /** Conditions on the first columns of the index, and that of a partial index. */
  where: Sql
  /** The next columns of the index. */
  columns: WantedColumn[]
  /** The last columns of the index, which sort the rows. The last one names the row. */
  order: Column[]
  /** Only rows before this position; undefined: start with the newest. */
  before: string[] | undefined
  /** Only rows at or after this value of the first order column. */
  from: string | undefined
  limit: number
}

/**
 * A FROM item with the `id` of the newest rows that have one of the wanted values in each column,
 * in no guaranteed order. Reads about `limit` rows per combination of values, whatever else the
 * table holds, by the index (environment_id, ...columns, ...order).
 *
 * The limit is a literal. With a parameter the planner would assume a tenth of the table, find the
 * plan for any value worse than that for this one, and plan every time.
 */
export function newestIds(range: IndexRange): Sql {
  const { table, where, columns, order } = range
  const orderNames = order.map(({ name }) => name)
  const id = sql.raw(`${orderNames.at(-1)} as id`)
  const limit = sql.raw(String(range.limit))
  const wanted = columns.map(({ name }) => sql.raw(`wanted.${name}`))
  const read = (selected: Sql) => sql`
    select ${selected} from ${sql.raw(table)}
    where ${where} ${withinIndexRange(range, wanted)}
    order by ${descending(['environment_id', ...columns.map(({ name }) => name), ...orderNames])}
    limit ${limit}`
  if (columns.length === 0) return sql`(${read(id)})`
  return sql`(
    select found.${id} from ${combinationsOf(columns)} wanted
    cross join lateral (${read(sql.raw(orderNames.join(', ')))}) found
    order by ${descending(orderNames.map((name) => `found.${name}`))} limit ${limit})`
}

/**
 * Conditions are ranges of rows, not equalities, because only the index of these columns sorts such
 * a range. With equalities the planner may scan another index in the wanted order and filter. Its
 * statistics cover all environments, so it does that exactly where a value is common elsewhere and
 * rare in this environment, and then reads every row of the environment.
 */
export function withinIndexRange(
  { columns, order, before, from }: Pick<IndexRange, 'columns' | 'order' | 'before' | 'from'>,
  wanted: Sql[],
  alias = '',
): Sql {
  const names = columns.map(({ name }) => alias + name)
  const orderNames = order.map(({ name }) => alias + name)
  const bound = (sign: string, position: string[]) => {
    const compared = [...names, ...orderNames.slice(0, position.length)].join(', ')
    const values = [...wanted, ...position.map((value, index) => typed(value, order[index]!))]
    return values.length === 0
      ? sql``
      : sql`and (${sql.raw(compared)}) ${sql.raw(sign)} (${sql.join(values)})`
  }
  return sql`
    ${bound(before ? '<' : '<=', before ?? [])}
    ${bound('>=', from === undefined ? [] : [from])}`
}

/** Every combination of the wanted values. */
function combinationsOf(columns: WantedColumn[]): Sql {
  const lists = columns.map(
    ({ name, type, values, isLong }) =>
      sql`${isLong ? sql`unnest(${values}::${sql.raw(type)}[])` : rowsOf(values, type)} ${sql.raw(`as ${name}_list (${name})`)}`,
  )
  return sql`(select * from ${sql.join(lists, sql` cross join `)})`
}

function rowsOf(values: WantedColumn['values'], type: IndexColumnType): Sql {
  return sql`(values ${sql.join(values.map((value) => sql`(${typed(value, { type })})`))})`
}

export function typed(value: unknown, { type }: { type: IndexColumnType }): Sql {
  return sql`${value}::${sql.raw(type)}`
}

export function descending(names: string[]): Sql {
  return sql.raw(names.map((name) => `${name} desc`).join(', '))
}
