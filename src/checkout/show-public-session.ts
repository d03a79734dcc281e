import { after } from '../base/clock.js'
import type { CollectionAccount } from '../collections/account.js'
import { type Payment, paymentStatusOf } from '../collections/payment.js'
import { sessionStatus } from '../collections/session.js'
import { showCore, showPrice, takesCoins } from '../collections/show-session.js'
import { formatDecimal, toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import type { PublicSession } from './find-public-sessions.js'

/** As everyone who knows the reference sees it. */
export function showPublicSession(now: Date, found: PublicSession) {
  return { ...showStill(found), serverTime: showTime(now, found) }
}

/** Pages that asked at the same moment share what was read, and what is written of it. */
const written = new WeakMap<PublicSession, string>()

/** The same as JSON text. */
export function writePublicSession(now: Date, found: PublicSession): string {
  const text = written.get(found) ?? JSON.stringify(showStill(found)).slice(0, -1)
  written.set(found, text)
  return `${text},"serverTime":"${showTime(now, found)}"}`
}

function showTime(now: Date, { clockOffsetMs }: PublicSession): string {
  return after(now, clockOffsetMs).toISOString()
}

/** All but the time. Where to go next is told when it is due. */
function showStill(found: PublicSession) {
  const { session, account, wallet } = found
  const { number, accountName, bankName, bankCode } = account
  const status = sessionStatus(found)
  const isPending = status === 'pending'
  const amount = toWire(account.amount!, 'NGN')
  return {
    ...showCore(found),
    ...(isPending && {
      bankTransfer: { accountNumber: number, accountName, bankName, bankCode, amount },
    }),
    ...(wallet && takesCoins(found) && { crypto: showCoins(wallet) }),
    amountReceived: toWire(account.amountReceived, 'NGN'),
    amountAccepted: toWire(account.amountAccepted, 'NGN'),
    ...(wallet && { cryptoAmounts: showSums(wallet) }),
    received: showReceived(found),
    moreReceived: found.hasMore,
    cancelUrl: withReference(session.cancelUrl, session.reference),
    ...(status === 'paid' && {
      successUrl: withReference(session.successUrl, session.reference),
    }),
  }
}

function showCoins(wallet: CollectionAccount) {
  return { address: wallet.number, ...showPrice(wallet) }
}

/** What was asked for in coins, what came of it, and what the merchant has. */
function showSums({ amount, asset, amountReceived, amountAccepted }: CollectionAccount) {
  const write = (value: bigint) => formatDecimal(value, asset!)
  return {
    asset: asset as Coin,
    amount: write(amount!),
    amountReceived: write(amountReceived),
    amountAccepted: write(amountAccepted),
  }
}

/** Newest first. Who sent it, and what it cost, concerns the merchant only. */
function showReceived({ payments, sentBackTo }: PublicSession) {
  return payments.map((payment) => {
    const wire = (amount: bigint) => toWire(amount, payment.asset)
    return {
      amount: wire(payment.amount),
      currency: payment.asset,
      amountAccepted: wire(payment.amountAccepted),
      amountHeld: wire(payment.amountHeld),
      amountReturning: wire(payment.amountReturning),
      amountReturned: wire(payment.amountReturned),
      status: paymentStatusOf(payment),
      variance: payment.variance,
      sentBackTo: showDestination(payment, sentBackTo),
      receivedAt: payment.receivedAt.toISOString(),
    }
  })
}

/** The last digits are enough for the owner of the account, and of no use to others. */
function showDestination({ id }: Payment, sentBackTo: PublicSession['sentBackTo']) {
  const destination = sentBackTo.get(id)
  if (destination?.kind !== 'bank_account') return null
  const { bankName, accountNumber } = destination
  return { bankName, accountNumber: accountNumber.slice(-4).padStart(10, '*') }
}

/**
 * So that the merchant's page knows which session it is about. What the merchant wrote stays as it
 * is, byte by byte: it may be signed, or read by something that is particular about it.
 */
export function withReference(url: string | null, reference: string): string | null {
  if (url === null) return null
  const [, address = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url)!
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${separator}reference=${reference}${fragment}`
}
