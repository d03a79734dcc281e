import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type EndpointLoad,
  type InFlightCounts,
  shareCapacity,
} from '../../src/webhooks/deliveries/share-capacity.js'
import { webhookLimits } from '../../src/webhooks/limits.js'

const { inFlightMax, inFlightUnprovenMax, endpointShareMax } = webhookLimits

/** Deliveries in flight to these endpoints, and to others. */
const situations = fc
  .record({
    endpoints: fc.array(fc.record({ isProven: fc.boolean(), inFlight: fc.nat({ max: 40 }) }), {
      maxLength: 700,
      size: 'max',
    }),
    others: fc.nat({ max: inFlightMax + 20 }),
    otherUnproven: fc.nat({ max: inFlightUnprovenMax + 20 }),
  })
  .map(({ endpoints, others, otherUnproven }) => {
    const unproven =
      otherUnproven + sum(endpoints.filter(isUnproven).map(({ inFlight }) => inFlight))
    const proven = others + sum(endpoints.filter(isProven).map(({ inFlight }) => inFlight))
    return { endpoints, inFlight: { count: unproven + proven, unproven } }
  })

/** The same with nothing in flight. */
const idleSituations = situations.map(({ endpoints }) => ({
  endpoints: endpoints.map(({ isProven }) => ({ isProven, inFlight: 0 })),
  inFlight: { count: 0, unproven: 0 },
}))

/** Hundreds of unproven endpoints. */
const allUnproven = situations.map(({ endpoints, inFlight: { unproven } }) => ({
  endpoints: endpoints.map(({ inFlight }) => ({ isProven: false, inFlight: inFlight % 2 })),
  inFlight: { count: unproven % 200, unproven: unproven % 200 },
}))

const isProven = (endpoint: EndpointLoad) => endpoint.isProven
const isUnproven = (endpoint: EndpointLoad) => !endpoint.isProven
const isIdle = (endpoint: EndpointLoad) => isProven(endpoint) && endpoint.inFlight === 0
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** The free capacity when it was this endpoint's turn. */
function freeBefore(
  index: number,
  { shares, inFlight }: { shares: number[]; inFlight: InFlightCounts },
) {
  return Math.max(inFlightMax - inFlight.count, 0) - sum(shares.slice(0, index))
}

function holds(
  claim: (situation: { endpoints: EndpointLoad[]; inFlight: InFlightCounts }) => void,
): void {
  fc.assert(fc.property(fc.oneof(situations, idleSituations, allUnproven), claim))
}

describe('for any endpoints, and anything in flight', () => {
  test('every share is a whole number, and never negative', () => {
    holds(({ endpoints, inFlight }) => {
      const shares = shareCapacity(inFlight, endpoints)
      expect(shares).toHaveLength(endpoints.length)
      expect(shares.every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
    })
  })

  test('the shares never exceed the free capacity', () => {
    holds(({ endpoints, inFlight }) => {
      const free = Math.max(inFlightMax - inFlight.count, 0)
      expect(sum(shareCapacity(inFlight, endpoints))).toBeLessThanOrEqual(free)
    })
  })

  test('an unproven endpoint gets one, and all unproven ones at share their part', () => {
    holds(({ endpoints, inFlight }) => {
      const shares = shareCapacity(inFlight, endpoints)
      const toUnproven = shares.filter((_, index) => !endpoints[index]!.isProven)
      expect(sum(toUnproven)).toBeLessThanOrEqual(
        Math.max(inFlightUnprovenMax - inFlight.unproven, 0),
      )
      const hasTooMuch = (count: number, index: number) =>
        !endpoints[index]!.isProven && count > (endpoints[index]!.inFlight === 0 ? 1 : 0)
      expect(shares.filter(hasTooMuch)).toEqual([])
    })
  })

  test('a proven endpoint with nothing in flight gets some while capacity is free', () => {
    holds(({ endpoints, inFlight }) => {
      const shares = shareCapacity(inFlight, endpoints)
      const isStarved = (count: number, index: number) =>
        isIdle(endpoints[index]!) && count === 0 && freeBefore(index, { shares, inFlight }) > 0
      expect(shares.filter(isStarved)).toEqual([])
    })
  })

  // The first endpoint gets most, but only a fraction of what is free; a share does not depend on
  // later endpoints.
  test('the order matters only so far', () => {
    holds(({ endpoints, inFlight }) => {
      const shares = shareCapacity(inFlight, endpoints)
      const half = Math.floor(endpoints.length / 2)
      expect(shareCapacity(inFlight, endpoints.slice(0, half))).toEqual(shares.slice(0, half))
      const hasTooMuch = (count: number, index: number) =>
        count > Math.max(freeBefore(index, { shares, inFlight }) * endpointShareMax, 1)
      expect(shares.filter(hasTooMuch)).toEqual([])
      const ownShares = shares.filter((_, index) => isIdle(endpoints[index]!))
      expect(ownShares).toEqual(ownShares.toSorted((a, b) => b - a))
    })
  })
})

describe('for example', () => {
  const idle = { count: 0, unproven: 0 }
  const proven = { isProven: true, inFlight: 0 }
  const unproven = { isProven: false, inFlight: 0 }
  const many = (count: number, endpoint: EndpointLoad) =>
    Array.from({ length: count }, () => endpoint)

  test('no endpoints', () => {
    expect(shareCapacity(idle, [])).toEqual([])
  })

  test('a single endpoint gets many, and fewer the more it has in flight', () => {
    const share = inFlightMax * endpointShareMax
    expect(share).toBeGreaterThanOrEqual(16)
    expect(shareCapacity(idle, [proven])).toEqual([share])
    const moreTo = (count: number) =>
      shareCapacity({ count, unproven: 0 }, [{ ...proven, inFlight: count }])
    expect(moreTo(8)).toEqual([share - 8 - 8 * endpointShareMax])
    expect(moreTo(share)).toEqual([0])
  })

  test('thirty proven endpoints all get some', () => {
    const shares = shareCapacity(idle, many(30, proven))
    expect(shares[0]).toBe(inFlightMax * endpointShareMax)
    expect(Math.min(...shares)).toBeGreaterThan(0)
  })

  // A thousand receivers hang until the timeout, and all of them come first.
  test('hundreds of hanging endpoints do not starve a healthy one', () => {
    const shares = shareCapacity(idle, [...many(1_000, unproven), proven])
    const share = (inFlightMax - inFlightUnprovenMax) * endpointShareMax
    expect(share).toBeGreaterThanOrEqual(16)
    expect(sum(shares.slice(0, -1))).toBe(inFlightUnprovenMax)
    expect(shares.at(-1)).toBe(share)
    const full = { count: inFlightUnprovenMax, unproven: inFlightUnprovenMax }
    const next = shareCapacity(full, [...many(1_000, unproven), proven])
    expect(sum(next.slice(0, -1))).toBe(0)
    expect(next.at(-1)).toBe(share)
  })

  test('without free capacity no endpoint gets any; the last place goes to one', () => {
    expect(shareCapacity({ count: inFlightMax, unproven: 0 }, [proven, unproven])).toEqual([0, 0])
    expect(
      shareCapacity({ count: inFlightMax - 1, unproven: 0 }, [proven, proven, unproven]),
    ).toEqual([1, 0, 0])
    expect(
      shareCapacity({ count: inFlightMax + 9, unproven: inFlightMax + 9 }, [proven, unproven]),
    ).toEqual([0, 0])
  })
})
