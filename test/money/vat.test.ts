import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toEnvironmentId } from '../../src/base/environment.js'
import { firstIdAt, newId } from '../../src/base/ids.js'
import { computeVat, VatRates } from '../../src/money/vat.js'

test.each([
  // 2,500 × 7.5 % ÷ 107.5 % = 174.41…
  [2_500n, 750, 174n],
  // 5,000 × 7.5 % ÷ 107.5 % = 348.83…
  [5_000n, 750, 349n],
  [107_500n, 750, 7_500n],
  // Exactly half a unit is rounded up: 3 × 20 % ÷ 120 % = 0.5.
  [3n, 2_000, 1n],
  [2n, 2_000, 0n],
  [1n, 750, 0n],
  [0n, 750, 0n],
  [5_000n, 0, 0n],
  [9_007_199_254_740_991n, 750, 628_409_250_330_767n],
  // What is given back contains as much as what was charged.
  [-3n, 2_000, -1n],
])('%s at %s basis points contains %s', (fee, basisPoints, vat) => {
  expect(computeVat(fee, basisPoints)).toBe(vat)
})

test('VAT is within half a unit of the exact share, and of the net fee it is the rate', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.integer({ min: 0, max: 10_000 }),
      (fee, basisPoints) => {
        const vat = computeVat(fee, basisPoints)
        // |vat − fee × r ÷ (10,000 + r)| ≤ ½, without a division.
        const whole = 10_000n + BigInt(basisPoints)
        const twice = 2n * (vat * whole - fee * BigInt(basisPoints))
        expect(twice <= whole && twice > -whole).toBe(true)
        expect(vat >= 0n && vat <= fee).toBe(true)
      },
    ),
  )
})

const [shop, other] = [toEnvironmentId(1), toEnvironmentId(2)]
const start = new Date('2027-01-01T00:00:00Z')
const later = new Date('2028-01-01T00:00:00Z')

function rates(): VatRates {
  const known = new VatRates()
  known.noteEnvironment({ id: shop, mode: 'live' })
  known.noteEnvironment({ id: other, mode: 'test' })
  known.replace([
    { mode: 'live', holdsFrom: start, basisPoints: 750 },
    { mode: 'live', holdsFrom: later, basisPoints: 1_000 },
    { mode: 'test', holdsFrom: later, basisPoints: 2_000 },
  ])
  return known
}

test('a fee has the rate of the time at which it was charged, to the millisecond', () => {
  const vatAt = (time: string, environmentId = shop) =>
    rates().vatOf({ environmentId, causeId: newId(new Date(time)), fee: 10_750n })
  expect(vatAt('2026-12-31T23:59:59.999Z')).toBe(0n)
  expect(vatAt('2027-01-01T00:00:00.000Z')).toBe(750n)
  expect(vatAt('2027-12-31T23:59:59.999Z')).toBe(750n)
  expect(vatAt('2028-01-01T00:00:00.000Z')).toBe(977n)
  expect(vatAt('2027-06-01T00:00:00.000Z', other)).toBe(0n)
  expect(vatAt('2028-06-01T00:00:00.000Z', other)).toBe(1_792n)
})

test('without rates there is no VAT', () => {
  const causeId = firstIdAt(later)
  expect(new VatRates().vatOf({ environmentId: shop, causeId, fee: 10_750n })).toBe(0n)
  const known = rates()
  known.replace([])
  expect(known.vatOf({ environmentId: shop, causeId, fee: 10_750n })).toBe(0n)
})
