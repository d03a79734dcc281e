import { base58 } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../src/money/base58.js'

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.uint8Array({ minLength: 64, maxLength: 64 }),
  fc.tuple(fc.nat(40), fc.uint8Array({ maxLength: 40 })).map(([zeros, rest]) => {
    const all = new Uint8Array(zeros + rest.length)
    all.set(rest, zeros)
    return all
  }),
  fc.nat(70).map((length) => new Uint8Array(length).fill(255)),
)

test('bytes are encoded as by @scure/base, and decoded again', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const text = encodeBase58(value)
      expect(text).toBe(base58.encode(value))
      expect(decodeBase58(text)).toEqual(value)
    }),
    { numRuns: 2_000 },
  )
})

test('a text is decoded as by @scure/base, or refused as there', () => {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const valid = fc.string({ unit: fc.constantFrom(...letters), maxLength: 100 })
  const any = fc.string({
    unit: fc.constantFrom('1', 'a', '0', 'O', 'l', 'I', ' ', '₦', '\0', 'z'),
  })
  fc.assert(
    fc.property(fc.oneof(valid, any), (text) => {
      let expected: Uint8Array | undefined
      try {
        expected = base58.decode(text)
      } catch {
        expected = undefined
      }
      expect(decodeBase58(text)).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})
