import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeFee, type FeeSchedule } from '../../src/money/fees.js'

const none: FeeSchedule = { flat: 0n, basisPoints: 0, floor: 0n, cap: null, tiers: [] }
const amount = fc.bigInt({ min: 1n, max: 10n ** 18n })
const money = fc.bigInt({ min: 0n, max: 10n ** 9n })
const rate = fc.record({ flat: money, basisPoints: fc.integer({ min: 0, max: 10_000 }) })

test.each([
  [1n, 0n],
  [49n, 0n],
  [50n, 1n],
  [149n, 1n],
  [150n, 2n],
  [10_000n, 100n],
  [10_049n, 100n],
  [10_050n, 101n],
])('one percent of %s is %s', (of, fee) => {
  expect(computeFee({ ...none, basisPoints: 100 }, of)).toBe(fee)
})

// At any size and rate, the fee is the nearest whole number to the exact fraction.
test('the proportional part is the nearest whole unit', () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (of, basisPoints) => {
      const fee = computeFee({ ...none, basisPoints }, of)
      const distance = fee * 10_000n - of * BigInt(basisPoints)
      expect(distance > -5_000n && distance <= 5_000n).toBe(true)
    }),
  )
})

// Where floor and cap contradict each other, the cap wins: it was promised to the merchant.
test('a fee stays between floor and cap, and the cap wins', () => {
  fc.assert(
    fc.property(amount, rate, money, fc.option(money), (of, base, floor, cap) => {
      const fee = computeFee({ ...base, floor, cap, tiers: [] }, of)
      if (cap !== null) expect(fee <= cap).toBe(true)
      if (cap === null || floor <= cap) expect(fee >= floor).toBe(true)
      expect(fee >= 0n).toBe(true)
    }),
  )
})

test('within one rate the fee never falls as the amount grows', () => {
  fc.assert(
    fc.property(amount, amount, rate, money, fc.option(money), (one, other, base, floor, cap) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      const schedule = { ...base, floor, cap, tiers: [] }
      expect(computeFee(schedule, less) <= computeFee(schedule, more)).toBe(true)
    }),
  )
})

// The default bank payout fee: ₦10, ₦25, ₦50 for up to ₦5,000, up to ₦50,000, and above.
test.each([
  [1n, 1_000n],
  [500_000n, 1_000n],
  [500_001n, 2_500n],
  [5_000_000n, 2_500n],
  [5_000_001n, 5_000n],
])('a bank payout of %s kobo costs %s', (of, fee) => {
  const schedule: FeeSchedule = {
    ...none,
    flat: 5_000n,
    tiers: [
      { upTo: 500_000n, flat: 1_000n, basisPoints: 0 },
      { upTo: 5_000_000n, flat: 2_500n, basisPoints: 0 },
    ],
  }
  expect(computeFee(schedule, of)).toBe(fee)
})

// The default virtual account fee: one percent, at most ₦2,000.
test.each([
  [19_999_949n, 199_999n],
  [20_000_000n, 200_000n],
  [10n ** 15n, 200_000n],
])('a collection of %s kobo costs %s', (of, fee) => {
  expect(computeFee({ ...none, basisPoints: 100, cap: 200_000n }, of)).toBe(fee)
})
