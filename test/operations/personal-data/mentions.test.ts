import { expect, test } from 'vitest'
import { createMentions } from '../../../src/operations/personal-data/mentions.js'
import type { Identifiers } from '../../../src/operations/personal-data/person.js'

const identifiers: Identifiers = {
  emails: [],
  phones: ['+2348099912345'],
  numbers: ['0123456789'],
  wallets: [],
  names: [],
}
const person = {
  ...identifiers,
  customers: [],
  sessions: [],
  accounts: [],
  payments: [],
  payouts: [],
  claims: [],
  returns: [],
  recipients: [],
  batches: [],
  typed: identifiers,
  found: identifiers,
  merchantIds: new Set<string>(),
  own: new Set<string>(),
  answered: [],
}
const { erase } = createMentions(person)
const eraseText = (text: string, column = 'body') =>
  erase({ texts: [text], merchantId: null, ids: [] }, { typed: [{ name: column }] })[0]

test.each([
  ['{"account_number":123456789}', '{"account_number":"[erased]"}'],
  ['{"customerPhone": 8099912345 }', '{"customerPhone": "[erased]" }'],
  ['{"data":{"sender_account":123456789}}', '{"data":{"sender_account":"[erased]"}}'],
  ['{"amount":123456789}', '{"amount":123456789}'],
  ['{"account":{"amount":123456789}}', '{"account":{"amount":123456789}}'],
  ['{"account":[],"amount":123456789}', '{"account":[],"amount":123456789}'],
  ['{"accountNumber":1234567890}', '{"accountNumber":1234567890}'],
  ['{"accountNumber":-123456789}', '{"accountNumber":-123456789}'],
  [
    '{"metadata":{"a":[{"b":123456789}]},"fee":123456789}',
    '{"metadata":{"a":[{"b":"[erased]"}]},"fee":123456789}',
  ],
  ['{"metadata":{"a":123456789,"b', '{"metadata":{"a":"[erased]","b'],
  ['{"a\\"{":1,"metadata":{"n":2348099912345}}', '{"a\\"{":1,"metadata":{"n":"[erased]"}}'],
  ['{"call":"08099912345"}', '{"call":"[erased]"}'],
  ['{"call":"+2348099912345"}', '{"call":"[erased]"}'],
  ['Call 2348099912345.', '[erased]'],
])('%s becomes %s', (text, expected) => {
  expect(eraseText(text)).toBe(expected)
})

test('a column of metadata may hold numbers anywhere', () => {
  expect(eraseText('{"n":123456789,"m":5}', 'metadata')).toBe('{"n":"[erased]","m":5}')
  expect(eraseText('{"n":123456789,"m":5}', 'lines')).toBe('{"n":123456789,"m":5}')
})
