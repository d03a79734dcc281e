import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Allocated,
  allocateCoins,
  allocateToOldest,
  allocateToOne,
  type CoinQuote,
  type PayableInvoice,
  shareOfRefund,
} from '../../../src/customers/invoices/allocate.js'
import { type Random, seededRandom } from '../../support/seed.js'
import { OracleCustomer } from './oracle.js'

const dayMs = 86_400_000
const onDay = (day: number) => new Date(day * dayMs)

const invoice = (id: string, due: bigint, day: number): PayableInvoice => ({
  id,
  finalizedOrder: BigInt(day),
  due,
  instalments: [{ amount: due, dueAt: onDay(day) }],
})

const paid = ({ allocations, credit }: Allocated) => [
  ...allocations.map(({ invoiceId, amount }) => `${invoiceId} ${amount}`),
  `credit ${credit}`,
]

test('an exact amount pays its invoice, also when an older one is open', () => {
  const open = [invoice('old', 500n, 1), invoice('new', 300n, 2)]
  expect(paid(allocateToOldest(300n, open))).toEqual(['new 300', 'credit 0'])
})

test('of two invoices with the same amount, the older one is paid', () => {
  const open = [invoice('new', 300n, 2), invoice('old', 300n, 1)]
  expect(paid(allocateToOldest(300n, open))).toEqual(['old 300', 'credit 0'])
})

test('any other amount pays the oldest first; what is left becomes credit', () => {
  const open = [invoice('new', 300n, 2), invoice('old', 500n, 1)]
  expect(paid(allocateToOldest(600n, open))).toEqual(['old 500', 'new 100', 'credit 0'])
  expect(paid(allocateToOldest(900n, open))).toEqual(['old 500', 'new 300', 'credit 100'])
  expect(paid(allocateToOldest(900n, []))).toEqual(['credit 900'])
})

test('instalments of several invoices are paid by their dates', () => {
  const inTwo = (id: string, days: [number, number]): PayableInvoice => ({
    id,
    finalizedOrder: 1n,
    due: 200n,
    instalments: days.map((day) => ({ amount: 100n, dueAt: onDay(day) })),
  })
  const open = [inTwo('a', [1, 30]), inTwo('b', [2, 3])]
  expect(paid(allocateToOldest(250n, open))).toEqual(['a 100', 'b 150', 'credit 0'])
  // The amount of the next instalment says what the money is for.
  expect(paid(allocateToOldest(100n, [invoice('c', 700n, 0), ...open]))).toEqual([
    'a 100',
    'credit 0',
  ])
})

test('money for one invoice pays no other', () => {
  expect(paid(allocateToOne(700n, invoice('a', 500n, 1)))).toEqual(['a 500', 'credit 200'])
  expect(paid(allocateToOne(700n, undefined))).toEqual(['credit 700'])
})

test('100,000 sequences of invoices and payments, as an oracle pays them', () => {
  const random = seededRandom('allocations')
  for (let round = 0; round < 100_000; round += 1) playSequence(random)
}, 120_000)

function playSequence(random: Random): void {
  const oracle = new OracleCustomer()
  const invoices = new Map<string, PayableInvoice>()
  let [received, credit] = [0, 0n]
  const appliesCredit = random.integer(0, 1) === 1
  for (let step = 0; step < random.integer(2, 10); step += 1) {
    if (invoices.size === 0 || random.integer(1, 3) === 1) {
      const id = `invoice ${step}`
      const days = random.shuffle([1, 2, 3, 4, 5, 6]).slice(0, random.integer(1, 3))
      const instalments = days.map((day) => ({ units: random.integer(1, 9), day }))
      oracle.add(id, instalments)
      const due = instalments.reduce((sum, { units }) => sum + BigInt(units), 0n)
      const asAmounts = instalments.map(({ units, day }) => ({
        amount: BigInt(units),
        dueAt: onDay(day),
      }))
      const added = { id, finalizedOrder: BigInt(step), due, instalments: asAmounts }
      const applied = appliesCredit ? allocateToOne(credit, added) : { allocations: [], credit }
      const paidByCredit = credit - applied.credit
      assert.equal(Number(paidByCredit), appliesCredit ? oracle.applyCredit(id) : 0)
      credit = applied.credit
      invoices.set(id, { ...added, due: due - paidByCredit })
      continue
    }
    const units = random.integer(1, 20)
    const name = `payment ${step}`
    const open = random.shuffle([...invoices.values()]).filter(({ due }) => due > 0n)
    const towards = random.pick(['anything', ...invoices.keys()])
    oracle.pay({ name, units, towards })
    const { allocations, credit: left } =
      towards === 'anything'
        ? allocateToOldest(BigInt(units), open)
        : allocateToOne(
            BigInt(units),
            open.find(({ id }) => id === towards),
          )
    received += units
    credit += left
    // `expect` would take longer than all the rest.
    const wanted = oracle.paidBy(name)
    assert.equal(allocations.length, wanted.size)
    for (const { invoiceId, amount } of allocations)
      assert.equal(Number(amount), wanted.get(invoiceId))
    for (const { invoiceId, amount } of allocations) {
      const before = invoices.get(invoiceId)!
      invoices.set(invoiceId, { ...before, due: before.due - amount })
    }
  }
  const totals = [...invoices.values()].map(({ instalments }) =>
    instalments.reduce((sum, { amount }) => sum + Number(amount), 0),
  )
  const dues = [...invoices.values()].map(({ due }) => Number(due))
  assert.deepEqual(
    dues,
    [...invoices.keys()].map((id) => oracle.dueOf(id)),
  )
  assert.equal(Number(credit), oracle.credit)
  assert.equal(received, totals.reduce(add, 0) - dues.reduce(add, 0) + Number(credit))
}

