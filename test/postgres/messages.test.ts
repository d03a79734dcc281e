import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listStatement } from '../../src/postgres/statement.js'
import type { Tx } from '../../src/postgres/transactions/tx.js'
import { type ColumnType, ListColumn } from '../../src/postgres/wire/messages.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()

/** Text that the server can store: no NUL and no half surrogate pair. */
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))

/** The range of the server: from 4713 BC to the last date of JavaScript. */
const dates = fc.date({
  min: new Date('-004712-01-01T00:00:00.000Z'),
  max: new Date(8_640_000_000_000_000),
  noInvalidDate: true,
})

/** A type, values of it, and what the server must return for a value cast to text. */
type Case = { values: fc.Arbitrary<unknown>; shown: (value: never) => string; show?: string }

const cases: Record<ColumnType, Case> = {
  bool: { values: fc.boolean(), shown: (value: boolean) => (value ? 'true' : 'false') },
  int2: { values: extremes(-(2 ** 15), 2 ** 15 - 1), shown: String },
  int4: { values: extremes(-(2 ** 31), 2 ** 31 - 1), shown: String },
  int8: {
    values: fc.oneof(
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 1n, 2n ** 53n + 1n),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
    shown: String,
  },
  uuid: { values: fc.uuid(), shown: (value: string) => value },
  timestamptz: {
    values: fc.oneof(
      fc.constantFrom(new Date(0), new Date(-1), new Date('2000-01-01'), new Date(8.64e15)),
      dates,
    ),
    show: `round(extract(epoch from value) * 1000)`,
    shown: (value: Date) => `${value.getTime()}`,
  },
  text: {
    values: fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        'NULL',
        '{}',
        '{"a",b}',
        '\\',
        "'",
        '"',
        '👩🏽‍🚀',
        'naïve ₦',
        '\n\t',
      ),
      text,
    ),
    shown: (value: string) => value,
  },
  json: {
    values: fc.object({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('\\u')),
    shown: (value: object) => JSON.stringify(value),
  },
  jsonText: {
    values: fc.constantFrom('{}', '{ "a" : 1.0 }', '[1,  2]', '"text"', 'null'),
    shown: (value: string) => value,
  },
  bytea: {
    values: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.constant(Buffer.from([0, 255, 0])),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ),
    show: `encode(value, 'hex')`,
    shown: (value: Buffer) => value.toString('hex'),
  },
}

function extremes(min: number, max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(min, max, 0, -1, 1), fc.integer({ min, max }))
}

function toList(type: ColumnType, values: readonly unknown[]): ListColumn {
  return new ListColumn(
    'value',
    type,
    values.map((value) => ({ value })),
  )
}

async function askServer(type: ColumnType, values: unknown[], show = 'value::text') {
  const sent = type.startsWith('json') ? 'text' : type
  const rows = await db.rows<{ shown: string | null }>({
    text: `select (${show})::text as shown
      from unnest($1::${sent}[]) with ordinality as list (value, place) order by place`,
    values: [toList(type, values)],
  })
  return rows.map(({ shown }) => shown)
}

// Any list of any type, with nulls anywhere, empty, or of nulls only: the server must read exactly
// the values that were written, in order.
test.each(Object.keys(cases) as ColumnType[])('%s arrives as it was sent', async (type) => {
  const { values, shown, show } = cases[type]
  const lists = fc.array(fc.option(values, { nil: null, freq: 5 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const expected = list.map((value) => (value === null ? null : shown(value as never)))
      expect(await askServer(type, list, show)).toEqual(expected)
    }),
    { numRuns: 60, examples: [[[]], [[null]], [[null, null, null]]] },
  )
})

// We parse results too: a store function must read back what it wrote. In a
// transaction the first run prepares it, the second uses what it remembers.
test('a list of rows is read back unchanged', async () => {
  const columns = {
    number: 'int4',
    amount: 'int8',
    id: 'uuid',
    name: 'text',
    isHold: 'bool',
    hash: 'bytea',
    at: 'timestamptz',
    status: 'int2',
  } as const
  const echo = listStatement<typeof columns, unknown>({
    name: 'echo_rows',
    columns,
    text: (list, parameter) => `select list.*, ${parameter(0)}::text as more from ${list}`,
  })
  const row = fc.record({
    number: cases.int4.values as fc.Arbitrary<number>,
    amount: fc.option(cases.int8.values as fc.Arbitrary<bigint>),
    id: fc.uuid(),
    name: fc.option(text),
    isHold: fc.boolean(),
    hash: cases.bytea.values as fc.Arbitrary<Buffer>,
    at: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
    status: fc.option(extremes(100, 599)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
      const expected = rows.map((sent) => ({ ...sent, more: 'and more' }))
      expect(await db.rows(echo(rows, 'and more'))).toEqual(expected)
      const run = async (tx: Tx) => [
        await tx.rows(echo(rows, 'and more')),
        await tx.rows(echo(rows, 'and more')),
      ]
      expect(await db.transaction(run)).toEqual([expected, expected])
    }),
    { numRuns: 60 },
  )
})

// The buffer is not zeroed, so a value that is too short would send old memory, and one that is too
// long would overwrite its neighbour. Both must be refused.
test.each([
  ['uuid', 'not a uuid'],
  ['uuid', ''],
  ['uuid', '019b8d62-7a80-7d4c-91e7-3ebb339f9a1'],
  ['uuid', '019b8d62-7a80-7d4c-91e7-3ebb339f9a1e00'],
  ['uuid', '019b8d62-7a80-7d4c-91e7-3ebb339f9azz'],
  ['int2', 32_768],
  ['int4', 2_147_483_648],
  ['int8', 2n ** 63n],
  ['timestamptz', new Date(Number.NaN)],
  ['text', undefined],
] as const)('%s refuses %s', (type, value) => {
  expect(() => toList(type, [value, value]).toPostgres()).toThrow()
})

// The server refuses what it cannot store; nothing is cut off silently.
test('a NUL in a text is refused by the server', async () => {
  await expect(askServer('text', ['before\0after'])).rejects.toMatchObject({ code: '22021' })
})
