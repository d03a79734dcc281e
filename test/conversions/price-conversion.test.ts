import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priceBySource, priceByTarget } from '../../src/conversions/price-conversion.js'
import type { Asset } from '../../src/money/assets.js'
import { computeFee, type FeeSchedule } from '../../src/money/fees.js'
import { type Direction, formatRate, parseRate, rateFor } from '../../src/money/rates.js'
import { seedOf } from '../support/seed.js'

const seed = seedOf('conversions')
console.log(`prices: SEED=${seed}`)
const runs = { seed, numRuns: 300 }

const free: FeeSchedule = { flat: 0n, basisPoints: 0, floor: 0n, cap: null, tiers: [] }

const amount = fc.bigInt(1n, 10n ** 13n)
const pair = fc
  .tuple(fc.bigInt(1n, 10n ** 11n), fc.bigInt(0n, 10n ** 9n))
  .map(([buy, spread]) => ({ buy, sell: buy + spread }))
const schedule = fc
  .record({
    flat: fc.bigInt(0n, 10_000n),
    basisPoints: fc.integer({ min: 0, max: 9_000 }),
    floor: fc.bigInt(0n, 1_000n),
    capAbove: fc.option(fc.bigInt(0n, 10n ** 6n), { nil: null }),
    tiers: fc.array(
      fc.record({
        step: fc.bigInt(1n, 10n ** 9n),
        flat: fc.bigInt(0n, 10_000n),
        basisPoints: fc.integer({ min: 0, max: 9_000 }),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ flat, basisPoints, floor, capAbove, tiers }): FeeSchedule => {
    let upTo = 0n
    return {
      flat,
      basisPoints,
      floor,
      cap: capAbove === null ? null : floor + capAbove,
      tiers: tiers.map(({ step, ...rate }) => {
        upTo += step
        return { upTo, ...rate }
      }),
    }
  })
const direction = fc.constantFrom<Direction>(
  { source: 'NGN', target: 'USDC' },
  { source: 'USDC', target: 'NGN' },
)

test('the amount that covers a target is the smallest one that does', () => {
  fc.assert(
    fc.property(direction, pair, schedule, amount, (way, rates, fee, target) => {
      const terms = { direction: way, rate: rateFor(way, rates), fee }
      const price = priceByTarget(terms, target)
      if (!price) return
      expect(price.targetAmount).toBe(target)
      expect(price.fee).toBe(computeFee(fee, price.sourceAmount))
      const given = priceBySource(terms, price.sourceAmount)
      expect(given!.targetAmount).toBeGreaterThanOrEqual(target)
      const less = priceBySource(terms, price.sourceAmount - 1n)
      expect(less?.targetAmount ?? 0n).toBeLessThan(target)
    }),
    runs,
  )
})

test('a target is found whenever some amount covers it', () => {
  fc.assert(
    fc.property(direction, pair, schedule, amount, (way, rates, fee, source) => {
      const terms = { direction: way, rate: rateFor(way, rates), fee }
      const given = priceBySource(terms, source)
      if (!given) return
      const price = priceByTarget(terms, given.targetAmount)
      expect(price!.sourceAmount).toBeLessThanOrEqual(source)
    }),
    runs,
  )
})

/** A merchant that converts as it likes, at fixed rates, with any fees. */
type Step = { way: 'buy' | 'sell'; coin: 'USDC' | 'USDT'; part: number; byTarget: boolean }

const step = fc.record<Step>({
  way: fc.constantFrom('buy', 'sell'),
  coin: fc.constantFrom('USDC', 'USDT'),
  part: fc.integer({ min: 1, max: 1_000 }),
  byTarget: fc.boolean(),
})

test('no sequence of conversions gains, whatever the roundings and fees', () => {
  fc.assert(
    fc.property(
      fc.record({ USDC: pair, USDT: pair }),
      fc.oneof(fc.constant(free), schedule),
      amount,
      fc.array(step, { minLength: 1, maxLength: 40 }),
      (rates, fee, start, steps) => {
        const balances: Record<Asset, bigint> = { NGN: start, USDC: 0n, USDT: 0n }
        for (const { way, coin, part, byTarget } of steps) {
          const direction: Direction =
            way === 'buy' ? { source: 'NGN', target: coin } : { source: coin, target: 'NGN' }
          const terms = { direction, rate: rateFor(direction, rates[coin]), fee }
          const wanted = (balances[direction.source] * BigInt(part)) / 1_000n
          if (wanted === 0n) continue
          const bySource = priceBySource(terms, wanted)
          const price =
            byTarget && bySource ? priceByTarget(terms, bySource.targetAmount) : bySource
          if (!price || price.sourceAmount > balances[direction.source]) continue
          balances[direction.source] -= price.sourceAmount
          balances[direction.target] += price.targetAmount
        }
        // Everything sold back, at the best rate that was ever offered and without a fee.
        const worth = (['USDC', 'USDT'] as const).reduce(
          (sum, coin) => sum + (balances[coin] * rates[coin].buy) / 10n ** 10n,
          balances.NGN,
        )
        expect(worth).toBeLessThanOrEqual(start)
      },
    ),
    runs,
  )
})

test('rates are read and written exactly', () => {
  expect(parseRate('1600')).toBe(1_600_000_000n)
  expect(parseRate('1585.25')).toBe(1_585_250_000n)
  expect(formatRate(1_585_250_000n)).toBe('1585.25')
  for (const text of ['0', '0.0', '-1', '1e3', '1.1234567', '', '1,600', '.5'])
    expect(parseRate(text), text).toBeUndefined()
})
