import { toWire } from '../money/amounts.js'
import { type Asset, coins } from '../money/assets.js'
import { type AccountKind, accountReference, type CollectionAccount } from './account.js'
import type { OtherDeposit } from './find-notices.js'
import type { Payment } from './payment.js'
import { showPayment, showPlaces } from './show-payment.js'

/**
 * An account as its verify operation, and events about it, show it: JSON text, because the metadata
 * inside is the merchant's own text. The payments are the latest ones, newest first.
 */
export function showAccount(
  account: CollectionAccount,
  payments: Payment[],
  otherDeposits: OtherDeposit[] = [],
): string {
  const others = otherDeposits.length > 0 && { otherDeposits: otherDeposits.map(showOther) }
  return withMetadata({ ...shown[account.kind](account, payments), ...others }, account)
}

/** In the units of the chain: how many make a whole of a strange token, nobody has told us. */
function showOther({ id, amount, currency, receivedAt }: OtherDeposit) {
  const [signature] = id.split(':')
  const units = amount.toString()
  return { asset: currency, units, signature, receivedAt: receivedAt.toISOString() }
}

/** A dedicated account, and the payment that it was credited with. */
export function showCredit(account: CollectionAccount, payment: Payment): string {
  return withMetadata(
    { ...shown[account.kind](account, []), payment: showPayment(payment) },
    account,
  )
}

const shown: Record<AccountKind, (account: CollectionAccount, payments: Payment[]) => object> = {
  virtual_account: showVirtualAccount,
  dedicated_account: showDedicatedAccount,
  crypto_wallet: showCryptoWallet,
  dedicated_crypto_wallet: showDedicatedCryptoWallet,
}

function showVirtualAccount(account: CollectionAccount, payments: Payment[]) {
  return {
    reference: accountReference(account),
    merchantReference: account.merchantReference,
    accountNumber: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    amount: toWire(account.amount!, 'NGN'),
    currency: 'NGN',
    ...showProgress(account, 'NGN', payments),
  }
}

function showCryptoWallet(account: CollectionAccount, payments: Payment[]) {
  const asset = account.asset!
  return {
    reference: accountReference(account),
    merchantReference: account.merchantReference,
    address: account.number,
    asset,
    network,
    amount: account.requestedAmount!,
    ...showProgress(account, asset, payments),
  }
}

/** How far an account that waits for one amount has come. */
function showProgress(account: CollectionAccount, asset: Asset, payments: Payment[]) {
  return {
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

function showDedicatedAccount(account: CollectionAccount) {
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

function showDedicatedCryptoWallet(account: CollectionAccount) {
  return {
    externalReference: account.merchantReference,
    reference: accountReference(account),
    address: account.number,
    assets: coins,
    network,
    status: account.status,
    createdAt: account.createdAt.toISOString(),
  }
}

const network = 'SOLANA'

function withMetadata(fields: object, { metadata }: CollectionAccount): string {
  return `${JSON.stringify(fields).slice(0, -1)},"metadata":${metadata}}`
}
