import { limits } from '../../base/limits.js'
import type { PublicSessionJson, ReceivedJson } from '../../checkout/resource.js'
import type { Variance } from '../../collections/accounts/account.js'
import { fromWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'

export type PageState = 'pending' | 'waiting' | 'paid' | 'expired' | 'cancelled'

/** One of the amounts of a payment. */
export type PaymentPart = {
  state: 'accepted' | 'held' | 'returning' | 'returned'
  amount: bigint
  /** Whether this is the whole payment, so the page need not repeat the amount. */
  isWhole: boolean
  /** The account it is sent back to, if known. */
  to: { bankName: string; lastDigits: string } | null
}

/** A payment to explain to the payer: it did not match, or not all of it was accepted. */
export type PaymentNote = {
  variance: Variance
  asset: Asset
  amount: bigint
  /** It arrived in time, but another payment had already paid the session. */
  wasAlreadyPaid: boolean
  /** Difference from the requested amount. */
  difference: bigint
  parts: PaymentPart[]
}

/** Money that the merchant must decide about before the payer pays again. */
export type MissingAmount = {
  asset: Asset
  received: bigint
  requested: bigint
  /** 0 if the held payments reach the requested amount together. */
  missing: bigint
}

export type PageView = {
  state: PageState
  /** Whether the merchant has refunded everything that a paid session was paid with. */
  isRefunded: boolean
  /** What the merchant accepted, by currency, including what it has refunded since. */
  paid: { asset: Asset; amount: bigint }[]
  /** Kobo to transfer: of a session for an invoice, what its payments do not cover yet. */
  nairaToPay: bigint
  /** The same in coins; null if the session does not accept them. */
  coinsToPay: bigint | null
  /** Any amount is accepted and pays the invoice. */
  isForInvoice: boolean
  /** The payment method shown first, if the session accepts both. */
  isCoinsFirst: boolean
  /** Only while the session is pending. */
  shortfall: MissingAmount | null
  /** Whether the payer says they have sent coins, rather than naira. */
  waitsForCoins: boolean
  notes: PaymentNote[]
  /** Whether there are more payments than notes. */
  hasMore: boolean
  /** Whether the script polls: not once the session is paid and no money is held or returning. */
  isWatched: boolean
  /** Changes with the status and the amounts; the script then fetches the main part again. */
  fingerprint: string
}

/**
 * How much had arrived when the payer said they had paid: kobo, and units of the coin. The page
 * waits until more has arrived.
 */
type SentClaim = {
  nairaBefore: bigint | null
  coinsBefore?: bigint | null
  /** The payer chose coins before. */
  prefersCoins?: boolean
  /** The session was opened for an invoice. */
  isForInvoice?: boolean
}

/** Decides what a payer sees. After the deadline a session shows as expired before it is ended. */
export function viewSession(shown: PublicSessionJson, claim: SentClaim): PageView {
  const { isForInvoice = false } = claim
  const needed = shown.received.map((payment) => toNote(payment, shown)).filter(needsNote)
  // Parts of an invoice are paid as the payer likes: none is too small, too large or late.
  const allNotes = isForInvoice
    ? needed.map((note): PaymentNote => ({ ...note, variance: 'NONE' }))
    : needed
  const notes = chooseNotes(allNotes, limits.checkout.notesShownMax)
  const isUnsettled = shown.received.some(
    ({ status }) => status === 'RETURNING' || status === 'HELD',
  )
  const waitsForCoins = waitsForMore(coinsReceived(shown), claim.coinsBefore)
  const nairaReceived = shown.bankTransfer ? BigInt(shown.amountReceived) : null
  const waitsForNaira = waitsForMore(nairaReceived, claim.nairaBefore)
  const status = statusOf(shown)
  const isWaiting = status === 'pending' && (waitsForCoins || waitsForNaira)
  const state = isWaiting ? 'waiting' : status
  const isCoinsLatest = notes[0] !== undefined && notes[0].asset !== 'NGN'
  return {
    state,
    isRefunded: state === 'paid' && acceptedSums(shown).every(({ amount }) => amount === 0n),
    paid: paidSums(shown),
    nairaToPay: BigInt(shown.amount) - (isForInvoice ? BigInt(shown.amountAccepted) : 0n),
    coinsToPay: coinsToPay(shown, isForInvoice),
    isForInvoice,
    isCoinsFirst: Boolean(claim.prefersCoins) || isCoinsLatest || !shown.bankTransfer,
    shortfall: state === 'pending' ? findShortfall(shown) : null,
    waitsForCoins,
    notes,
    hasMore: shown.moreReceived || notes.length < allNotes.length,
    isWatched: shown.status !== 'paid' || isUnsettled || shown.moreReceived,
    fingerprint: fingerprintOf(shown),
  }
}

function coinsToPay({ cryptoAmounts }: PublicSessionJson, isForInvoice: boolean): bigint | null {
  if (!cryptoAmounts) return null
  const { asset, amount, amountAccepted } = cryptoAmounts
  return fromWire(amount, asset) - (isForInvoice ? fromWire(amountAccepted, asset) : 0n)
}

/** What the merchant keeps, of all payments. */
function acceptedSums({ amountAccepted, cryptoAmounts }: PublicSessionJson): PageView['paid'] {
  const naira = { asset: 'NGN' as const, amount: fromWire(amountAccepted, 'NGN') }
  if (!cryptoAmounts) return [naira]
  const { asset } = cryptoAmounts
  return [naira, { asset, amount: fromWire(cryptoAmounts.amountAccepted, asset) }]
}

function paidSums(shown: PublicSessionJson): PageView['paid'] {
  const sums = acceptedSums(shown).map(({ asset, amount }) => ({
    asset,
    amount: shown.received
      .filter(({ currency }) => currency === asset)
      .reduce((sum, payment) => sum + fromWire(payment.amountRefunded, asset), amount),
  }))
  return sums.filter(({ amount }) => amount > 0n)
}

/** The held payments in the currency of the newest one. Payments are never added up otherwise. */
function findShortfall(shown: PublicSessionJson): MissingAmount | null {
  const heldOf = ({ amountHeld, currency }: ReceivedJson) => fromWire(amountHeld, currency)
  const newest = shown.received.find((payment) => heldOf(payment) > 0n)
  if (!newest) return null
  const { currency: asset } = newest
  const received = shown.received
    .filter(({ currency }) => currency === asset)
    .reduce((sum, payment) => sum + heldOf(payment), 0n)
  const requested = requestedIn(asset, shown)
  const missing = requested > received ? requested - received : 0n
  return { asset, received, requested, missing }
}

function requestedIn(asset: Asset, shown: PublicSessionJson): bigint {
  return fromWire(asset === 'NGN' ? shown.amount : shown.cryptoAmounts!.amount, asset)
}

/**
 * The newest note, which the payer waits for, and those with the most money not sent back: many
 * small payments must not hide them. Keeps the order of the list.
 */
function chooseNotes(notes: PaymentNote[], limit: number): PaymentNote[] {
  const byAmount = notes.slice(1).sort((a, b) => Number(notReturned(b) - notReturned(a)))
  const chosen = new Set([...notes.slice(0, 1), ...byAmount].slice(0, limit))
  return notes.filter((note) => chosen.has(note))
}

function notReturned({ parts }: PaymentNote): bigint {
  return parts.reduce((sum, { state, amount }) => (state === 'returned' ? sum : sum + amount), 0n)
}

function waitsForMore(received: bigint | null, before: bigint | null = null): boolean {
  return received !== null && before !== null && received <= before
}

/** Null if the session does not accept coins. */
export function coinsReceived({ crypto, cryptoAmounts }: PublicSessionJson): bigint | null {
  return crypto && cryptoAmounts ? fromWire(cryptoAmounts.amountReceived, crypto.asset) : null
}

function statusOf({
  status,
  serverTime,
  expiresAt,
}: PublicSessionJson): PublicSessionJson['status'] {
  return status === 'pending' && serverTime >= expiresAt ? 'expired' : status
}

function toNote(payment: ReceivedJson, shown: PublicSessionJson): PaymentNote {
  const { currency: asset, variance } = payment
  const parse = (amount: number | string) => fromWire(amount, asset)
  const amount = parse(payment.amount)
  const requested = requestedIn(asset, shown)
  const to = payment.sentBackTo && {
    bankName: payment.sentBackTo.bankName,
    lastDigits: payment.sentBackTo.accountNumber.replace(/\D/g, ''),
  }
  const amounts = {
    accepted: parse(payment.amountAccepted),
    held: parse(payment.amountHeld),
    returning: parse(payment.amountReturning),
    returned: parse(payment.amountReturned),
  }
  const parts = (Object.keys(amounts) as PaymentPart['state'][])
    .filter((state) => amounts[state] > 0n)
    .map((state) => ({ state, amount: amounts[state], isWhole: amounts[state] === amount, to }))
  const isInTime = payment.receivedAt < shown.expiresAt
  return {
    variance,
    asset,
    amount,
    wasAlreadyPaid: variance === 'LATE' && shown.status === 'paid' && isInTime,
    difference: amount > requested ? amount - requested : requested - amount,
    parts,
  }
}

function needsNote({ variance, parts }: PaymentNote): boolean {
  return variance !== 'NONE' || parts.some(({ state }) => state !== 'accepted')
}

/**
 * The script computes the same from the public JSON. It uses `statusOf`, so ending a session after
 * its deadline changes nothing and is not read out again.
 */
function fingerprintOf(shown: PublicSessionJson): string {
  const coins = shown.cryptoAmounts ? [shown.cryptoAmounts.amountReceived] : []
  const amounts = shown.received.map((payment) => [
    payment.amountHeld,
    payment.amountReturning,
    payment.amountReturned,
  ])
  return [statusOf(shown), shown.amountReceived, ...coins, ...amounts].join()
}
