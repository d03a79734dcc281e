import Type, { type Static } from 'typebox'
import { prefixes, toReference } from '../base/ids.js'
import { type JsonText, toJson } from '../base/json-text.js'
import {
  anyAmount,
  anyAsset,
  notYet,
  reference,
  resource,
  withDescription,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { customerReference } from './customer.js'

export const paymentAllocations = resource('PaymentAllocations', {
  payment: reference(prefixes.payment, 'The payment.'),
  customer: reference(prefixes.customer, 'The customer who paid.'),
  asset: withDescription(anyAsset, 'What was paid.'),
  items: Type.Array(
    Type.Object({
      invoice: notYet(
        reference(prefixes.invoice),
        'The invoice that it paid; null for credit of the customer.',
      ),
      amount: withDescription(anyAmount, 'How much of the payment, without what was refunded.'),
    }),
    { description: 'They add up to what you accepted of the payment. Credit comes last.' },
  ),
})

type Used = { invoiceId: string | null; remaining: bigint }

export type AllocatedPayment = {
  id: string
  customerId: string
  asset: Asset
  /** Several may belong to one invoice. */
  used: Used[]
}

export function showAllocations({ id, customerId, asset, used }: AllocatedPayment): JsonText {
  const amounts = new Map<string | null, bigint>()
  for (const { invoiceId, remaining } of used)
    amounts.set(invoiceId, (amounts.get(invoiceId) ?? 0n) + remaining)
  const credit = amounts.get(null) ?? 0n
  amounts.delete(null)
  const parts = [...amounts, [null, credit] as const].filter(([, amount]) => amount > 0n)
  const shown: Static<typeof paymentAllocations> = {
    payment: toReference(prefixes.payment, id),
    customer: customerReference({ id: customerId }),
    asset,
    items: parts.map(([invoiceId, amount]) => ({
      invoice: invoiceId === null ? null : toReference(prefixes.invoice, invoiceId),
      amount: toWire(amount, asset),
    })),
  }
  return toJson(shown)
}
