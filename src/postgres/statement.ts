import { strict as assert } from 'node:assert'
import { type ColumnType, type ColumnValue, ListColumn } from './messages.js'
import { Sql } from './sql.js'

/** A statement with a name is parsed and planned once per connection. */
export type Statement<Row> = {
  name?: string
  text: string
  values: unknown[]
  /** The row type, for the compiler only. */
  readonly row?: Row
}

/** Connections cache statements by name, so no two may share one. */
const usedNames = new Set<string>()

type Columns = Record<string, ColumnType>
type ListRow<C extends Columns> = { [Name in keyof C]: ColumnValue<C[Name]> }

/**
 * A named statement over a list of rows. The list is sent as one binary array per column and
 * unnested under the name `list`: one parse and one plan, however many rows there are.
 * `parameter(0)` is the first value after the rows. `names` lists the columns, for inserts.
 */
export function listStatement<C extends Columns, Row = never>(definition: {
  name: string
  columns: C
  text: (list: string, parameter: (index: number) => string, names: string) => string
}): (rows: ListRow<C>[], ...parameters: unknown[]) => Statement<Row> {
  assert(!usedNames.has(definition.name), `statement name ${definition.name} is unique`)
  usedNames.add(definition.name)
  const columns = Object.entries(definition.columns)
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`)
  const names = columns.map(([name]) => name).join(', ')
  const list = `unnest(${arrays.join(', ')}) as list (${names})`
  const text = definition.text(list, (index) => `$${columns.length + 1 + index}`, names)

  return (rows, ...parameters) => {
    const values: unknown[] = columns.map(([name, type]) => new ListColumn(name, type, rows))
    values.push(...parameters)
    return { name: definition.name, text, values }
  }
}

export function toStatement<Row>(source: Sql<Row> | Statement<Row>): Statement<Row> {
  return source instanceof Sql ? source.compile() : source
}
