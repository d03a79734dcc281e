import type { EnvironmentId } from '../base/environment.js'
import { type Prefix, toReference } from '../base/ids.js'
import type { Code } from '../base/refusals.js'
import type { EventType } from '../events/catalogue.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import { accountPrefixes } from '../resources/payment.js'

export type AccountKind =
  | 'virtual_account'
  | 'dedicated_account'
  | 'crypto_wallet'
  | 'dedicated_crypto_wallet'

export const allAccountStatuses = ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED', 'INACTIVE'] as const

export type AccountStatus = (typeof allAccountStatuses)[number]

/** How the latest payment that did not match differed. */
export type Variance = 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'

/** Where the money of a payment is: every kobo in one of four places. */
export type Amounts = {
  amountAccepted: bigint
  amountHeld: bigint
  amountReturning: bigint
  amountReturned: bigint
}

/** Where payers send money. */
export type CollectionAccount = Amounts & {
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
  /** Of coins, as the merchant wrote it; null elsewhere. */
  requestedAmount: string | null
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

export const noAmounts: Amounts = {
  amountAccepted: 0n,
  amountHeld: 0n,
  amountReturning: 0n,
  amountReturned: 0n,
}

/** What merchants can be told of an account: what came of it, or of a payment into it. */
type Told = 'CREATED' | 'CREDITED' | AccountStatus | Variance

type Kind = {
  prefix: Prefix
  fee: FeeOperation
  refusal: Code
  policy: 'bank' | 'crypto'
  words: string
  events: Partial<Record<Told, EventType>>
}

/** What differs between the kinds, in prices and in the names that callers see. */
export const accountKinds = {
  virtual_account: {
    prefix: accountPrefixes.virtual_account,
    fee: 'virtual_account',
    refusal: 'virtual_account_creation_failed',
    policy: 'bank',
    words: 'virtual account',
    events: {
      PAID: 'virtual_account.paid',
      UNDERPAID: 'virtual_account.underpaid',
      OVERPAID: 'virtual_account.overpaid',
      LATE: 'virtual_account.late_payment',
      DUPLICATE: 'virtual_account.duplicate_payment',
      EXPIRED: 'virtual_account.expired',
      CANCELLED: 'virtual_account.cancelled',
    },
  },
  dedicated_account: {
    prefix: accountPrefixes.dedicated_account,
    fee: 'dedicated_account',
    refusal: 'dedicated_account_creation_failed',
    policy: 'bank',
    words: 'dedicated account',
    events: {
      CREATED: 'dedicated_account.created',
      CREDITED: 'dedicated_account.credited',
      INACTIVE: 'dedicated_account.deactivated',
    },
  },
  crypto_wallet: {
    prefix: accountPrefixes.crypto_wallet,
    fee: 'crypto_deposit',
    refusal: 'crypto_wallet_creation_failed',
    policy: 'crypto',
    words: 'crypto wallet',
    events: {
      PAID: 'crypto_wallet.paid',
      UNDERPAID: 'crypto_wallet.underpaid',
      OVERPAID: 'crypto_wallet.overpaid',
      LATE: 'crypto_wallet.late_payment',
      DUPLICATE: 'crypto_wallet.duplicate_payment',
      EXPIRED: 'crypto_wallet.expired',
      CANCELLED: 'crypto_wallet.cancelled',
    },
  },
  dedicated_crypto_wallet: {
    prefix: accountPrefixes.dedicated_crypto_wallet,
    fee: 'crypto_deposit',
    refusal: 'dedicated_crypto_wallet_creation_failed',
    policy: 'crypto',
    words: 'dedicated crypto wallet',
    events: {
      CREATED: 'dedicated_crypto_wallet.created',
      CREDITED: 'dedicated_crypto_wallet.credited',
    },
  },
} as const satisfies Record<AccountKind, Kind>

export function accountReference({ kind, id }: Pick<CollectionAccount, 'kind' | 'id'>): string {
  return toReference(accountKinds[kind].prefix, id)
}

/** Undefined: that is not told of. */
export function eventOf(
  { kind }: Pick<CollectionAccount, 'kind'>,
  what: Told,
): EventType | undefined {
  const events: Kind['events'] = accountKinds[kind].events
  return events[what]
}

/** Whether it takes whatever comes, for good; others wait for one amount until they expire. */
export function isDedicated({ kind }: Pick<CollectionAccount, 'kind'>): boolean {
  return kind === 'dedicated_account' || kind === 'dedicated_crypto_wallet'
}

/** Whether coins come there, and not naira. */
export function isWallet({ kind }: Pick<CollectionAccount, 'kind'>): boolean {
  return accountKinds[kind].policy === 'crypto'
}
