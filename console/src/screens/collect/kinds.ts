import type {
  CheckoutSession,
  CryptoWallet,
  DedicatedAccount,
  DedicatedCryptoWallet,
  VirtualAccount,
} from '../../../../sdk/src/types'

/** Ways to collect money, as their tabs and paths are named. */
export const kinds = ['links', 'accounts', 'dedicated', 'wallets', 'dedicated-wallets'] as const
export type Kind = (typeof kinds)[number]

/** What the API answers for each. */
export type Collected = {
  links: CheckoutSession
  accounts: VirtualAccount
  dedicated: DedicatedAccount
  wallets: CryptoWallet
  'dedicated-wallets': DedicatedCryptoWallet
}

export const apiPaths: Record<Kind, string> = {
  links: '/v1/checkout/sessions',
  accounts: '/v1/collections/virtual-accounts',
  dedicated: '/v1/collections/dedicated-accounts',
  wallets: '/v1/collections/crypto-wallets',
  'dedicated-wallets': '/v1/collections/dedicated-crypto-wallets',
}

/** The list of a kind, as a path of the console. */
export const pathOfKind = (kind: Kind) => (kind === 'links' ? '/collect' : `/collect/${kind}`)

/** Payment links are for many customers; what the other lists have is for one. */
export const paymentLinksPath = '/collect/payment-links'
export const paymentLinksApi = '/v1/payment-links'

export function referenceOf(one: Collected[Kind]): string {
  return 'accountReference' in one ? one.accountReference : one.reference
}

export const statuses: Record<Kind, string[]> = {
  links: ['pending', 'paid', 'expired', 'cancelled'],
  accounts: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
  dedicated: ['ACTIVE', 'INACTIVE'],
  wallets: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
  'dedicated-wallets': ['ACTIVE'],
}
