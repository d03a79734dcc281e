import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFeeSchedule, toFeeDocument } from '../../src/merchants/settings/fee-document.js'
import {
  feeOperationNames,
  feeOperations,
  getFeeSchedule,
  getFeeSchedules,
  setFeeSchedule,
} from '../../src/merchants/settings/fee-schedules.js'
import { computeFee, type FeeSchedule } from '../../src/money/fees.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

const amount = fc.bigInt({ min: 0n, max: 9_999_999_999_999_999n })
const basisPoints = fc.integer({ min: 0, max: 10_000 })
const tiers = fc
  .uniqueArray(
    fc.record({ upTo: fc.bigInt({ min: 1n, max: 10n ** 15n }), flat: amount, basisPoints }),
    {
      selector: (tier) => tier.upTo,
      maxLength: 20,
    },
  )
  .map((list) => list.sort((left, right) => (left.upTo < right.upTo ? -1 : 1)))
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({ flat: amount, basisPoints, floor: amount, cap: fc.option(amount), tiers })
  .map((schedule) => {
    const { floor, cap } = schedule
    return cap !== null && cap < floor ? { ...schedule, floor: cap, cap: floor } : schedule
  })

test('a schedule survives formatting and parsing', () => {
  fc.assert(
    fc.property(schedules, (schedule) => {
      const text = JSON.stringify(toFeeDocument(schedule))
      expect(parseFeeSchedule(JSON.parse(text))).toEqual(schedule)
    }),
  )
})

test('an invalid schedule is refused', () => {
  const notAnAmount = fc.oneof(
    fc.constantFrom('-1', '1.5', '1e3', '01', '', ' 1', '1\n', '+1', '0x1', '10000000000000000'),
    fc.integer(),
    fc.constantFrom(undefined, true, [], {}),
  )
  const notPoints = fc.oneof(
    fc.integer({ min: 10_001 }),
    fc.integer({ max: -1 }),
    fc.constantFrom(0.5, '100', null, undefined, Number.NaN),
  )
  const wrong = fc.oneof(
    fc.record({ field: fc.constantFrom('flat', 'floor', 'cap'), value: notAnAmount }),
    fc.record({ field: fc.constant('basisPoints'), value: notPoints }),
    fc.record({ field: fc.constant('tiers'), value: fc.constantFrom(null, {}, 'x', [{}], [null]) }),
    fc.record({ field: fc.constant('surprise'), value: fc.constant(1) }),
  )
  fc.assert(
    fc.property(schedules, wrong, (schedule, { field, value }) => {
      expect(parseFeeSchedule({ ...toFeeDocument(schedule), [field]: value })).toHaveProperty(
        'issue',
      )
    }),
  )
  for (const document of [null, [], 'fee', 1, {}])
    expect(parseFeeSchedule(document)).toHaveProperty('issue')
})

test('tiers that do not ascend, and a cap below the floor, are refused', () => {
  fc.assert(
    fc.property(schedules, fc.bigInt({ min: 1n, max: 10n ** 15n }), (schedule, upTo) => {
      const tier = { upTo, flat: 0n, basisPoints: 0 }
      const repeated = toFeeDocument({ ...schedule, tiers: [tier, tier] })
      const descending = toFeeDocument({ ...schedule, tiers: [{ ...tier, upTo: upTo + 1n }, tier] })
      const empty = toFeeDocument({ ...schedule, tiers: [{ ...tier, upTo: 0n }] })
      const inverted = toFeeDocument({ ...schedule, floor: upTo, cap: upTo - 1n })
      for (const document of [repeated, descending, empty, inverted])
        expect(parseFeeSchedule(document)).toHaveProperty('issue')
    }),
  )
})

test('a fee stays within floor and cap, and within one rate never falls as the amount grows', () => {
  fc.assert(
    fc.property(schedules, amount, amount, (schedule, one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one]
      for (const paid of [less, more]) {
        expect(computeFee(schedule, paid) >= schedule.floor).toBe(true)
        expect(schedule.cap === null || computeFee(schedule, paid) <= schedule.cap).toBe(true)
      }
      const rateOf = (paid: bigint) => schedule.tiers.findIndex((tier) => paid <= tier.upTo)
      if (rateOf(less) === rateOf(more))
        expect(computeFee(schedule, less) <= computeFee(schedule, more)).toBe(true)
    }),
  )
})

