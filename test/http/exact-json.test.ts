import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInexact } from '../../src/http/exact-json.js'

const judge = (text: string) => findInexact(text, JSON.parse(text))

test.each([
  ['{"amount":5.0000000000000001}', /5\.0000000000000001 cannot be read exactly/],
  ['{"deep":[{"n":9007199254740990.9999}]}', /cannot be read exactly/],
  ['{"amount":5,"amount":6}', /twice/],
  ['{"a":{"b":1,"b":1}}', /twice/],
  ['{"a":1,"\\u0061":2}', /twice/],
  ['{"name":"a\\ud800b"}', /surrogate/],
  ['{"name":"\\udc00"}', /surrogate/],
])('%s is refused', (text, message) => {
  expect(judge(text)).toMatch(message)
})

test.each([
  '{"amount":9007199254740991}',
  '{"price":0.1,"rate":1.10,"tiny":1e-7,"large":1e21,"zero":0.0000000000000000}',
  '{"text":"12345678901234567890: \\"a\\": 1","b":"\\\\ud800"}',
  '{"smile":"\\ud83d\\ude00"}',
  '[[[]],{}]',
])('%s is taken', (text) => {
  expect(judge(text)).toBeUndefined()
})

// Whatever a program writes with JSON.stringify says one thing only.
test('everything that was written from a value is taken', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(findInexact(text, JSON.parse(text))).toBeUndefined()
    }),
  )
})

test('a body nested deeper than anyone would is refused, however deep it is', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(judge(nested(100))).toBeUndefined()
  for (const depth of [102, 3_000]) expect(judge(nested(depth))).toMatch(/nested deeper/)
  expect(findInexact(nested(30_000), JSON.parse(nested(30_000)))).toMatch(/nested deeper/)
})
