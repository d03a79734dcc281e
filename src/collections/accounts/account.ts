import type { EnvironmentId } from '../../base/environment.js'
import { type Prefix, prefixes, toReference } from '../../base/ids.js'
import type { Code } from '../../base/refusals.js'
import type { EventType } from '../../events/catalogue.js'
import type { FeeOperation } from '../../merchants/settings/fee-schedules.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'

export type AccountKind =
  | 'virtual_account'
  | 'dedicated_account'
  | 'crypto_wallet'
  | 'dedicated_crypto_wallet'

export const allAccountStatuses = ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED', 'INACTIVE'] as const

export type AccountStatus = (typeof allAccountStatuses)[number]

/** The merchant cancelled the account or its session, or the session was paid otherwise. */
export type CancellationReason = 'requested' | 'session_paid'

/** How the latest mismatching payment differed from what was expected. */
export const variances = ['NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE'] as const

export type Variance = (typeof variances)[number]

/** Where the money of a payment is. The four amounts always add up to what arrived. */
export type Amounts = {
  amountAccepted: bigint
  amountHeld: bigint
  amountReturning: bigint
  amountReturned: bigint
}

/** Where payers send money: a virtual or dedicated account at a bank, or a wallet. */
export type CollectionAccount = typeof collectionAccounts.row

export const collectionAccounts = new Table('collection_accounts', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  kind: column.text<AccountKind>(),
  rail: column.text(),
  /** Its name at the rail, as in `OpenedAccount`; a wallet's address. */
  railAccount: column.text(),
  /** Account number at a bank, or wallet address. */
  number: column.text(),
  /** Empty for wallets, like the two bank fields below. */
  accountName: column.text(),
  bankCode: column.text(),
  bankName: column.text(),
  /** Null if the account accepts any coin. */
  asset: column.text<Asset>().orNull(),
  /** Null if the account accepts any amount. */
  amount: column.int8().orNull(),
  /** The coin amount as the merchant wrote it; null for bank accounts. */
  requestedAmount: column.text().orNull(),
  merchantReference: column.text(),
  /** Customer of a dedicated account: name, email address and phone number. */
  customer: column.jsonText().orNull(),
  metadata: column.jsonText(),
  status: column.text<AccountStatus>(),
  variance: column.text<Variance>(),
  amountReceived: column.int8(),
  amountAccepted: column.int8(),
  amountHeld: column.int8(),
  amountReturning: column.int8(),
  amountReturned: column.int8(),
  eventSequence: column.int4(),
  /** Set if the account belongs to a checkout session. */
  sessionId: column.uuid().orNull(),
  /** Whose invoices its payments pay. */
  customerId: column.uuid().orNull(),
  /** Set if it was opened for one invoice. */
  invoiceId: column.uuid().orNull(),
  /** How its payments are split; null if they are the merchant's alone. */
  splitId: column.uuid().orNull(),
  expiresAt: column.time().orNull(),
  paidAt: column.time().orNull(),
  /** When the account was cancelled or deactivated. */
  endedAt: column.time().orNull(),
  /** Null unless the account was cancelled. */
  cancellationReason: column.text<CancellationReason>().orNull(),
  createdAt: column.time(),
})

export const noAmounts: Amounts = {
  amountAccepted: 0n,
  amountHeld: 0n,
  amountReturning: 0n,
  amountReturned: 0n,
}

/** What can happen to an account. Each kind emits events for some of these. */
type AccountChange = 'CREATED' | 'CREDITED' | 'REJECTED' | AccountStatus | Variance

type Kind = {
  prefix: Prefix
  fee: FeeOperation
  refusal: Code
  policy: 'bank' | 'crypto'
  words: string
  events: Partial<Record<AccountChange, EventType>>
}

/** How the kinds differ: prices, policies and the names that callers see. */
export const accountKinds = {
  virtual_account: {
    prefix: prefixes.virtualAccount,
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
      REJECTED: 'virtual_account.payment_rejected',
    },
  },
  dedicated_account: {
    prefix: prefixes.dedicatedAccount,
    fee: 'dedicated_account',
    refusal: 'dedicated_account_creation_failed',
    policy: 'bank',
    words: 'dedicated account',
    events: {
      CREATED: 'dedicated_account.created',
      CREDITED: 'dedicated_account.credited',
      INACTIVE: 'dedicated_account.deactivated',
      REJECTED: 'dedicated_account.payment_rejected',
    },
  },
  crypto_wallet: {
    prefix: prefixes.cryptoWallet,
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
    prefix: prefixes.dedicatedCryptoWallet,
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

/** Undefined if this kind of account emits no event for the change. */
export function eventTypeFor(
  { kind }: Pick<CollectionAccount, 'kind'>,
  change: AccountChange,
): EventType | undefined {
  const events: Kind['events'] = accountKinds[kind].events
  return events[change]
}

/** Dedicated accounts accept any amount and never expire; others expect one amount in time. */
export function isDedicated({ kind }: Pick<CollectionAccount, 'kind'>): boolean {
  return kind === 'dedicated_account' || kind === 'dedicated_crypto_wallet'
}

export function isWallet({ kind }: Pick<CollectionAccount, 'kind'>): boolean {
  return accountKinds[kind].policy === 'crypto'
}
