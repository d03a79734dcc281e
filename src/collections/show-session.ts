import { after } from '../clock.js'
import { prefixes, toReference } from '../ids.js'
import { limits } from '../limits.js'
import { toWire } from '../money/amounts.js'
import { accountReference } from './account.js'
import type { PublicSession } from './find-public-sessions.js'
import type { FoundSession } from './find-sessions.js'
import { type Payment, statusOf } from './payment.js'
import { sessionStatus } from './session.js'

/** As the merchant's own operations, and events, show it: JSON text. */
export function showSession(found: FoundSession): string {
  const { session, account } = found
  const { merchantReference } = session
  const shown = {
    ...showCore(found),
    ...(merchantReference !== null && { merchantReference }),
    url: session.url,
    virtualAccount: accountReference(account),
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
  const { session, account } = found
  const { number, accountName, bankName, bankCode } = account
  const isPending = account.status === 'ACTIVE'
  const amount = toWire(account.amount!, 'NGN')
  return {
    ...showCore(found),
    ...(isPending && {
      bankTransfer: { accountNumber: number, accountName, bankName, bankCode, amount },
    }),
    amountReceived: toWire(account.amountReceived, 'NGN'),
    amountAccepted: toWire(account.amountAccepted, 'NGN'),
    received: showReceived(found),
    cancelUrl: withReference(session.cancelUrl, session.reference),
    ...(account.status === 'PAID' && {
      successUrl: withReference(session.successUrl, session.reference),
    }),
  }
}

/** Newest first. Who sent it, and what it cost, concerns the merchant only. */
function showReceived({ payments, sentBackTo }: PublicSession) {
  return payments.slice(0, limits.checkout.paymentsShown).map((payment) => {
    const wire = (amount: bigint) => toWire(amount, payment.asset)
    return {
      amount: wire(payment.amount),
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

function showCore({ session, account, merchantId, checkout, paymentMethods }: FoundSession) {
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
    paymentMethods: showMethods(paymentMethods.bankTransfer, account.status === 'ACTIVE'),
    status: sessionStatus(account.status),
    expiresAt: account.expiresAt!.toISOString(),
  }
}

/** A session keeps the account it was made with, which takes money whatever is enabled since. */
function showMethods(enabled: boolean, available: boolean) {
  return [
    {
      ...{ code: 'bank_transfer', label: 'Bank transfer', enabled, available },
      status: available ? 'available' : 'unavailable',
    },
    {
      ...{ code: 'card', label: 'Card', enabled: false, available: false },
      status: 'coming_soon',
    },
  ]
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
