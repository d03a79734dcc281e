import { divideHalfUp, divideInProportion, sum } from '../../money/proportions.js'

/** The console computes with this file, too: it imports nothing of the service but arithmetic. */

/** Quantities are whole numbers of thousandths. */
export const quantityUnit = 1_000n

const whole = 10_000n

export type PricedLine = {
  /** In thousandths. */
  quantity: bigint
  unitAmount: bigint
  vatBasisPoints: number
}

export type Discount = { amount: bigint } | { basisPoints: number }

/** The VAT of all lines of one rate, on what the discount leaves of them. */
export type VatPart = { basisPoints: number; net: bigint; vat: bigint }

export type InvoiceAmounts = {
  /** Of the lines, before discount and VAT. */
  lines: bigint[]
  subtotal: bigint
  discount: bigint
  /** Lowest rate first. */
  vatParts: VatPart[]
  vat: bigint
  total: bigint
}

/**
 * What an invoice adds up to. A line is quantity times unit amount; the discount is spread over the
 * lines in proportion; VAT is computed once for each rate. Each of these is rounded half up to the
 * smallest unit.
 */
export function computeInvoice(
  lines: readonly PricedLine[],
  wanted: Discount | null,
): InvoiceAmounts {
  const amounts = lines.map(({ quantity, unitAmount }) =>
    divideHalfUp(quantity * unitAmount, quantityUnit),
  )
  const subtotal = sum(amounts)
  const discount = computeDiscount(subtotal, wanted)
  const discounts = divideInProportion(discount, amounts)
  const nets = new Map<number, bigint>()
  for (const [index, { vatBasisPoints }] of lines.entries())
    nets.set(vatBasisPoints, (nets.get(vatBasisPoints) ?? 0n) + amounts[index]! - discounts[index]!)
  const vatParts = [...nets]
    .sort(([a], [b]) => a - b)
    .map(([basisPoints, net]) => ({
      basisPoints,
      net,
      vat: divideHalfUp(net * BigInt(basisPoints), whole),
    }))
  const vat = sum(vatParts.map((part) => part.vat))
  return {
    lines: amounts,
    subtotal,
    discount,
    vatParts,
    vat,
    total: subtotal - discount + vat,
  }
}

function computeDiscount(subtotal: bigint, wanted: Discount | null): bigint {
  if (wanted === null) return 0n
  if ('basisPoints' in wanted) return divideHalfUp(subtotal * BigInt(wanted.basisPoints), whole)
  return wanted.amount < subtotal ? wanted.amount : subtotal
}
