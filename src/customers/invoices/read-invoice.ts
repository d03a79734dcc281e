import type { Instalment } from './allocate.js'
import type { Discount, PricedLine } from './compute-invoice.js'
import type { Invoice, WrittenDiscount, WrittenLine } from './invoice.js'

/** JSON of an invoice has no bigints and no dates; these read and write them. */

export type DraftLine = PricedLine & { description: string }

export function readInstalments({ instalments }: Pick<Invoice, 'instalments'>): Instalment[] {
  return instalments.map(({ amount, dueAt }) => ({
    amount: BigInt(amount),
    dueAt: new Date(dueAt),
  }))
}

export function readLines({ lines }: Pick<Invoice, 'lines'>): DraftLine[] {
  return lines.map(({ description, quantity, unitAmount, vatBasisPoints }) => ({
    description,
    quantity: BigInt(quantity),
    unitAmount: BigInt(unitAmount),
    vatBasisPoints,
  }))
}

export function writeLines(lines: DraftLine[]): WrittenLine[] {
  return lines.map(({ description, quantity, unitAmount, vatBasisPoints }) => ({
    description,
    quantity: `${quantity}`,
    unitAmount: `${unitAmount}`,
    vatBasisPoints,
  }))
}

export function writeDiscount(discount: Discount | null): WrittenDiscount | null {
  if (discount === null || 'basisPoints' in discount) return discount
  return { amount: `${discount.amount}` }
}

export function readDiscount({ discount }: Pick<Invoice, 'discount'>): Discount | null {
  if (discount === null || 'basisPoints' in discount) return discount
  return { amount: BigInt(discount.amount) }
}
