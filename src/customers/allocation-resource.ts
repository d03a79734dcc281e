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
      worth: Type.Object(
        { asset: anyAsset, amount: anyAmount },
        {
          description:
            'What the invoice was paid with it: naira if coins paid an invoice in naira, otherwise the same amount.',
        },
      ),
    }),
    { description: 'They add up to what you accepted of the payment. Credit comes last.' },
  ),
})

/** `remaining` is in the asset of the invoice, `remainingPaid` in that of the payment. */
type Used = {
  invoiceId: string | null
  remaining: bigint
  remainingPaid: bigint
  paidAsset?: Asset | null
}

export type AllocatedPayment = {
  id: string
  customerId: string
  asset: Asset
  /** Several may belong to one invoice. */
  used: Used[]
}

export function showAllocations({ id, customerId, asset, used }: AllocatedPayment): JsonText {
  const byInvoice = new Map<string | null, Required<Used>>()
  for (const { invoiceId, remaining, remainingPaid, paidAsset = null } of used) {
    const before = byInvoice.get(invoiceId)
    byInvoice.set(invoiceId, {
      invoiceId,
      remaining: (before?.remaining ?? 0n) + remaining,
      remainingPaid: (before?.remainingPaid ?? 0n) + remainingPaid,
      paidAsset,
    })
  }
  const parts = [...byInvoice.values()]
    .filter(({ remainingPaid }) => remainingPaid > 0n)
    .sort((a, b) => Number(a.invoiceId === null) - Number(b.invoiceId === null))
  const shown: Static<typeof paymentAllocations> = {
    payment: toReference(prefixes.payment, id),
    customer: customerReference({ id: customerId }),
    asset,
    items: parts.map(({ invoiceId, remaining, remainingPaid, paidAsset }) => {
      // Coins pay invoices in their own asset, or in naira.
      const worthIn = paidAsset === null ? asset : 'NGN'
      return {
        invoice: invoiceId === null ? null : toReference(prefixes.invoice, invoiceId),
        amount: toWire(remainingPaid, asset),
        worth: { asset: worthIn, amount: toWire(remaining, worthIn) },
      }
    }),
  }
  return toJson(shown)
}
