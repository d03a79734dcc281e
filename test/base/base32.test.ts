import { base32crockford } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base32ToHex, hexToBase32 } from '../../src/base/base32.js'

test('references are spelled as the library spells base 32', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(bytes, (id) => {
      const hex = Buffer.from(id).toString('hex')
      const text = base32crockford.encode(id).toLowerCase()
      expect(hexToBase32(hex)).toBe(text)
      expect(base32ToHex(text)).toBe(hex)
    }),
    { numRuns: 2_000 },
  )
})

test('the last digit has only three bits', () => {
  const text = hexToBase32('f'.repeat(32))
  const accepted = [...'0123456789abcdefghjkmnpqrstvwxyz'].filter(
    (digit) => base32ToHex(text.slice(0, -1) + digit) !== undefined,
  )
  expect(accepted).toEqual(['0', '4', '8', 'c', 'g', 'm', 'r', 'w'])
})
