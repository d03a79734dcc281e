import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import {
  computeInvoice,
  type Discount,
  type InvoiceAmounts,
  type PricedLine,
} from './compute-invoice.js'

/** What an invoice adds up to. Refuses more than one payment can carry, and too much discount. */
export function priceInvoice(
  lines: readonly PricedLine[],
  discount: Discount | null,
  asset: Asset,
): InvoiceAmounts {
  const amounts = computeInvoice(lines, discount)
  const most = limits.money.wireMax
  if (amounts.subtotal > most || amounts.total > most)
    throw invalidField('lines', `must add up to at most ${formatMoney(most, asset)}`)
  if (discount !== null && 'amount' in discount && discount.amount > amounts.subtotal)
    throw invalidField(
      'discount.amount',
      `must be at most ${formatMoney(amounts.subtotal, asset)}, the subtotal`,
    )
  return amounts
}
