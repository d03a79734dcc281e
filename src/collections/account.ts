import type { EnvironmentId } from '../environment.js'
import { type Prefix, prefixes, toReference } from '../ids.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import type { Code } from '../refusals.js'

/** Accounts that wait for one amount, until they expire. */
export type TemporaryKind = 'virtual_account' | 'crypto_wallet'

/** Accounts that take whatever comes, for good. */
export type DedicatedKind = 'dedicated_account' | 'dedicated_crypto_wallet'

export type AccountKind = TemporaryKind | DedicatedKind

export type AccountStatus = 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | 'INACTIVE'

/** How the latest payment that did not match differed. */
export type Variance = 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'

/** Where the money of a payment is: every kobo in one of four places. */
export type Places = {
  amountAccepted: bigint
  amountHeld: bigint
  amountReturning: bigint
  amountReturned: bigint
}

/** Where payers send money. */
export type Account = Places & {
  environmentId: EnvironmentId
  id: string
  kind: AccountKind
  rail: string
  /** An account number at a bank, or the address of a wallet. */
  number: string
  /** A wallet has no bank: these three are empty. */
  accountName: string
  bankCode: string
  bankName: string
  /** Null: any coin is welcome. */
  asset: Asset | null
  /** Null: any amount is welcome. */
  amount: bigint | null
  merchantReference: string
  /** JSON text, untouched. */
  metadata: string
  status: AccountStatus
  variance: Variance
  amountReceived: bigint
  eventSequence: number
  /** The checkout session that shows it, if one does. */
  sessionId: string | null
  expiresAt: Date | null
  paidAt: Date | null
  /** When it was cancelled or deactivated. */
  endedAt: Date | null
  createdAt: Date
}

export const nowhere: Places = {
  amountAccepted: 0n,
  amountHeld: 0n,
  amountReturning: 0n,
  amountReturned: 0n,
}

/** What differs between the kinds, in prices and in the names that callers see. */
export const accountKinds = {
  virtual_account: {
    prefix: prefixes.virtualAccount,
    fee: 'virtual_account',
    refusal: 'virtual_account_creation_failed',
    policy: 'bank',
    words: 'virtual account',
  },
  dedicated_account: {
    prefix: prefixes.dedicatedAccount,
    fee: 'dedicated_account',
    refusal: 'dedicated_account_creation_failed',
    policy: 'bank',
    words: 'dedicated account',
  },
  crypto_wallet: {
    prefix: prefixes.cryptoWallet,
    fee: 'crypto_deposit',
    refusal: 'crypto_wallet_creation_failed',
    policy: 'crypto',
    words: 'crypto wallet',
  },
  dedicated_crypto_wallet: {
    prefix: prefixes.dedicatedCryptoWallet,
    fee: 'crypto_deposit',
    refusal: 'dedicated_crypto_wallet_creation_failed',
    policy: 'crypto',
    words: 'dedicated crypto wallet',
  },
} as const satisfies Record<
  AccountKind,
  { prefix: Prefix; fee: FeeOperation; refusal: Code; policy: 'bank' | 'crypto'; words: string }
>

export function accountReference({ kind, id }: Pick<Account, 'kind' | 'id'>): string {
  return toReference(accountKinds[kind].prefix, id)
}

export function isDedicated(kind: AccountKind): kind is DedicatedKind {
  return kind === 'dedicated_account' || kind === 'dedicated_crypto_wallet'
}

/** Whether coins come there, and not naira. */
export function isWallet({ kind }: Pick<Account, 'kind'>): boolean {
  return accountKinds[kind].policy === 'crypto'
}
