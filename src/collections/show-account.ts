import { toWire } from '../money/amounts.js'
import { type Account, accountReference } from './account.js'
import type { Payment } from './payment.js'
import { showPayment, showPlaces } from './show-payment.js'

/**
 * An account as its verify operation, and events about it, show it: JSON text, because the metadata
 * inside is the merchant's own text. The payments are the latest ones, newest first.
 */
export function showAccount(account: Account, payments: Payment[]): string {
  return account.kind === 'virtual_account'
    ? withMetadata(showVirtualAccount(account, payments), account)
    : withMetadata(showDedicatedAccount(account), account)
}

/** A dedicated account, and the payment that it was credited with. */
export function showCredit(account: Account, payment: Payment): string {
  return withMetadata({ ...showDedicatedAccount(account), payment: showPayment(payment) }, account)
}

function showVirtualAccount(account: Account, payments: Payment[]) {
  const { asset } = account
  return {
    reference: accountReference(account),
    merchantReference: account.merchantReference,
    accountNumber: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    amount: toWire(account.amount!, asset),
    currency: asset,
    status: account.status,
    variance: account.variance,
    amountReceived: toWire(account.amountReceived, asset),
    ...showPlaces(account, asset),
    payments: payments.map(showPayment),
    expiresAt: account.expiresAt!.toISOString(),
    createdAt: account.createdAt.toISOString(),
    paidAt: account.paidAt?.toISOString() ?? null,
  }
}

function showDedicatedAccount(account: Account) {
  return {
    externalReference: account.merchantReference,
    accountReference: accountReference(account),
    accountNumber: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    status: account.status,
    createdAt: account.createdAt.toISOString(),
  }
}

function withMetadata(shown: object, { metadata }: Account): string {
  return `${JSON.stringify(shown).slice(0, -1)},"metadata":${metadata}}`
}
