import { strict as assert } from 'node:assert'
import { type ColumnType, type ColumnValue, encodeArray } from './binary-arrays.js'
import { Sql } from './sql.js'

/** What is sent to the server. A name lets it be parsed and planned once per connection. */
export type Statement<Row> = {
  name?: string
  text: string
  values: unknown[]
  /** Only for the compiler: what its rows look like. */
  readonly row?: Row
}

/** A connection remembers statements by name, so no two may share one. */
const taken = new Set<string>()

type Columns = Record<string, ColumnType>
type ListRow<C extends Columns> = { [Name in keyof C]: ColumnValue<C[Name]> }

/**
 * A named statement over a list of rows. The list arrives as one binary array per column, unnested
 * under the name `list`: one parse, one plan and no escaping, however many rows there are.
 * Further parameters follow the columns: `$${columns + 1}` and so on, given by `more`. An insert
 * takes its columns from `names`, so that their order is written down only once.
 */
export function listStatement<C extends Columns, Row = never>(definition: {
  name: string
  columns: C
  text: (list: string, more: (index: number) => string, names: string) => string
}): (rows: ListRow<C>[], ...more: unknown[]) => Statement<Row> {
  assert(!taken.has(definition.name), `statement name ${definition.name} is free`)
  taken.add(definition.name)
  const columns = Object.entries(definition.columns)
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`)
  const names = columns.map(([name]) => name).join(', ')
  const list = `unnest(${arrays.join(', ')}) as list (${names})`
  const text = definition.text(list, (index) => `$${columns.length + 1 + index}`, names)

  return (rows, ...more) => {
    const lists = columns.map(([name, type]) =>
      encodeArray(
        type,
        rows.map((row) => row[name]!),
      ),
    )
    return { name: definition.name, text, values: [...lists, ...more] }
  }
}

/** Statements written with the `sql` tag and prepared ones are sent the same way. */
export function toStatement<Row>(source: Sql<Row> | Statement<Row>): Statement<Row> {
  return source instanceof Sql ? source.compile() : source
}
