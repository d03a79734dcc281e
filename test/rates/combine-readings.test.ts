import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { after, hour, minute } from '../../src/base/clock.js'
import { differsMuch, type RatePair } from '../../src/money/rates.js'
import { combineReadings, medianOf, type SourceResult } from '../../src/rates/combine-readings.js'

const now = new Date('2026-01-05T09:00:00.000Z')
const bounds = { maxAgeMs: 5 * minute, maxDeviationPercent: 5 }
const naira = (amount: number) => BigInt(amount) * 1_000_000n
const pairOf = (buy: number, sell: number): RatePair => ({ buy: naira(buy), sell: naira(sell) })
const lastOf = (rate: RatePair, ageMs = minute) => ({ ...rate, createdAt: after(now, -ageMs) })

function read(source: string, buy: number, sell: number, ageMs = 0): SourceResult {
  return { source, reading: { ...pairOf(buy, sell), at: after(now, -ageMs) } }
}

function combine(results: SourceResult[], last?: ReturnType<typeof lastOf>) {
  const { rate, used, judged } = combineReadings(results, last, bounds, now)
  const problems = judged.flatMap(({ source, problem }) => (problem ? [[source, problem]] : []))
  return { rate, used, problems: Object.fromEntries(problems) as Record<string, string> }
}

const anyPair = fc
  .tuple(fc.bigInt(1n, 10n ** 12n), fc.bigInt(0n, 10n ** 11n))
  .map(([buy, spread]) => ({ buy, sell: buy + spread }))

describe('the median', () => {
  test('is the middle one, or of two in the middle the one that is better for the operator', () => {
    const three = [pairOf(1_580, 1_600), pairOf(1_570, 1_610), pairOf(1_590, 1_605)]
    expect(medianOf(three)).toEqual(pairOf(1_580, 1_605))
    expect(medianOf(three.slice(0, 2))).toEqual(pairOf(1_570, 1_610))
    expect(medianOf([])).toBeUndefined()
  })

  test('never sells below its buying rate, and lies within what was read', () => {
    fc.assert(
      fc.property(fc.array(anyPair, { minLength: 1, maxLength: 9 }), (rates) => {
        const { buy, sell } = medianOf(rates)!
        expect(sell).toBeGreaterThanOrEqual(buy)
        expect(rates.map((rate) => rate.buy)).toContain(buy)
        expect(rates.map((rate) => rate.sell)).toContain(sell)
        expect(medianOf(rates.toReversed())).toEqual({ buy, sell })
      }),
    )
  })
})

describe('sources', () => {
  test('that are old, ahead or without a rate are not used', () => {
    const results: SourceResult[] = [
      read('good', 1_580, 1_600, 5 * minute),
      read('too', 1_580, 1_600),
      read('old', 1_500, 1_520, 5 * minute + 1),
      read('ahead', 1_500, 1_520, -2 * minute),
      { source: 'silent', problem: 'slow: no answer within 5 s' },
    ]
    const { rate, used, problems } = combine(results, lastOf(pairOf(1_580, 1_600)))
    expect([rate, used]).toEqual([pairOf(1_580, 1_600), ['good', 'too']])
    expect(problems).toEqual({
      old: 'stale: its rate is from 2026-01-05T08:54:59.999Z',
      ahead: 'its rate is from the future: 2026-01-05T09:02:00.000Z',
      silent: 'slow: no answer within 5 s',
    })
  })

  test('that jumped from the last rate are not used, on either side', () => {
    const last = lastOf(pairOf(1_600, 1_600))
    const jumped = [read('b', 1_519, 1_600), read('c', 1_600, 1_681)]
    const results = [read('a', 1_520, 1_680), ...jumped, read('d', 1_520, 1_680)]
    expect(combine(results, last)).toEqual({
      rate: pairOf(1_520, 1_680),
      used: ['a', 'd'],
      problems: {
        b: 'jumped: from 1600 / 1600 to 1519 / 1600',
        c: 'jumped: from 1600 / 1600 to 1600 / 1681',
      },
    })
    // A jump of all of them may be real, but only an operator decides that.
    const all = [read('a', 3_000, 3_020), read('b', 3_000, 3_020), read('c', 3_000, 3_020)]
    expect(combine(all, last)).toMatchObject({ rate: undefined, used: [] })
  })

  test('must agree with each other if there is no recent rate', () => {
    const old = lastOf(pairOf(900, 920), 25 * hour)
    const three = [read('a', 1_580, 1_600), read('b', 1_585, 1_605), read('c', 15_800, 16_000)]
    for (const last of [undefined, old]) {
      const { rate, problems } = combine(three, last)
      expect(rate).toEqual(pairOf(1_580, 1_605))
      expect(problems).toEqual({ c: 'differs from the other sources: 15800 / 16000' })
    }
    expect(combine([read('a', 1_580, 1_600), read('b', 15_800, 16_000)]).rate).toBeUndefined()
    expect(combine([read('a', 1_580, 1_600)]).rate).toEqual(pairOf(1_580, 1_600))
    const alone = combine([read('a', 1_580, 1_600), { source: 'b', problem: 'slow' }])
    expect(alone).toEqual({
      rate: undefined,
      used: [],
      problems: { a: 'no other source confirms it', b: 'slow' },
    })
  })

  test('must agree at every poll, so that no single one can walk the rate', () => {
    const last = lastOf(pairOf(1_600, 1_600))
    const down: SourceResult[] = [
      { source: 'a', problem: 'answers with status 500' },
      { source: 'b', problem: 'answers with status 500' },
    ]
    const alone = combine([...down, read('c', 1_530, 1_530)], last)
    expect([alone.rate, alone.problems.c]).toEqual([undefined, 'no other source confirms it'])
    expect(
      combine([down[0]!, read('b', 1_530, 1_530), read('c', 1_531, 1_531)], last).used,
    ).toEqual(['b', 'c'])
    // Both are near the last rate, on different sides, and contradict each other.
    const apart = combine([read('a', 1_525, 1_525), read('b', 1_675, 1_675)], last)
    expect([apart.rate, apart.problems]).toEqual([
      undefined,
      {
        a: 'differs from the other sources: 1525 / 1525',
        b: 'differs from the other sources: 1675 / 1675',
      },
    ])
    // The only source that is configured has nothing to agree with.
    expect(combine([read('a', 1_530, 1_530)], last).rate).toEqual(pairOf(1_530, 1_530))
  })

  test('never move the rate further than the bound from the last one', () => {
    const results = fc.array(anyPair, { maxLength: 6 })
    fc.assert(
      fc.property(anyPair, results, (last, rates) => {
        const read = rates.map((rate, index) => ({
          source: `s${index}`,
          reading: { ...rate, at: now },
        }))
        const { rate, used, judged } = combineReadings(read, lastOf(last), bounds, now)
        expect(judged.filter(({ problem }) => problem === null)).toHaveLength(used.length)
        expect(rate === undefined).toBe(used.length === 0)
        if (rates.length > 1) expect(used).not.toHaveLength(1)
        if (!rate) return
        expect(differsMuch(last, rate, 500)).toBe(false)
        expect(rate.sell).toBeGreaterThanOrEqual(rate.buy)
      }),
    )
  })
})
