import type { EnvironmentId } from '../environment.js'
import { type Prefix, prefixes, toReference } from '../ids.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import type { Code } from '../refusals.js'

export type AccountKind =
  | 'virtual_account'
  | 'dedicated_account'
  | 'crypto_wallet'
  | 'dedicated_crypto_wallet'

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
  number: string
  accountName: string
  bankCode: string
  bankName: string
  asset: Asset
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
    words: 'virtual account',
  },
  dedicated_account: {
    prefix: prefixes.dedicatedAccount,
    fee: 'dedicated_account',
    refusal: 'dedicated_account_creation_failed',
    words: 'dedicated account',
  },
  crypto_wallet: {
    prefix: prefixes.cryptoWallet,
    fee: 'crypto_deposit',
    refusal: 'crypto_wallet_creation_failed',
    words: 'crypto wallet',
  },
  dedicated_crypto_wallet: {
    prefix: prefixes.dedicatedCryptoWallet,
    fee: 'crypto_deposit',
    refusal: 'crypto_wallet_creation_failed',
    words: 'dedicated crypto wallet',
  },
} as const satisfies Record<
  AccountKind,
  { prefix: Prefix; fee: FeeOperation; refusal: Code; words: string }
>

export function accountReference({ kind, id }: Pick<Account, 'kind' | 'id'>): string {
  return toReference(accountKinds[kind].prefix, id)
}
