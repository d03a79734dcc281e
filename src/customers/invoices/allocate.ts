import { smallerOf } from '../../money/amounts.js'

/** Part of an invoice with a due date of its own; an invoice without instalments has one. */
export type Instalment = { amount: bigint; dueAt: Date }

/** What an allocation needs to know of an open invoice. */
export type PayableInvoice = {
  id: string
  /** In the order in which invoices were finalized. */
  finalizedOrder: bigint
  /** Still to be paid; more than zero. */
  due: bigint
  /** Their amounts add up to the total of the invoice. */
  instalments: readonly Instalment[]
}

export type Allocation = { invoiceId: string; amount: bigint }

/** `credit`: what no invoice needs; it becomes credit of the customer. */
export type Allocated = { allocations: Allocation[]; credit: bigint }

/** Money that came through the account or session of one invoice pays only this one. */
export function allocateToOne(amount: bigint, invoice: PayableInvoice | undefined): Allocated {
  if (!invoice) return { allocations: [], credit: amount }
  const paid = smallerOf(amount, invoice.due)
  return { allocations: [{ invoiceId: invoice.id, amount: paid }], credit: amount - paid }
}

/** The price of a checkout session for an invoice in naira, and what was paid at this price. */
export type CoinQuote = { coins: bigint; kobo: bigint; paidCoins: bigint; paidKobo: bigint }

/** `coins` of the payment pay `kobo` of the invoice; `credit`, in coins, is the rest. */
type AllocatedCoins = { coins: bigint; kobo: bigint; credit: bigint }

/**
 * Coins pay their share of the price, rounded down to the kobo. What earlier payments lost by this
 * counts, so that all coins of the price pay all its naira, also in parts. An invoice takes as few
 * coins as are worth what is due. Coins that are worth no kobo are credit.
 */
export function allocateCoins(amount: bigint, quote: CoinQuote, due: bigint): AllocatedCoins {
  const { coins, kobo, paidCoins, paidKobo } = quote
  const worth = ((paidCoins + amount) * kobo) / coins - paidKobo
  if (worth <= 0n || due === 0n) return { coins: 0n, kobo: 0n, credit: amount }
  if (worth <= due) return { coins: amount, kobo: worth, credit: 0n }
  const needed = ((paidKobo + due) * coins + kobo - 1n) / kobo - paidCoins
  const used = needed > 0n ? needed : 1n
  return { coins: used, kobo: due, credit: amount - used }
}

/** Coins that paid an invoice in naira, and what refunds left of both. */
export type PaidCoins = {
  coins: bigint
  kobo: bigint
  remainingCoins: bigint
  remainingKobo: bigint
}

/**
 * Kobo that a refund of coins takes from the invoice that they paid: their share, rounded down.
 * Refunds of all coins take all kobo.
 */
export function shareOfRefund(coins: bigint, paid: PaidCoins): bigint {
  const refundedCoins = paid.coins - paid.remainingCoins + coins
  const share = (refundedCoins * paid.kobo) / paid.coins - (paid.kobo - paid.remainingKobo)
  // An earlier refund that failed may have taken the smaller share.
  return share > 0n ? share : 0n
}

/**
 * Money that came through the dedicated account of a customer. An exact amount says what it is for:
 * all that is due of an invoice, or else its next instalment, the oldest first. Any other amount
 * pays instalments in the order of their due dates. What is left becomes credit.
 */
export function allocateToOldest(amount: bigint, invoices: readonly PayableInvoice[]): Allocated {
  const unpaid = invoices.flatMap(listUnpaid).sort(byDueDate)
  const next = unpaid.filter(({ isNext }) => isNext)
  const exact =
    next.find(({ invoice }) => invoice.due === amount) ??
    next.find((part) => part.amount === amount)
  if (exact) return allocateToOne(amount, exact.invoice)
  const paid = new Map<string, bigint>()
  let left = amount
  for (const { invoice, amount: wanted } of unpaid) {
    if (left === 0n) break
    const part = smallerOf(wanted, left)
    left -= part
    paid.set(invoice.id, (paid.get(invoice.id) ?? 0n) + part)
  }
  const allocations = [...paid].map(([invoiceId, part]) => ({ invoiceId, amount: part }))
  return { allocations, credit: left }
}

type UnpaidPart = Instalment & {
  invoice: PayableInvoice
  /** Whether the parts before it are paid. */
  isNext: boolean
}

/** The instalments that are not paid yet, earliest first: earlier ones are paid first. */
export function listUnpaid(invoice: PayableInvoice): UnpaidPart[] {
  const unpaid: UnpaidPart[] = []
  let left = invoice.due
  // What is due belongs to the last instalments.
  for (const { amount, dueAt } of [...invoice.instalments].sort(byTime).reverse()) {
    if (left === 0n) break
    const part = smallerOf(amount, left)
    left -= part
    unpaid.unshift({ invoice, amount: part, dueAt, isNext: false })
  }
  if (unpaid[0]) unpaid[0].isNext = true
  return unpaid
}

function byTime(one: Instalment, other: Instalment): number {
  return one.dueAt.getTime() - other.dueAt.getTime()
}

function byDueDate(one: UnpaidPart, other: UnpaidPart): number {
  const order = one.invoice.finalizedOrder - other.invoice.finalizedOrder
  return byTime(one, other) || (order < 0n ? -1 : order > 0n ? 1 : 0)
}
