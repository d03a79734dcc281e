import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInexact, rawField, withAllDigits } from '../../src/api/parse/exact-json.js'
import { isPlainJson } from '../../src/api/parse/plain-json.js'
import { canonicalJson } from '../../src/idempotency/key.js'

const textOf = (text: string) => canonicalJson(withAllDigits(text, JSON.parse(text)))

test.each([
  ['{"amount":5.0000000000000001}', 'amount', /read exactly, not 5\.0000000000000001/],
  ['{"deep":[0,{"n":9007199254740990.9999}]}', 'deep.1.n', /read exactly/],
  ['{"a":{"b":"1e400"},"c":1e400}', 'c', /read exactly, not 1e400/],
  ['{"a":-1e-400}', 'a', /read exactly/],
  ['{"amount":5,"amount":6}', 'amount', /twice/],
  ['{"b":1,"a":{"b":1,"b":1}}', 'a.b', /twice/],
  ['{"a":1,"\\u0061":2}', 'a', /twice/],
  ['{"a":[{"b":1},{"b":1,"c":2,"c":3}]}', 'a.1.c', /twice/],
  ['{"name":"a\\ud800b"}', 'name', /surrogate/],
  ['{"name":["x","\\udc00"]}', 'name.1', /surrogate/],
  ['{"a\\ud800":1}', 'a�', /surrogate/],
])('%s is refused as %s', (text, field, message) => {
  const { message: actual, details } = findInexact(text)!
  expect(actual).toMatch(message)
  expect(details).toEqual([{ field, issue: actual.slice(field.length + 1, -1) }])
})

// Some parse to the same number; each is a different request.
test('numbers of any length are distinguished, however the body is formatted', () => {
  const [one, other] = ['12345678901234567890', '12345678901234567891']
  expect(textOf(`{"a":${one}}`)).toBe(`{"a":${one}}`)
  expect(textOf(`{"a":${one}}`)).not.toBe(textOf(`{"a":${other}}`))
  expect(textOf(`{"a":${one}}`)).not.toBe(textOf(`{"a":"${one}"}`))
  expect(textOf(`{ "b" : -${one}, "a":[ ${one} ] }`)).toBe(textOf(`{"a":[${one}],"b":-${one}}`))
  expect(textOf('{"a":100000000000000000000}')).toBe(textOf('{"a":1e20}'))
  const text = `{"__proto__":{"a":${one}},"wallet":"${one}"}`
  expect(textOf(text)).toBe(text)
})

// A quadratic scan would take seconds for this.
test('the longest possible number is parsed quickly', () => {
  const text = `{"a":${'1'.repeat(60_000)}}`
  const startedAt = performance.now()
  expect(findInexact(text)).toBeUndefined()
  expect(textOf(text)).toBe(text)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})

test.each([
  '{"amount":9007199254740991}',
  '{"price":0.1,"rate":1.10,"tiny":1e-7,"large":1e21,"zero":0.0000000000000000}',
  '{"text":"12345678901234567890: \\"a\\": 1","b":"\\\\ud800"}',
  '{"smile":"\\ud83d\\ude00"}',
  '[[[]],{}]',
])('%s is accepted', (text) => {
  expect(findInexact(text)).toBeUndefined()
})

// The output of JSON.stringify is always unambiguous.
test('everything from JSON.stringify is accepted', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(findInexact(text)).toBeUndefined()
    }),
  )
})

test('excessive nesting is refused, however deep', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const deeper = /nested deeper than 100 levels. Send it flatter/
  expect(findInexact(nested(100))).toBeUndefined()
  for (const depth of [102, 3_000]) expect(findInexact(nested(depth))?.message).toMatch(deeper)
  expect(findInexact(nested(30_000))?.message).toMatch(deeper)
})

test.each([
  ['{"metadata":{"2":1,"1":2}}', '{"2":1,"1":2}'],
  [
    '{ "a" : {"metadata": 1}, "metadata" : { "b" : [ 1.0, "x , }" ] } , "c":2}',
    '{"b":[1.0,"x , }"]}',
  ],
  ['{"a":"metadata","metadata":{}}', '{}'],
  [
    '{"a":["metadata",{"metadata":3}],"meta\\u0064ata":{"k":"\\"metadata\\":"}}',
    '{"k":"\\"metadata\\":"}',
  ],
  ['{"a":1}', undefined],
  ['{"a":{"metadata":{}}}', undefined],
])('the field of %s', (text, expected) => {
  expect(rawField(text, 'metadata')).toBe(expected)
})

// Surroundings and formatting do not change the field.
test('is the field, in any document', () => {
  fc.assert(
    fc.property(fc.object(), fc.object(), fc.nat({ max: 4 }), (before, metadata, blanks) => {
      const document = { ...(JSON.parse(JSON.stringify(before)) as object), metadata }
      const text = JSON.stringify(document, null, blanks)
      const raw = rawField(text, 'metadata')
      expect(raw).toBe(JSON.stringify(JSON.parse(text).metadata))
    }),
  )
})

/** JSON text that parsers may read differently: repeated names, odd numbers, escapes, depth. */
const hostile = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom('null', 'true', 'false', '""', '0', '-0', '1e3', '1E+2', '1.10', '-1e-400'),
    fc.constantFrom('123456789012345', '1234567890123456', '-12345678901234', '5.0000000000000001'),
    fc.constantFrom(
      '"a:b,{"',
      '"\\ud800"',
      '"\\ud83d\\ude00"',
      '"\\""',
      '"1e5"',
      '"₦ 👍"',
      '"\\\\"',
    ),
    fc.bigInt().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' , ')}]`),
    fc
      .array(
        fc.tuple(
          fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"1"', '"__proto__"', '"toString"'),
          tie('value'),
        ),
        { maxLength: 4 },
      )
      .map((fields) => `{${fields.map(([name, field]) => `${name}\n: ${field}`).join(',')}}`),
  ),
})).value

// The quick check may only say yes where the exact one has nothing to say.
test('a body that passes the quick check is exact', () => {
  let passed = 0
  fc.assert(
    fc.property(hostile, (text) => {
      const value = JSON.parse(text)
      if (!isPlainJson(text, value)) return
      passed += 1
      expect(findInexact(text)).toBeUndefined()
      expect(withAllDigits(text, value)).toBe(value)
    }),
    { numRuns: 3_000 },
  )
  expect(passed).toBeGreaterThan(300)
})

test.each([
  '{"asset":"NGN","amount":1}',
  '{"amount":"25.50","metadata":{"a":[1,-2.5,{"b":null}],"time":"10:30"}}',
  '[]',
  '{"__proto__":{"a":1}}',
])('an ordinary body passes the quick check: %s', (text) => {
  expect(isPlainJson(text, JSON.parse(text))).toBe(true)
})

test.each([
  '{"a":1,"a":1}',
  '{"a":{"b":1,"b":2}}',
  '{"a":1e400}',
  '{"a":1e-400}',
  '{"a":1.0000000000000001}',
  '{"a":"\\ud800"}',
  '{"a":1,"\\u0061":2}',
  `${'['.repeat(102)}${']'.repeat(102)}`,
])('an ambiguous body does not pass the quick check: %s', (text) => {
  expect(isPlainJson(text, JSON.parse(text))).toBe(false)
})

test('a field is found however its name is spelled', () => {
  expect(rawField('{"met\\u0061data":{"a":1}}', 'metadata')).toBe('{"a":1}')
  expect(rawField('{"a":"metadata"}', 'metadata')).toBeUndefined()
  expect(rawField('{"a":1}', 'metadata')).toBeUndefined()
})
