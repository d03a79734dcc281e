import { describe, expect, test } from 'vitest'
import { parseWithNumberTexts } from '../../../src/rails/bank/number-texts.js'
import { Unreadable } from '../../../src/rails/bank/provider-client.js'
import {
  lookUp,
  needAccountNumber,
  needCurrency,
  needId,
  needTime,
  readBanks,
  readName,
  readRows,
  readTime,
} from '../../../src/rails/bank/read-fields.js'

// PostgreSQL refuses a NUL in a text, and fails to read a lone surrogate in JSON.
test('what PostgreSQL cannot store is replaced when an answer is parsed', () => {
  const text = String.raw`{"a":"Ada\u0000Obi","b":["\ud800x"],"c":"\ud83d\ude00","d":1.50}`
  expect(parseWithNumberTexts(text)).toEqual({ a: 'Ada Obi', b: ['\ufffdx'], c: '😀', d: '1.50' })
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'tomorrow', '', null, 5, {}])(
  'the word %s means nothing',
  (word) => {
    expect(lookUp({ success: 'paid' }, word)).toBeUndefined()
    expect(lookUp({ success: 'paid' }, 'success')).toBe('paid')
  },
)

describe('times', () => {
  test.each(['2026-03-02T10:00:00.000Z', '2026-03-02T11:00:00+0100', '2026-03-02T11:00+01:00'])(
    '%s is a time',
    (text) => {
      expect(needTime(text, 'paid_at')).toEqual(new Date('2026-03-02T10:00:00.000Z'))
    },
  )

  // `new Date` takes "5" for a day in May, and a time without a zone for one of this machine.
  test.each([
    '5',
    '2026-03-02',
    '2026-03-02 10:00:00',
    '02/03/2026',
    'N/A',
    '9999-12-31T00:00:00Z',
  ])('%s is none', (text) => {
    expect(readTime(text)).toBeUndefined()
    expect(() => needTime(text, 'paid_at')).toThrow(Unreadable)
  })
})

test('keys of our tables are bounded, and have the form of their kind', () => {
  expect(() => needId('x'.repeat(201), 'id')).toThrow(Unreadable)
  for (const number of ['Mock Bank', '123', '0123456789 ', null])
    expect(() => needAccountNumber(number, 'number')).toThrow(Unreadable)
  for (const currency of ['naira', 'constructor', '', 566])
    expect(() => needCurrency(currency, 'currency')).toThrow(Unreadable)
})

test('a name is one bounded line', () => {
  expect(readName(' Ada\r\nObi\u0007 ')).toBe('Ada Obi')
  expect(readName('\n')).toBeUndefined()
  expect(readName('😀'.repeat(200))?.isWellFormed()).toBe(true)
  expect(readName('x'.repeat(5_000))).toHaveLength(200)
})

test('an odd row does not hide the others', () => {
  const rows = [{ id: 'a' }, {}, { id: 'b' }]
  expect(readRows(rows, ({ id }) => needId(id, 'id'))).toEqual({
    items: ['a', 'b'],
    unreadable: ['the answer has no id'],
  })
  const fail = () => {
    throw new TypeError('a bug')
  }
  expect(() => readRows(rows, fail)).toThrow(TypeError)
})

test('banks that our API cannot name are left out', () => {
  const rows = [{ code: '035A', name: 'ALAT' }, { code: '058' }, { code: '1 2', name: 'x' }, {}]
  expect(readBanks(rows)).toEqual([{ code: '035A', name: 'ALAT' }])
})
