import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '../../src/base/limits.js'
import { type Asking, sharePlaces, type UsedPlaces } from '../../src/webhooks/share-places.js'

const { places, unprovenPlaces, shareOfFree } = limits.webhooks

/** What is under way in all is what is under way to those who ask, and to some who do not. */
const situations = fc
  .record({
    asking: fc.array(fc.record({ isProven: fc.boolean(), underWay: fc.nat({ max: 40 }) }), {
      maxLength: 700,
      size: 'max',
    }),
    others: fc.nat({ max: places + 20 }),
    otherUnproven: fc.nat({ max: unprovenPlaces + 20 }),
  })
  .map(({ asking, others, otherUnproven }) => {
    const unproven = otherUnproven + sum(asking.filter(isUnproven).map(({ underWay }) => underWay))
    const proven = others + sum(asking.filter(isProven).map(({ underWay }) => underWay))
    return { asking, underWay: { count: unproven + proven, unproven } }
  })

/** The same, where most has ended and there is much to give. */
const calm = situations.map(({ asking }) => ({
  asking: asking.map(({ isProven }) => ({ isProven, underWay: 0 })),
  underWay: { count: 0, unproven: 0 },
}))

/** Hundreds of whom nothing is known. */
const ill = situations.map(({ asking, underWay: { unproven } }) => ({
  asking: asking.map(({ underWay }) => ({ isProven: false, underWay: underWay % 2 })),
  underWay: { count: unproven % 200, unproven: unproven % 200 },
}))

const isProven = (endpoint: Asking) => endpoint.isProven
const isUnproven = (endpoint: Asking) => !endpoint.isProven
const isIdle = (endpoint: Asking) => isProven(endpoint) && endpoint.underWay === 0
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** What was left when it was this one's turn. */
function freeBefore(index: number, { given, underWay }: { given: number[]; underWay: UsedPlaces }) {
  return Math.max(places - underWay.count, 0) - sum(given.slice(0, index))
}

function holds(claim: (situation: { asking: Asking[]; underWay: UsedPlaces }) => void): void {
  fc.assert(fc.property(fc.oneof(situations, calm, ill), claim))
}

describe('however many ask, and whatever is under way', () => {
  test('everybody is given a whole number, and nobody less than nothing', () => {
    holds(({ asking, underWay }) => {
      const given = sharePlaces(underWay, asking)
      expect(given).toHaveLength(asking.length)
      expect(given.every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
    })
  })

  test('never more is given than is free', () => {
    holds(({ asking, underWay }) => {
      const free = Math.max(places - underWay.count, 0)
      expect(sum(sharePlaces(underWay, asking))).toBeLessThanOrEqual(free)
    })
  })

  test('an endpoint that is not proven has one place, and all of them together their own part', () => {
    holds(({ asking, underWay }) => {
      const given = sharePlaces(underWay, asking)
      const toUnproven = given.filter((_, index) => !asking[index]!.isProven)
      expect(sum(toUnproven)).toBeLessThanOrEqual(Math.max(unprovenPlaces - underWay.unproven, 0))
      const hasTooMuch = (count: number, index: number) =>
        !asking[index]!.isProven && count > (asking[index]!.underWay === 0 ? 1 : 0)
      expect(given.filter(hasTooMuch)).toEqual([])
    })
  })

  // Whoever has nothing under way gets something, as long as there is something.
  test('a proven endpoint with nothing under way gets a place while one is free', () => {
    holds(({ asking, underWay }) => {
      const given = sharePlaces(underWay, asking)
      const isStarved = (count: number, index: number) =>
        isIdle(asking[index]!) && count === 0 && freeBefore(index, { given, underWay }) > 0
      expect(given.filter(isStarved)).toEqual([])
    })
  })

  // Whoever asks first gets most, but only a part of what is free; and what is given does not
  // depend on who asks afterwards.
  test('the order of asking matters only so far', () => {
    holds(({ asking, underWay }) => {
      const given = sharePlaces(underWay, asking)
      const half = Math.floor(asking.length / 2)
      expect(sharePlaces(underWay, asking.slice(0, half))).toEqual(given.slice(0, half))
      const hasTooMuch = (count: number, index: number) =>
        count > Math.max(freeBefore(index, { given, underWay }) * shareOfFree, 1)
      expect(given.filter(hasTooMuch)).toEqual([])
      const ownShares = given.filter((_, index) => isIdle(asking[index]!))
      expect(ownShares).toEqual(ownShares.toSorted((a, b) => b - a))
    })
  })
})

describe('for example', () => {
  const idle = { count: 0, unproven: 0 }
  const well = { isProven: true, underWay: 0 }
  const unproven = { isProven: false, underWay: 0 }
  const many = (count: number, endpoint: Asking) => Array.from({ length: count }, () => endpoint)

  test('nobody asks', () => {
    expect(sharePlaces(idle, [])).toEqual([])
  })

  test('a lone endpoint may be sent many at once, and ever fewer the more it has', () => {
    const most = places * shareOfFree
    expect(most).toBeGreaterThanOrEqual(16)
    expect(sharePlaces(idle, [well])).toEqual([most])
    const moreTo = (count: number) =>
      sharePlaces({ count, unproven: 0 }, [{ ...well, underWay: count }])
    expect(moreTo(8)).toEqual([most - 8 - 8 * shareOfFree])
    expect(moreTo(most)).toEqual([0])
  })

  test('thirty endpoints that are well all get some', () => {
    const given = sharePlaces(idle, many(30, well))
    expect(given[0]).toBe(places * shareOfFree)
    expect(Math.min(...given)).toBeGreaterThan(0)
  })

  // A thousand receivers hang until their time is up, and all of them ask first.
  test('hundreds of hanging endpoints do not starve a healthy one', () => {
    const given = sharePlaces(idle, [...many(1_000, unproven), well])
    const share = (places - unprovenPlaces) * shareOfFree
    expect(share).toBeGreaterThanOrEqual(16)
    expect(sum(given.slice(0, -1))).toBe(unprovenPlaces)
    expect(given.at(-1)).toBe(share)
    const full = { count: unprovenPlaces, unproven: unprovenPlaces }
    const next = sharePlaces(full, [...many(1_000, unproven), well])
    expect(sum(next.slice(0, -1))).toBe(0)
    expect(next.at(-1)).toBe(share)
  })

  test('a full house takes nobody, and one place goes to one', () => {
    expect(sharePlaces({ count: places, unproven: 0 }, [well, unproven])).toEqual([0, 0])
    expect(sharePlaces({ count: places - 1, unproven: 0 }, [well, well, unproven])).toEqual([
      1, 0, 0,
    ])
    expect(sharePlaces({ count: places + 9, unproven: places + 9 }, [well, unproven])).toEqual([
      0, 0,
    ])
  })
})
