import { expect, test } from 'vitest'
import { computeInvoice, type Discount } from '../../../src/customers/invoices/compute-invoice.js'
import { seededRandom } from '../../support/seed.js'

const line = (quantity: number, unitAmount: number, vatBasisPoints = 0) => ({
  quantity: BigInt(Math.round(quantity * 1_000)),
  unitAmount: BigInt(unitAmount),
  vatBasisPoints,
})

test.each<{
  name: string
  lines: ReturnType<typeof line>[]
  discount?: Discount
  want: { subtotal: bigint; discount: bigint; vat: bigint; total: bigint }
}>([
  {
    name: 'lines add up',
    lines: [line(2, 500_000), line(1, 250_000)],
    want: { subtotal: 1_250_000n, discount: 0n, vat: 0n, total: 1_250_000n },
  },
  {
    name: 'a part of a unit is rounded half up',
    lines: [line(1.5, 333), line(0.001, 499)],
    want: { subtotal: 500n, discount: 0n, vat: 0n, total: 500n },
  },
  {
    name: 'VAT is computed once for each rate',
    lines: [line(1, 7, 750), line(1, 7, 750), line(1, 100)],
    want: { subtotal: 114n, discount: 0n, vat: 1n, total: 115n },
  },
  {
    name: 'VAT is on what a discount leaves',
    lines: [line(1, 100_000, 750), line(1, 100_000)],
    discount: { basisPoints: 1_000 },
    want: { subtotal: 200_000n, discount: 20_000n, vat: 6_750n, total: 186_750n },
  },
  {
    name: 'a discount is never more than the lines',
    lines: [line(1, 100, 750)],
    discount: { amount: 500n },
    want: { subtotal: 100n, discount: 100n, vat: 0n, total: 0n },
  },
])('$name', ({ lines, discount, want }) => {
  expect(computeInvoice(lines, discount ?? null)).toMatchObject(want)
})

test('amounts add up, and no rounding is more than half a unit off', () => {
  const random = seededRandom('amounts of invoices')
  for (let round = 0; round < 2_000; round += 1) {
    const lines = Array.from({ length: random.integer(1, 6) }, () =>
      line(
        random.integer(1, 9_999) / 1_000,
        random.integer(0, 100_000),
        random.pick([0, 750, 500]),
      ),
    )
    const discount = random.pick<Discount | null>([
      null,
      { basisPoints: random.integer(0, 10_000) },
      { amount: BigInt(random.integer(0, 50_000)) },
    ])
    const amounts = computeInvoice(lines, discount)
    expect(amounts.subtotal).toBe(amounts.lines.reduce((sum, amount) => sum + amount, 0n))
    expect(amounts.total).toBe(amounts.subtotal - amounts.discount + amounts.vat)
    const nets = amounts.vatParts.reduce((sum, { net }) => sum + net, 0n)
    expect(nets).toBe(amounts.subtotal - amounts.discount)
    for (const { basisPoints, net, vat } of amounts.vatParts) {
      expect(net).toBeGreaterThanOrEqual(0n)
      expect(Math.abs(Number(vat) - (Number(net) * basisPoints) / 10_000)).toBeLessThanOrEqual(0.5)
    }
    for (const [index, { quantity, unitAmount }] of lines.entries()) {
      const exact = (Number(quantity) * Number(unitAmount)) / 1_000
      expect(Math.abs(Number(amounts.lines[index]) - exact)).toBeLessThanOrEqual(0.5)
    }
  }
})