const add = (one: number, other: number) => one + other

describe('coins for an invoice in naira', () => {
  // Also rates at which the smallest unit of a coin is worth many kobo.
  const price = fc.record({
    coins: fc.bigInt({ min: 1n, max: 10_000_000n }),
    kobo: fc.bigInt({ min: 1n, max: 10_000_000n }),
  })
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 4_000_000n }), { minLength: 1, maxLength: 8 })
  const unpaid = { paidCoins: 0n, paidKobo: 0n }

  /** Pays one after the other, and returns what became of each. */
  function payAll(quote: CoinQuote, payments: readonly bigint[], due: bigint) {
    let [left, current] = [due, quote]
    const parts = payments.map((amount) => {
      const part = allocateCoins(amount, current, left)
      left -= part.kobo
      current = {
        ...current,
        paidCoins: current.paidCoins + part.coins,
        paidKobo: current.paidKobo + part.kobo,
      }
      return { ...part, amount }
    })
    return { parts, quote: current, left }
  }

  test('the price pays exactly what it is the price of', () => {
    fc.assert(
      fc.property(price, ({ coins, kobo }) => {
        const paid = allocateCoins(coins, { coins, kobo, ...unpaid }, kobo)
        expect(paid).toEqual({ coins, kobo, credit: 0n })
      }),
    )
  })

  test('the price in parts that are worth something pays all of it', () => {
    const scene = fc.record({ price, cuts: amounts })
    let whole = 0
    fc.assert(
      fc.property(scene, ({ price: { coins, kobo }, cuts }) => {
        const points = [...new Set([...cuts.map((cut) => cut % coins), 0n, coins])].sort((a, b) =>
          a < b ? -1 : 1,
        )
        const payments = points.slice(1).map((point, index) => point - points[index]!)
        const { parts, left } = payAll({ coins, kobo, ...unpaid }, payments, kobo)
        const credit = parts.reduce((sum, part) => sum + part.credit, 0n)
        if (credit === 0n) whole += 1
        // What is credit is what the rest of the price is worth, to the kobo.
        expect(left).toBe(kobo - ((coins - credit) * kobo) / coins)
      }),
      { numRuns: 2_000 },
    )
    expect(whole).toBeGreaterThan(200)
  })

  test('every unit pays or is credit; rounding never costs the merchant a kobo', () => {
    const due = fc.bigInt({ min: 0n, max: 12_000_000n })
    fc.assert(
      fc.property(price, amounts, due, ({ coins, kobo }, payments, wanted) => {
        const { parts, quote, left } = payAll({ coins, kobo, ...unpaid }, payments, wanted)
        for (const part of parts) {
          expect(part.coins + part.credit).toBe(part.amount)
          expect(part.coins >= 0n && part.credit >= 0n && part.kobo >= 0n).toBe(true)
          expect(part.coins > 0n).toBe(part.kobo > 0n)
        }
        expect(left).toBeGreaterThanOrEqual(0n)
        const { paidCoins, paidKobo } = quote
        expect(paidKobo * coins).toBeLessThanOrEqual(paidCoins * kobo)
        // It costs the customer less than a kobo, and a unit of the coin for each payment.
        const count = BigInt(parts.filter((part) => part.kobo > 0n).length)
        if (count > 0n)
          expect((paidKobo + 1n) * coins + count * kobo).toBeGreaterThan(paidCoins * kobo)
        // Coins become credit only if they are worth nothing, or the invoice needs no more.
        if (left > 0n) {
          const credit = parts.reduce((sum, part) => sum + part.credit, 0n)
          expect(((paidCoins + credit) * kobo) / coins - paidKobo).toBeLessThanOrEqual(
            BigInt(parts.length),
          )
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('refunds take the share of their coins, also if some fail; all coins take all kobo', () => {
    const tries = fc.array(fc.record({ coins: fc.bigInt(1n, 4_000_000n), fails: fc.nat() }), {
      maxLength: 10,
    })
    fc.assert(
      fc.property(price, tries, (paid, refunds) => {
        const taken: { coins: bigint; kobo: bigint }[] = []
        const remaining = () => ({
          remainingCoins: taken.reduce((left, one) => left - one.coins, paid.coins),
          remainingKobo: taken.reduce((left, one) => left - one.kobo, paid.kobo),
        })
        const refund = (coins: bigint) => {
          const kobo = shareOfRefund(coins, { ...paid, ...remaining() })
          expect(kobo).toBeGreaterThanOrEqual(0n)
          taken.push({ coins, kobo })
          const { remainingCoins, remainingKobo } = remaining()
          expect(remainingKobo).toBeGreaterThanOrEqual(0n)
          // The invoice keeps at least what the coins that stay are worth, less failed rounding.
          expect((remainingKobo + BigInt(refunds.length) + 1n) * paid.coins).toBeGreaterThanOrEqual(
            remainingCoins * paid.kobo,
          )
        }
        for (const { coins, fails } of refunds) {
          const { remainingCoins } = remaining()
          if (remainingCoins === 0n) break
          refund(coins < remainingCoins ? coins : remainingCoins)
          // It may be an earlier one that fails.
          if (fails % 3 === 0) taken.splice(fails % taken.length, 1)
        }
        const { remainingCoins } = remaining()
        if (remainingCoins > 0n) refund(remainingCoins)
        expect(remaining()).toEqual({ remainingCoins: 0n, remainingKobo: 0n })
      }),
      { numRuns: 2_000 },
    )
  })
})
