import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonText, toJson } from '../../src/base/json-text.js'
import { sql } from '../../src/postgres/sql.js'
import { assigned, listStatement } from '../../src/postgres/statement.js'
import { column, insertInto, Table, upsert } from '../../src/postgres/table.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()

const samples = new Table('samples', {
  rowId: column.uuid(),
  rank: column.int4(),
  amount: column.int8().orNull(),
  /** Called `kind` in the table. */
  type: column.text<'one' | 'other'>().named('kind'),
  isOpen: column.bool(),
  sender: column.json<{ name: string }>().orNull(),
  metadata: column.jsonText(),
  hash: column.bytea(),
  tags: column.texts(),
  createdAt: column.time().orNull(),
})

await db.rows(sql`
  create table samples (row_id uuid primary key, rank int4 not null default 7, amount int8,
    kind text not null, is_open bool not null, sender json, metadata json not null,
    hash bytea not null default '', tags text[] not null default '{}', created_at timestamptz,
    noted text)`)

const rows = fc.record({
  rowId: fc.uuid(),
  rank: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  amount: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  type: fc.constantFrom('one' as const, 'other' as const),
  isOpen: fc.boolean(),
  sender: fc.option(fc.record({ name: fc.stringMatching(/^[\w "'\\]*$/) })),
  metadata: fc.constantFrom(...(['{}', '{ "a" : 1.00 }', '[1,  2]'] as JsonText[])),
  hash: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  tags: fc.array(fc.stringMatching(/^[\w "'{},\\]*$/)),
  createdAt: fc.option(
    fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  ),
})

test('a row is read as it was inserted, column by column and packed', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (row) => {
      await db.rows(samples.insert(row, { noted: 'beside' }))
      const own = sql`from samples s where row_id = ${row.rowId} and noted = 'beside'`
      const [read] = await db.rows(sql<typeof samples.readRow>`select ${samples.of('s')} ${own}`)
      expect(samples.read(read!)).toEqual(row)
      const [packed] = await db.rows(sql<{ packed: string }>`
        select ${sql.raw(samples.packed('s'))} as packed ${own}`)
      expect(samples.unpack(JSON.parse(packed!.packed))).toEqual(row)
      await db.rows(sql`truncate samples`)
    }),
    { numRuns: 50 },
  )
})

test('list statements insert and update a column whose name differs from its field', async () => {
  const key = samples.types('rowId')
  const [inserted, changing] = [samples.typesWithout('tags'), samples.types('type', 'sender')]
  const insert = listStatement({
    name: 'insert_samples',
    columns: inserted,
    text: (list, _parameter, names, values) =>
      `insert into samples (${names}) select ${values} from ${list}`,
  })
  const update = listStatement({
    name: 'update_samples',
    columns: { ...key, ...changing },
    text: (list) =>
      `update samples s set ${assigned(changing)} from ${list} where s.row_id = list.row_id`,
  })
  const [row] = fc.sample(rows, { numRuns: 1, seed: 1 }).map((row) => ({ ...row, tags: [] }))
  await db.rows(insert([row!]))
  const changed = { ...row!, type: 'other', sender: { name: 'Ada' } } as const
  await db.rows(update([changed]))
  const [read] = await db.rows(sql<typeof samples.readRow>`
    select ${samples.columns} from samples where row_id = ${row!.rowId}`)
  expect(samples.read(read!)).toEqual(changed)
  await db.rows(sql`truncate samples`)
})

test('columns that a row lacks get their default', async () => {
  const rowId = '019b8d62-7a80-7c31-9f04-5ad2be61e0f7'
  await db.rows(samples.insert({ rowId, type: 'one', isOpen: true, metadata: toJson({}) }))
  const [read] = await db.rows(sql<{ rank: number; amount: bigint | null }>`
    select ${samples.of('s', 'rank', 'amount')} from samples s`)
  expect(read).toEqual({ rank: 7, amount: null })
})

test('a row of a table without a declaration is inserted by the names of its fields', async () => {
  const rowId = '019b8d62-7a80-7c31-9f04-5ad2be61e0f8'
  await db.rows(insertInto('samples', { rowId, kind: 'other', isOpen: false, metadata: '{}' }))
  const [read] = await db.rows(sql`select kind, is_open from samples where row_id = ${rowId}`)
  expect(read).toEqual({ kind: 'other', isOpen: false })
})

test('a key that exists gets the new values, others a row', async () => {
  await db.rows(
    sql`create table counts (kind text, place text, seen_at int4, unique (kind, place))`,
  )
  const write = (place: string, seenAt: number) =>
    db.rows(upsert('counts', { kind: 'one', place }, { seenAt }))
  for (const [place, seenAt] of [
    ['here', 1],
    ['there', 2],
    ['here', 3],
  ] as const)
    await write(place, seenAt)
  expect(await db.rows(sql`select place, seen_at from counts order by place`)).toEqual([
    { place: 'here', seenAt: 3 },
    { place: 'there', seenAt: 2 },
  ])
})
