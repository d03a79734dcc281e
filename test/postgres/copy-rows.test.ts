import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { connect } from '../../src/postgres/connection.js'
import { copyStatement } from '../../src/postgres/copy-rows.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/tx.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const client = await connect(db.url, 'copies')
afterAll(() => client.end())
const types = {
  place: 'int4',
  flag: 'bool',
  small: 'int2',
  large: 'int8',
  id: 'uuid',
  at: 'timestamptz',
  note: 'text',
  bytes: 'bytea',
} as const
const columns = Object.entries(types).map(([name, type]) => `${name} ${type}`)
await db.rows(sql`create table copied (${sql.raw(columns.join(', '))}, check (small <> 13))`)
const copy = copyStatement({ table: 'copied', columns: types })

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values)
const row = fc.record({
  flag: orNull(fc.boolean()),
  small: orNull(fc.integer({ min: -(2 ** 15), max: 12 })),
  large: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  id: orNull(fc.uuid()),
  at: orNull(fc.date({ min: new Date(0), max: new Date(8.64e15), noInvalidDate: true })),
  note: orNull(
    fc.oneof(
      text,
      text,
      fc.nat({ max: 90_000 }).map((length) => 'ÿ€'.repeat(length)),
    ),
  ),
  bytes: orNull(fc.uint8Array().map((list) => Buffer.from(list))),
})

test('every row arrives as it was, whatever is in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (list) => {
      const rows = list.map((one, place) => ({ place, ...one }))
      await db.rows(sql`truncate copied`)
      await inTransaction(client, async (tx) => {
        // Of an id, the bytes are as good as the text.
        const id = (one: string | null) => one && Buffer.from(one.replaceAll('-', ''), 'hex')
        tx.copy(copy(rows.map((one) => (one.place % 2 ? one : { ...one, id: id(one.id) }))))
      })
      const found = await db.rows(sql`select * from copied order by place`)
      expect(found).toEqual(rows)
    }),
    { numRuns: 60 },
  )
})

// Rows, and whatever follows them, are on their way before the server has agreed to take any.
test.each([
  ['before it takes rows', { ...copy([]), text: 'copy nothing from stdin (format binary)' }],
  ['for one of its rows', copy([{ ...empty(), small: 13 }])],
  ['for its form', { ...copy([]), text: 'copy copied from stdin (format csv)' }],
])('a copy that is refused %s takes its transaction along, and nothing else', async (_, bad) => {
  const write = (note: string, ...more: (typeof bad)[]) =>
    inTransaction(client, async (tx) => {
      tx.copy(copy([{ ...empty(), note }]))
      for (const one of more) tx.copy(one)
      tx.write(sql`insert into copied (note) values (${note})`)
    })
  await db.rows(sql`truncate copied`)
  await expect(write('lost', bad)).rejects.toThrow(/nothing|copied|PGCOPY/)
  await write('kept')
  const found = await db.rows(sql<{ note: string }>`select note from copied`)
  expect(found).toEqual([{ note: 'kept' }, { note: 'kept' }])
})

test('what is no uuid is told, and not written', () => {
  for (const id of ['', '0123', Buffer.alloc(15), Buffer.alloc(17)])
    expect(() => copy([{ ...empty(), id }])).toThrow(/not a uuid/)
})

function empty() {
  const nothing = { place: null, flag: null, small: null, large: null, id: null, at: null }
  return { ...nothing, note: null, bytes: null }
}