// Twice the difference between exact and charged share is at most one unit; exact halves round up.
test('a share is rounded half up, exactly, at any size', () => {
  fc.assert(
    fc.property(basisPoints, amount, (points, paid) => {
      const schedule = { flat: 0n, basisPoints: points, floor: 0n, cap: null, tiers: [] }
      const excess = 2n * (computeFee(schedule, paid) * 10_000n - paid * BigInt(points))
      expect(excess > -10_000n && excess <= 10_000n).toBe(true)
    }),
  )
  const percent = { flat: 0n, basisPoints: 100, floor: 0n, cap: null, tiers: [] }
  expect([49n, 50n, 51n, 149n, 150n].map((paid) => computeFee(percent, paid))).toEqual([
    0n,
    1n,
    1n,
    1n,
    2n,
  ])
})

test('the default fees are those of the contract', () => {
  const cost = (operation: keyof typeof feeOperations, paid: bigint) =>
    computeFee(feeOperations[operation].defaultFee, paid)
  expect(cost('virtual_account', 1_000_000n)).toBe(10_000n)
  expect(cost('virtual_account', 100_000_000n)).toBe(200_000n)
  expect(cost('dedicated_account', 100_000_000n)).toBe(30_000n)
  expect(cost('bank_payout', 500_000n)).toBe(1_000n)
  expect(cost('bank_payout', 500_001n)).toBe(2_500n)
  expect(cost('bank_payout', 5_000_000n)).toBe(2_500n)
  expect(cost('bank_payout', 5_000_001n)).toBe(5_000n)
  expect(cost('crypto_payout', 25_000_000n)).toBe(500_000n)
  expect(cost('crypto_account_creation', 25_000_000n)).toBe(500_000n)
  expect(cost('crypto_deposit', 100_000_000n)).toBe(500_000n)
  for (const operation of feeOperationNames) {
    const { defaultFee } = feeOperations[operation]
    expect(parseFeeSchedule(toFeeDocument(defaultFee))).toEqual(defaultFee)
  }
})

test('racing changes each get their own version, and the last one applies', async () => {
  const environmentId = await insertEnvironment(db)
  const operation = 'bank_payout'
  const defaultFee = feeOperations[operation].defaultFee
  expect(await getFeeSchedule(db, { environmentId, operation })).toEqual({
    ...defaultFee,
    version: 0,
  })

  const set = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      db.transaction((tx) => {
        const schedule = { ...defaultFee, flat: BigInt(index) }
        return setFeeSchedule(tx, now, { environmentId, operation, schedule })
      }),
    ),
  )
  const versions = set.map(({ version }) => version).sort((left, right) => left - right)
  expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const last = set.find(({ version }) => version === 10)
  expect(await getFeeSchedule(db, { environmentId, operation })).toEqual(last)
})

test('fees are returned in request order, and only for their environment', async () => {
  const [own, other] = [await insertEnvironment(db), await insertEnvironment(db)]
  const schedule = { flat: 7n, basisPoints: 0, floor: 0n, cap: null, tiers: [] }
  const operation = 'crypto_payout'
  await db.transaction((tx) => setFeeSchedule(tx, now, { environmentId: own, operation, schedule }))
  const fees = await getFeeSchedules(db, [
    { environmentId: other, operation },
    { environmentId: own, operation },
    { environmentId: own, operation: 'crypto_deposit' },
    { environmentId: own, operation },
  ])
  expect(fees.map(({ version }) => version)).toEqual([0, 1, 0, 1])
  expect(fees[1]).toEqual({ ...schedule, version: 1 })
})

test('a refused schedule adds no version', async () => {
  const environmentId = await insertEnvironment(db)
  const operation = 'virtual_account'
  const wrong: FeeSchedule[] = [
    { flat: -1n, basisPoints: 0, floor: 0n, cap: null, tiers: [] },
    { flat: 0n, basisPoints: 10_001, floor: 0n, cap: null, tiers: [] },
    { flat: 0n, basisPoints: 0, floor: 2n, cap: 1n, tiers: [] },
  ]
  for (const schedule of wrong)
    await expect(
      db.transaction((tx) => setFeeSchedule(tx, now, { environmentId, operation, schedule })),
    ).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await getFeeSchedule(db, { environmentId, operation })).version).toBe(0)
})
