import type { NairaLimits } from '../../base/config.js'
import type { PublicInvoice } from '../../checkout/find-public-invoice.js'
import { listUnpaid } from '../../customers/invoices/allocate.js'
import { toPayable } from '../../customers/invoices/settle.js'
import type { Coin } from '../../money/assets.js'

/** What the payer of an invoice can choose. */
export type Offer = {
  /** All that is due; null if no account can be opened for it. */
  all: bigint | null
  /** What is to be paid next, if that is not all that is due. */
  nextInstalment: bigint | null
  /** Whether it can be paid in its own asset: naira by bank transfer. */
  isDirect: boolean
  /** In which coins an invoice in naira can be paid. */
  coins: Coin[]
}

const nothing: Offer = { all: null, nextInstalment: null, isDirect: false, coins: [] }

/** Decides which amounts an account can be opened for. `priced`: coins that have a rate. */
export function offerPayment(
  { invoice, environment, paymentMethods }: PublicInvoice,
  naira: NairaLimits,
  priced: Coin[],
): Offer {
  const { asset, amountDue } = invoice
  if (amountDue === 0n || environment.isSuspended) return nothing
  const isNaira = asset === 'NGN'
  const isDirect = isNaira ? paymentMethods.bankTransfer : paymentMethods.crypto
  const coins = isNaira && paymentMethods.crypto ? priced : []
  if (!isDirect && coins.length === 0) return nothing
  if (!isNaira) return { all: amountDue, nextInstalment: null, isDirect, coins }
  const fits = (amount: bigint) => amount >= naira.min && amount <= naira.max
  const [next] = listUnpaid(toPayable(invoice))
  const nextInstalment = next && next.amount < amountDue && fits(next.amount) ? next.amount : null
  return { all: fits(amountDue) ? amountDue : null, nextInstalment, isDirect, coins }
}
