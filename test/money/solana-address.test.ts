import { base58 } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase58, findAddressBytes } from '../../src/money/solana-address.js'

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

test('every 32 bytes have an address, also those that begin with zeros', () => {
  const bytes = fc
    .tuple(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([zeros, all]) => all.fill(0, 0, zeros))
  fc.assert(
    fc.property(bytes, (value) => {
      expect(findAddressBytes(base58.encode(value))).toEqual(value)
    }),
    { numRuns: 2_000 },
  )
})

test('a text of base58 letters is decoded to the bytes that it encodes', () => {
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 100 })
  fc.assert(
    fc.property(text, (value) => {
      expect(base58.encode(decodeBase58(value)!)).toBe(value)
    }),
    { numRuns: 2_000 },
  )
})

test('a text with any other character is not decoded', () => {
  const unit = fc.constantFrom('1', 'a', 'z', '0', 'O', 'l', 'I', ' ', '₦', '\0')
  const text = fc.string({ unit }).filter((value) => !/^[1az]*$/.test(value))
  fc.assert(
    fc.property(text, (value) => {
      expect(decodeBase58(value)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})
