import { expect, test } from 'vitest'
import { retentionClasses } from '../../../src/operations/personal-data/classes.js'
import { notPersonal } from '../../../src/operations/personal-data/not-personal.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'

const db = await freshDatabase()

/** Columns that could hold a name. */
async function listColumns(): Promise<string[]> {
  const rows = await db.rows(sql<{ name: string }>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and t.table_name not like 'migrations%'
      and c.data_type in ('text', 'json', 'jsonb', 'bytea', 'inet', 'ARRAY', 'character varying')
      and c.udt_name not in ('_uuid', '_int4', '_int8')
    order by 1`)
  return rows.map(({ name }) => name)
}

const personal = retentionClasses.flatMap(({ table, columns }) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
)
const others = Object.entries(notPersonal).flatMap(([table, columns]) =>
  columns.map((column) => `${table}.${column}`),
)

test('every column that could name a person is decided: personal, or not', async () => {
  const decided = [...personal, ...others]
  const columns = await listColumns()
  expect(columns.filter((column) => !decided.includes(column))).toEqual([])
  expect(decided.filter((column) => !columns.includes(column))).toEqual([])
})

test('no column is decided twice', () => {
  const decided = [...personal, ...others]
  expect(decided.filter((column, at) => decided.indexOf(column) !== at)).toEqual([])
})

test('a new column is noticed', async () => {
  await db.rows(sql`alter table payments add column payer_nickname text`)
  expect(
    (await listColumns()).filter((column) => ![...personal, ...others].includes(column)),
  ).toEqual(['payments.payer_nickname'])
  await db.rows(sql`alter table payments drop column payer_nickname`)
})

test('only records of transactions are kept by law in live mode', () => {
  for (const { isLegalRecord, keeps, afterwards } of retentionClasses)
    if (isLegalRecord)
      expect({ keeps, afterwards }).toEqual({
        keeps: 'AML_RECORD_DAYS',
        afterwards: 'pseudonymised',
      })
})
