import { after } from '../clock.js'
import { prefixes, toReference } from '../ids.js'
import { formatDecimal, toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import { type Account, accountReference } from './account.js'
import type { PublicSession } from './find-public-sessions.js'
import type { FoundSession } from './find-sessions.js'
import { type Payment, statusOf } from './payment.js'
import { sessionStatus, type Ways } from './session.js'

/** As the merchant's own operations, and events, show it: JSON text. */
export function showSession(found: FoundSession): string {
  const { session, account, wallet } = found
  const { merchantReference } = session
  const shown = {
    ...showCore(found),
    ...(merchantReference !== null && { merchantReference }),
    url: session.url,
    virtualAccount: accountReference(account),
    ...(wallet && { crypto: showPrice(wallet), cryptoWallet: accountReference(wallet) }),
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    createdAt: session.createdAt.toISOString(),
  }
  return `${JSON.stringify(shown).slice(0, -1)},"metadata":${session.metadata}}`
}

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

/** While it is pending: a session that has ended shows nobody where to send money. */
function takesCoins({ account, wallet }: Ways): boolean {
  return account.status === 'ACTIVE' && wallet?.status === 'ACTIVE'
}

const network = 'SOLANA'

function showPrice({ requestedAmount, asset }: Account) {
  return { asset: asset as Coin, network, amount: requestedAmount! }
}

function showCoins(wallet: Account) {
  return { address: wallet.number, ...showPrice(wallet) }
}

/** What was asked for in coins, what came of it, and what the merchant has. */
function showSums({ amount, asset, amountReceived, amountAccepted }: Account) {
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
      status: statusOf(payment),
      variance: payment.variance,
      sentBackTo: showDestination(payment, sentBackTo),
      receivedAt: payment.receivedAt.toISOString(),
    }
  })
}

/** Its last digits are enough for whoever owns it, and of no use to others. */
function showDestination({ id }: Payment, sentBackTo: PublicSession['sentBackTo']) {
  const destination = sentBackTo.get(id)
  if (destination?.kind !== 'bank_account') return null
  const { bankName, accountNumber } = destination
  return { bankName, accountNumber: accountNumber.slice(-4).padStart(10, '*') }
}

function showCore(found: FoundSession) {
  const { session, account, merchantId, checkout } = found
  return {
    reference: session.reference,
    merchant: {
      id: toReference(prefixes.merchant, merchantId),
      displayName: checkout.displayName,
    },
    amount: toWire(account.amount!, 'NGN'),
    currency: 'NGN',
    description: session.description,
    customer: { name: session.customerName, email: session.customerEmail },
    paymentMethods: showMethods(found),
    status: sessionStatus(found),
    expiresAt: account.expiresAt!.toISOString(),
  }
}

type Method = { code: string; label: string; enabled: boolean; available: boolean }

/** A session keeps the accounts it was made with, which take money whatever is enabled since. */
function showMethods(found: FoundSession) {
  const { wallet, paymentMethods } = found
  const bank = { code: 'bank_transfer', label: 'Bank transfer' }
  const crypto = { code: 'crypto', label: wallet?.asset ?? 'USDC or USDT' }
  const enabled = paymentMethods.crypto
  return [
    showMethod({
      ...bank,
      enabled: paymentMethods.bankTransfer,
      available: found.account.status === 'ACTIVE',
    }),
    {
      code: 'card',
      label: 'Card',
      enabled: false,
      available: false,
      status: 'coming_soon',
    },
    ...(enabled || wallet
      ? [showMethod({ ...crypto, enabled, available: takesCoins(found) })]
      : []),
  ]
}

function showMethod(method: Method) {
  return { ...method, status: method.available ? 'available' : 'unavailable' }
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
