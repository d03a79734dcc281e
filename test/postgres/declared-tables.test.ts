import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { declaredTables } from '../../src/postgres/table.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()

const source = path.join(import.meta.dirname, '../../src')
const declaring = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.join(source, file))
  .filter((file) => /= new Table\(/.test(readFileSync(file, 'utf8')))
for (const file of declaring) await import(file)

/** Types as PostgreSQL names them. */
const stored = { jsonText: 'json', 'text[]': '_text' }

// The compiler believes a declaration. So a column that may be null must say so, and types must be
// those of the table, or code would read a text as a number.
test('declared columns are those of the schema', async () => {
  const rows = await db.rows(sql<{ column: string; isNullable: boolean }>`
    select table_name || '.' || column_name || ' ' || udt_name as column,
      is_nullable = 'YES' as is_nullable
    from information_schema.columns where table_schema = 'public'`)
  const isNullable = new Map(rows.map((row) => [row.column, row.isNullable]))
  expect(declaredTables.length).toBeGreaterThan(30)
  const columns = declaredTables.flatMap((table) =>
    table.describe().map(({ name, type, ...declared }) => ({
      ...declared,
      column: `${table.name}.${name} ${stored[type as keyof typeof stored] ?? type}`,
    })),
  )
  expect(columns.filter(({ column }) => !isNullable.has(column))).toEqual([])
  const undeclared = columns.filter(
    ({ column, ...declared }) => isNullable.get(column) && !declared.isNullable,
  )
  // Null only within the transaction that claims the key.
  const claimed = ['idempotency_keys.status int2', 'idempotency_keys.answer text']
  expect(undeclared.map(({ column }) => column)).toEqual(claimed)
})
