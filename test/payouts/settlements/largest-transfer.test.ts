import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeFee, type FeeSchedule } from '../../../src/money/fees.js'
import { largestTransfer } from '../../../src/payouts/settlements/largest-transfer.js'

const kobo = (max: number) => fc.integer({ min: 0, max }).map(BigInt)
const rate = { flat: kobo(900), basisPoints: fc.integer({ min: 0, max: 3_000 }) }

/** Fees of all shapes, also those that fall where a tier ends. */
const schedules: fc.Arbitrary<FeeSchedule> = fc.record({
  ...rate,
  floor: kobo(300),
  cap: fc.option(kobo(2_000)),
  tiers: fc
    .uniqueArray(fc.record({ ...rate, upTo: fc.integer({ min: 1, max: 12_000 }).map(BigInt) }), {
      maxLength: 3,
      selector: ({ upTo }) => upTo,
    })
    .map((tiers) => tiers.toSorted((one, other) => Number(one.upTo - other.upTo))),
})

/** Also one that is larger than the transfers that owe it. */
const levies = fc.option(fc.record({ threshold: kobo(12_000), amount: kobo(2_000) }))

// Compared with trying every amount.
test.each([
  ['whole-naira', 100n, 15_000],
  ['exact', 1n, 1_500],
])('the largest %s amount whose fee and levy the budget covers is found', (_name, step, most) => {
  const bounds = fc.record({ budget: kobo(most), min: kobo(most / 5), max: kobo(most) })
  fc.assert(
    fc.property(bounds, schedules, levies, (bounds, fee, levy) => {
      const costOf = (amount: bigint) => {
        const owed = levy !== null && amount >= levy.threshold ? levy.amount : 0n
        return amount + computeFee(fee, amount) + owed
      }
      let expected: bigint | undefined
      for (let amount = step; amount <= bounds.max; amount += step)
        if (amount >= bounds.min && costOf(amount) <= bounds.budget) expected = amount
      const found = largestTransfer({ ...bounds, fee, levy, step })
      expect(found?.amount).toBe(expected)
      if (found) expect(found.fee).toBe(computeFee(fee, found.amount))
    }),
    { numRuns: 500 },
  )
})
