import type { NairaLimits } from '../../base/config.js'
import type { PublicInvoice } from '../../checkout/find-public-invoice.js'
import { listUnpaid } from '../../customers/invoices/allocate.js'
import { toPayable } from '../../customers/invoices/settle.js'

/** What the payer of an invoice can choose. */
export type Offer = {
  /** All that is due; null if no account can be opened for it. */
  all: bigint | null
  /** What is to be paid next, if that is not all that is due. */
  nextInstalment: bigint | null
}

const nothing: Offer = { all: null, nextInstalment: null }

/** Decides which amounts of an invoice an account can be opened for. */
export function offerPayment(
  { invoice, environment, paymentMethods }: PublicInvoice,
  naira: NairaLimits,
): Offer {
  const { asset, amountDue } = invoice
  if (amountDue === 0n || environment.isSuspended) return nothing
  const isNaira = asset === 'NGN'
  if (!(isNaira ? paymentMethods.bankTransfer : paymentMethods.crypto)) return nothing
  if (!isNaira) return { all: amountDue, nextInstalment: null }
  const fits = (amount: bigint) => amount >= naira.min && amount <= naira.max
  const [next] = listUnpaid(toPayable(invoice))
  const nextInstalment = next && next.amount < amountDue && fits(next.amount) ? next.amount : null
  return { all: fits(amountDue) ? amountDue : null, nextInstalment }
}
