import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planReallocation, type UsedPart } from '../../src/customers/plan-reallocation.js'

const part = (allocationId: string, invoiceId: string | null, remaining: bigint): UsedPart => ({
  allocationId,
  invoiceId,
  remaining,
})

test('what is not wanted any more is taken, the last allocation first', () => {
  const used = [part('a', 'one', 300n), part('b', 'one', 200n), part('c', null, 100n)]
  const room = { due: new Map([['two', 400n]]), paid: new Map([['one', 500n]]), credit: 100n }
  const wanted = new Map([
    ['one', 250n],
    ['two', 350n],
  ])
  expect(planReallocation(used, wanted, room)).toEqual({
    taken: [
      { allocationId: 'b', invoiceId: 'one', amount: 200n },
      { allocationId: 'a', invoiceId: 'one', amount: 50n },
      { allocationId: 'c', invoiceId: null, amount: 100n },
    ],
    given: [{ invoiceId: 'two', amount: 350n }],
  })
})

test.each([
  { wanted: [['two', 500n]], tooMuch: { invoiceId: 'two', kind: 'not_due', max: 400n } },
  // A credit note has turned 200 of what was paid into credit.
  { wanted: [['two', 100n]], tooMuch: { invoiceId: 'one', kind: 'not_paid', max: 300n } },
  {
    wanted: [
      ['one', 500n],
      ['two', 100n],
    ],
    tooMuch: { invoiceId: null, kind: 'not_paid', max: 50n },
  },
] as const)('$wanted is too much: $tooMuch.kind', ({ wanted, tooMuch }) => {
  const used = [part('a', 'one', 500n), part('c', null, 100n)]
  const room = { due: new Map([['two', 400n]]), paid: new Map([['one', 300n]]), credit: 50n }
  expect(planReallocation(used, new Map(wanted), room)).toEqual(tooMuch)
})

const places = ['one', 'two', 'three', null] as const
const amount = fc.bigInt({ min: 0n, max: 50n })

test('as much is given as is taken, and every invoice gets what is wanted', () => {
  const scene = fc.record({
    used: fc.array(fc.record({ place: fc.constantFrom(...places), remaining: amount })),
    wanted: fc.dictionary(fc.constantFrom('one', 'two', 'three'), amount),
    due: fc.dictionary(fc.constantFrom('one', 'two', 'three'), amount),
    missing: fc.dictionary(fc.constantFrom('one', 'two', 'three'), amount),
    credit: amount,
  })
  let planned = 0
  fc.assert(
    fc.property(scene, ({ used: drawn, wanted, due, missing, credit }) => {
      const used = drawn.map(({ place, remaining }, index) => part(`${index}`, place, remaining))
      const sumAt = (place: string | null) =>
        used
          .filter(({ invoiceId }) => invoiceId === place)
          .reduce((sum, { remaining }) => sum + remaining, 0n)
      const total = places.reduce((sum, place) => sum + sumAt(place), 0n)
      const target = new Map(Object.entries(wanted))
      fc.pre([...target.values()].reduce((sum, one) => sum + one, 0n) <= total)
      const paid = new Map(
        places.flatMap((place) => {
          const left = sumAt(place) - (missing[place ?? ''] ?? 0n)
          return place === null ? [] : [[place, left < 0n ? 0n : left] as const]
        }),
      )
      const room = { due: new Map(Object.entries(due)), paid, credit }
      const plan = planReallocation(used, target, room)
      if ('kind' in plan) return
      planned += 1
      const after = new Map(places.map((place) => [place as string | null, sumAt(place)]))
      for (const { allocationId, invoiceId, amount: taken } of plan.taken) {
        expect(taken).toBeGreaterThan(0n)
        expect(taken).toBeLessThanOrEqual(used[Number(allocationId)]!.remaining)
        after.set(invoiceId, after.get(invoiceId)! - taken)
      }
      for (const { invoiceId, amount: given } of plan.given) {
        expect(given).toBeGreaterThan(0n)
        after.set(invoiceId, after.get(invoiceId)! + given)
      }
      for (const place of places.slice(0, 3)) expect(after.get(place)).toBe(wanted[place!] ?? 0n)
      expect([...after.values()].reduce((sum, one) => sum + one, 0n)).toBe(total)
      expect(new Set(plan.taken.map(({ allocationId }) => allocationId)).size).toBe(
        plan.taken.length,
      )
    }),
    { numRuns: 5_000 },
  )
  expect(planned).toBeGreaterThan(500)
})
