import { strict as assert } from 'node:assert'
import { toColumn } from './names.js'
import { Sql } from './sql.js'
import { type ColumnType, type ColumnValue, ListColumn } from './wire/messages.js'

/** A statement with a name is parsed and planned once per connection. */
export type Statement<Row> = {
  name?: string
  text: string
  values: unknown[]
  /** The row type, for the compiler only. */
  readonly row?: Row
}

/** The text of every list statement. Connections cache statements by name: no two may share one. */
export const listTexts = new Map<string, string>()

/** The names of the list statements that are planned for every list. */
export const replannedNames = new Set<string>()

type Columns = Record<string, ColumnType | NamedColumn>
type ListRow<C extends Columns> = { [Field in keyof C]: ColumnValue<TypeOf<C[Field]>> }

/** A column whose name is not that of its field in snake_case. */
type NamedColumn<Type extends ColumnType = ColumnType> = { type: Type; name: string }
type TypeOf<C> = C extends ColumnType ? C : C extends NamedColumn<infer Type> ? Type : never

export type ListText = (
  list: string,
  parameter: (index: number) => string,
  names: string,
  values: string,
) => string

/**
 * A named statement over a list of rows. The list is sent as one binary array per column and
 * unnested under the name `list`: one parse and one plan, however many rows there are. Columns have
 * the names of the rows' fields, which SQL writes in snake_case. `parameter(0)` is the first value
 * after the rows. For inserts, `names` lists the columns, and `values` what they get; for updates,
 * `assigned`.
 *
 * The planner does not see how long a list is. Otherwise it would find that a plan for this list is
 * cheaper than one for lists of unknown length and plan every time, which takes longer than reading
 * a few rows.
 *
 * `isReplanned`: sent without its name, so that it is planned for every list, at the size that the
 * tables have then. A connection keeps the plan of a named statement until the table is analyzed.
 */
export function listStatement<C extends Columns, Row = never>(definition: {
  name: string
  columns: C
  isReplanned?: boolean
  text: ListText
}): (rows: ListRow<C>[], ...parameters: unknown[]) => Statement<Row> {
  assert(!listTexts.has(definition.name), `statement name ${definition.name} is unique`)
  const columns = listColumns(definition.columns)
  const arrays = columns.map(({ type, isJson }, index) => {
    const array = `$${index + 1}::${isJson ? 'text' : type}[]`
    return index === 0 ? `(select ${array})` : array
  })
  const names = columns.map(({ name }) => name).join(', ')
  const list = `unnest(${arrays.join(', ')}) as list (${names})`
  const text = definition.text(
    list,
    (index) => `$${columns.length + 1 + index}`,
    names,
    columns.map(({ value }) => value).join(', '),
  )
  listTexts.set(definition.name, text)
  if (definition.isReplanned) replannedNames.add(definition.name)

  return (rows, ...parameters) => {
    const values: unknown[] = columns.map(({ field, type }) => new ListColumn(field, type, rows))
    values.push(...parameters)
    return definition.isReplanned ? { text, values } : { name: definition.name, text, values }
  }
}

/** `status = list.status, …`: what an update of a list statement sets. */
export function assigned(columns: Columns): string {
  return listColumns(columns)
    .map(({ name, value }) => `${name} = ${value}`)
    .join(', ')
}

function listColumns(columns: Columns) {
  return Object.entries(columns).map(([field, column]) => {
    const { type, name } =
      typeof column === 'string' ? { type: column, name: toColumn(field) } : column
    const isJson = type === 'json' || type === 'jsonText'
    return { field, type, name, isJson, value: `list.${name}${isJson ? '::json' : ''}` }
  })
}

/**
 * A text column in a condition beside a key. The expression matches no index: while a table has no
 * statistics, the planner would prefer an index on the condition and read all open rows of the
 * table instead of one row per key.
 */
export function unindexed(column: string): string {
  return `(${column} || '')`
}

export function toStatement<Row>(source: Sql<Row> | Statement<Row>): Statement<Row> {
  return source instanceof Sql ? source.compile() : source
}
