import { base32crockford } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatUuid,
  fromReference,
  newId,
  prefixes,
  toReference,
  toUuid,
} from '../../src/base/ids.js'

const prefix = fc.constantFrom(...Object.values(prefixes))
const time = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
const now = new Date('2026-01-05T09:00:00.000Z')

test('an id is a UUID of version 7 that carries its time', () => {
  fc.assert(
    fc.property(time, (at) => {
      const id = newId(at)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at.getTime())
    }),
  )
})

// Random bytes are drawn in bulk: a slice handed out twice would give two payouts the same id. Ten
// thousand ids of one millisecond refill the pool many times.
test('ids of the same millisecond are all different', () => {
  const ids = Array.from({ length: 10_000 }, () => newId(now))
  expect(new Set(ids).size).toBe(10_000)
  // The pool is one buffer that is refilled: earlier ids must not change with it.
  expect(ids.every((id) => id.startsWith('019b8d62-7a80-7'))).toBe(true)
})

// Over many ids, each of the 74 bits is seen as 0 and 1.
test('an id has 74 random bits', () => {
  const ids = Array.from({ length: 400 }, () => BigInt(`0x${newId(now).replaceAll('-', '')}`))
  const everOne = ids.reduce((bits, id) => bits | id, 0n)
  const everZero = ids.reduce((bits, id) => bits | ~id, 0n)
  const both = (everOne & everZero & (2n ** 80n - 1n)).toString(2)
  expect(both.replaceAll('0', '')).toHaveLength(74)
})

// Plain text order is order of age.
test('references sort by age', () => {
  fc.assert(
    fc.property(time, time, prefix, (one, other, of) => {
      fc.pre(one.getTime() !== other.getTime())
      const [older, newer] = one < other ? [one, other] : [other, one]
      expect(toReference(of, newId(older)) < toReference(of, newId(newer))).toBe(true)
    }),
  )
})

// Also within one millisecond.
test('references sort as their ids do', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const [left, right] = [toReference('ct_', one), toReference('ct_', other)]
      expect(left < right).toBe(one < other)
    }),
  )
})

test('a reference is its id in 26 plain characters', () => {
  fc.assert(
    fc.property(time, prefix, (at, of) => {
      const id = newId(at)
      const reference = toReference(of, id)
      expect(reference.slice(of.length)).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
      expect(fromReference(of, reference)).toBe(id)
    }),
  )
})

// One resource has one spelling: upper case, look-alike letters, other prefixes and extra
// characters are not found.
test('any other spelling of a reference is not found', () => {
  const reference = toReference('ct_', newId(now))
  const body = reference.slice(3)
  const others = [
    reference.toUpperCase(),
    `ct_${body.toUpperCase()}`,
    `CT_${body}`,
    body,
    `evt_${body}`,
    `cr_${body}`,
    ` ${reference}`,
    `${reference} `,
    `${reference}\n`,
    `${reference}0`,
    `ct_0${body}`,
    reference.slice(0, -1),
    `ct_${body.slice(0, 13)}-${body.slice(13)}`,
    `ct_ct_${body}`,
    'ct_',
    '',
    // Crockford's decoder reads these as 1, 1, 0.
    `ct_i${body.slice(1)}`,
    `ct_l${body.slice(1)}`,
    `ct_o${body.slice(1)}`,
    `ct_u${body.slice(1)}`,
  ]
  for (const other of others) expect(fromReference('ct_', other)).toBeUndefined()
  for (const of of Object.values(prefixes))
    if (of !== 'ct_') expect(fromReference(of, reference)).toBeUndefined()
})

// 26 characters hold two bits more than an id. If set, they would be a second spelling.
test('the two spare bits of a reference must be zero', () => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  const reference = toReference('ct_', newId(now))
  const last = alphabet.indexOf(reference.at(-1)!)
  const spellings = [0, 1, 2, 3].map((spare) => reference.slice(0, -1) + alphabet[last + spare])
  expect(spellings.map((text) => fromReference('ct_', text) !== undefined)).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('any text is the reference of one id, or of none', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABZ-_'),
  })
  const body = fc.oneof(fc.string(), letters, fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/))
  fc.assert(
    fc.property(prefix, body, (of, text) => {
      const id = fromReference(of, of + text)
      if (id !== undefined) expect(toReference(of, id)).toBe(of + text)
    }),
    { numRuns: 500 },
  )
})

// No prefix starts with another, or a reference could be of two kinds.
test('prefixes cannot be mistaken for each other', () => {
  const all = Object.values(prefixes)
  for (const one of all) {
    expect(one).toMatch(/^[a-z]+_$/)
    expect(all.filter((other) => other.startsWith(one))).toEqual([one])
  }
})

test('sixteen bytes are formatted as the database does', () => {
  expect(toUuid('019b8d627a807d4c91e73ebb339f9a1e')).toBe('019b8d62-7a80-7d4c-91e7-3ebb339f9a1e')
})

/** The plain twins of `toReference` and `fromReference`. */
const library = {
  encode: (id: string) =>
    base32crockford.encode(Buffer.from(id.replaceAll('-', ''), 'hex')).toLowerCase(),
  decode(text: string): string | undefined {
    if (!/^[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return undefined
    try {
      const bytes = base32crockford.decode(text.toUpperCase())
      const id = toUuid(Buffer.from(bytes).toString('hex'))
      return library.encode(id) === text ? id : undefined
    } catch {
      return undefined
    }
  },
}

const anyId = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => toUuid(Buffer.from(bytes).toString('hex')))

test('references are written and read as a base 32 library does', () => {
  const characters = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzAZ-_ é€', '\0', '👍')
  const body = fc.oneof(
    anyId.map(library.encode),
    fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/),
    fc.string({ unit: characters, minLength: 24, maxLength: 28 }),
    // One character changed.
    fc
      .tuple(anyId.map(library.encode), fc.nat(25), characters)
      .map(([text, at, one]) => text.slice(0, at) + one + text.slice(at + 1)),
  )
  fc.assert(
    fc.property(anyId, prefix, body, (id, of, text) => {
      expect(toReference(of, id)).toBe(of + library.encode(id))
      expect(toReference(of, id.toUpperCase())).toBe(of + library.encode(id))
      expect(fromReference(of, of + text)).toBe(library.decode(text))
    }),
    { numRuns: 2_000 },
  )
})

test('the bytes of an id are formatted as its hex digits are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), fc.nat(8), (bytes, at) => {
      const hex = Buffer.from(bytes.subarray(at, at + 16)).toString('hex')
      expect(formatUuid(bytes, at)).toBe(toUuid(hex))
    }),
  )
})
