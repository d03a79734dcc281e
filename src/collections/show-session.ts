import { prefixes, toReference } from '../base/ids.js'
import { toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import { accountReference, type CollectionAccount } from './account.js'
import type { FoundSession } from './find-sessions.js'
import { type SessionAccounts, sessionStatus } from './session.js'

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

/** While it is pending: a session that has ended shows nobody where to send money. */
export function takesCoins({ account, wallet }: SessionAccounts): boolean {
  return account.status === 'ACTIVE' && wallet?.status === 'ACTIVE'
}

const network = 'SOLANA'

export function showPrice({ requestedAmount, asset }: CollectionAccount) {
  return { asset: asset as Coin, network, amount: requestedAmount! }
}

export function showCore(found: FoundSession) {
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
