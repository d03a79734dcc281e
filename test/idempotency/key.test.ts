import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, keyPattern, toIdempotencyKey } from '../../src/idempotency/key.js'
import { idempotencyLimits } from '../../src/idempotency/limits.js'

/** Any JSON, with names that tend to collide: numbers, empty, quotes, prototypes. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, '', '1', 'null', '{}', '₦ 👍'),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.string(),
        fc.constantFrom('a', 'b', '1', '10', '2', '', '"', 'toString', 'constructor', 'é', 'z'),
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

/** The same value with the names of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, field]) => [name, reversed(field)] as const)
  return Object.fromEntries(entries.toReversed())
}

/** A body as received: negative zero, for example, is not preserved. */
function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const request = { method: 'POST', path: '/v1/things', body: { amount: 1 }, callerId: 'a key' }

// A client may send the same body with its names in another order, or with other white space.
test('equal bodies have equal text', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 3)))).toBe(
        canonicalJson(asSent(value)),
      )
    }),
  )
})

// Two bodies with the same text would share an answer. The text parses back to the body, so nothing
// is dropped, merged or rounded.
test('the text contains the whole body and nothing else', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(asSent(value))
      expect(JSON.parse(text)).toEqual(asSent(value))
      expect(canonicalJson(JSON.parse(text))).toBe(text)
    }),
  )
})

test.each([
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: '1' }, { a: 1 }],
  [{ a: null }, {}],
  [{ a: {} }, { a: [] }],
  [{ a: 'b,"c":1' }, { a: 'b', c: 1 }],
  [{ a: { b: 1 } }, { a: {}, b: 1 }],
  [{ a: 0 }, { a: false }],
  [{ a: 9_007_199_254_740_991 }, { a: 9_007_199_254_740_990 }],
  [
    { amount: 1, Amount: 2 },
    { amount: 2, Amount: 1 },
  ],
])('%j and %j are different requests', (left, right) => {
  expect(canonicalJson(left)).not.toBe(canonicalJson(right))
})

// Deeper than any real body, and well within the stack.
test('a body that is nested a thousand deep still has a text', () => {
  const deep = `${'['.repeat(1_000)}${']'.repeat(1_000)}`
  expect(canonicalJson(JSON.parse(deep))).toBe(deep)
})

// Method, path and body all count: the same key on another route is another request.
test('the fingerprint distinguishes requests, the digest distinguishes keys', () => {
  const key = toIdempotencyKey('k', request)
  expect(toIdempotencyKey('k', { ...request, body: { amount: 1 } })).toEqual(key)
  for (const other of [
    { ...request, method: 'PUT' },
    { ...request, path: '/v1/thing' },
    { ...request, body: { amount: 2 } },
    { ...request, body: undefined },
  ]) {
    const { digest, fingerprint } = toIdempotencyKey('k', other)
    expect(digest).toBe(key.digest)
    expect(fingerprint.equals(key.fingerprint)).toBe(false)
  }
  const another = toIdempotencyKey('K', request)
  expect(another.digest).not.toBe(key.digest)
  expect(another.fingerprint.equals(key.fingerprint)).toBe(true)
  expect(key.digest).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(key.fingerprint).toHaveLength(32)
})

test('a key is printable ASCII of a length that can be indexed', () => {
  const pattern = new RegExp(keyPattern)
  const longest = 'k'.repeat(idempotencyLimits.keyLengthMax)
  for (const text of ['k', '~', 'order #1/2: "x"', longest]) expect(text).toMatch(pattern)
  for (const text of ['', ' ', ' k', 'k ', `${longest}k`, 'é', 'a\n', '\u007f', 'a\0b', '👍'])
    expect(text).not.toMatch(pattern)
})

// Databases hold these: a change would turn every retry into a reused key.
test.each([
  [
    'k',
    { amount: 1 },
    '8254c329-a928-50f6-d539-dd376f4816ee',
    '3c359ac2a9573c25fb4086503ef4ef669cee38dc0b3bb9a95fa08188cd505910',
  ],
  [
    '2f1c8a1e-5b0e-4c8e-9a53-0d1f7d1f2a77',
    {
      walletAddress: 'x',
      amount: '25.50',
      asset: 'USDC',
      metadata: { b: [1, 2.5, null, true], a: {} },
    },
    'e4c9f1b9-ca74-e2c2-cf48-c7beaf30f1eb',
    '9695cb3b0d8d1318f492dcfdfe987f3c740778f99ff9081c75668892a8117cc9',
  ],
  [
    'big',
    {
      amount: 12345678901234567890n,
      list: [9007199254740993n, '₦ 👍', '"\\\n'],
      '10': 1,
      '9': 2,
      '': null,
    },
    '2a21fe6d-592a-19b7-de89-8b50eb53c429',
    '5234ae49d1bb81540cb25d8ba0f9a93c93d8badc15e231dde0032e47a898d542',
  ],
  [
    'none',
    undefined,
    '140bedbf-9c3f-6d56-a984-6d2ba7088798',
    'c0c510df940eb485e2e73cad9ad4685a96e77e3344ee8e8216057fdbc86a5659',
  ],
])('the stored form of key %s never changes', (text, body, digest, fingerprint) => {
  const key = toIdempotencyKey(text, { ...request, body })
  expect(key.digest).toBe(digest)
  expect(key.fingerprint.toString('hex')).toBe(fingerprint)
})
