import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAddressCheck, parseAddressRange } from '../../src/merchants/keys/address-ranges.js'

function toIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}

function toIpv6(value: bigint): string {
  const groups = Array.from(
    { length: 8 },
    (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn,
  )
  return groups.map((group) => group.toString(16)).join(':')
}

const ipv4 = fc.integer({ min: 0, max: 0xffff_ffff })
const ipv6 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })

test('an address is in an IPv4 range exactly when their leading bits match', () => {
  const flips = fc.integer({ min: 0, max: 31 })
  const property = fc.property(
    ipv4,
    fc.integer({ min: 0, max: 32 }),
    flips,
    (base, prefix, bit) => {
      const isAllowed = createAddressCheck([`${toIpv4(base)}/${prefix}`])
      // Flipping a bit leaves the range only if the prefix covers that bit.
      const other = (base ^ (1 << (31 - bit))) >>> 0
      return (
        isAllowed(toIpv4(base)) &&
        isAllowed(toIpv4(other)) === bit >= prefix &&
        isAllowed(`::ffff:${toIpv4(other)}`) === bit >= prefix
      )
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('an address is in an IPv6 range exactly when their leading bits match', () => {
  const flips = fc.integer({ min: 0, max: 127 })
  const property = fc.property(
    ipv6,
    fc.integer({ min: 0, max: 128 }),
    flips,
    (base, prefix, bit) => {
      const isAllowed = createAddressCheck([`${toIpv6(base)}/${prefix}`])
      const other = base ^ (1n << BigInt(127 - bit))
      return isAllowed(toIpv6(base)) && isAllowed(toIpv6(other)) === bit >= prefix
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('an invalid range is not parsed and allows no address', () => {
  const wrong = ['', 'localhost', '10.0.0.0/33', '10.0.0', '::/129', '10.0.0.0/', '10.0.0.0/-1']
  for (const text of [...wrong, '10.0.0.0/8 ', '1.2.3.4/8/8', 'fe80::1%eth0', '010.0.0.1'])
    expect(parseAddressRange(text), text).toBeUndefined()

  expect(createAddressCheck(['nonsense'])('10.0.0.1')).toBe(false)
  const isAllowed = createAddressCheck(['10.0.0.0/8'])
  for (const address of ['', 'unknown', 'fe80::1%eth0', '10.0.0.1 ', '11.0.0.1', '::1'])
    expect(isAllowed(address), address).toBe(false)
})

test('without ranges every caller is allowed', () => {
  expect(createAddressCheck([])('203.0.113.7')).toBe(true)
})
