import type { EnvironmentId } from '../../base/environment.js'
import type { Sql } from '../sql.js'
import { listStatement } from '../statement.js'
import type { Queryable } from './tx.js'

export type RowKey = { environmentId: EnvironmentId; id: string }

const keyColumns = { environmentId: 'int4', id: 'uuid' } as const

/**
 * Reads resources by environment and id with one prepared statement, in the order of the keys.
 */
export function keyedRead<Row, Value>(definition: {
  name: string
  /** Columns of the table, with its alias. */
  columns: string | Sql
  table: string
  alias: string
  toValues: (db: Queryable, rows: Row[]) => Value[] | Promise<Value[]>
  keyOf: (value: Value) => RowKey
}): (db: Queryable, keys: RowKey[]) => Promise<(Value | undefined)[]> {
  const { name, columns, table, alias, toValues, keyOf } = definition
  const select = listStatement<typeof keyColumns, Row>({
    name,
    columns: keyColumns,
    text: (list) => `
      select ${columns} from ${list} join ${table} ${alias}
        on ${alias}.environment_id = list.environment_id and ${alias}.id = list.id`,
  })

  return async (db, keys) => {
    const found = new Map<string, Value>()
    for (const value of await toValues(db, await db.rows(select(keys))))
      found.set(nameOf(keyOf(value)), value)
    return keys.map((key) => found.get(nameOf(key)))
  }
}

function nameOf({ environmentId, id }: RowKey): string {
  return `${environmentId}/${id}`
}
