import type { EnvironmentId } from '../base/environment.js'
import { type Prefix, prefixes, toReference } from '../base/ids.js'
import type { Code } from '../base/refusals.js'
import type { EventType } from '../events/catalogue.js'
import { type SubaccountName, subaccountIdOf } from '../ledger/accounts.js'
import type { Purpose } from '../ledger/purposes.js'
import type { FeeOperation } from '../merchants/settings/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import { column, Table } from '../postgres/table.js'
import type { ScreeningFinding } from '../screening/ports.js'
import type { CallbackCheck, WaitReason } from './controls/wait.js'
import type { PayoutPurpose } from './levies/levy.js'
import type { Destination } from './ports.js'

/** Merchants create transfers; returns send money of a payment back. */
export type PayoutKind = 'crypto_transfer' | 'bank_transfer' | ReturnKind

export type ReturnKind = 'bank_return' | 'crypto_return'

export const payoutStatuses = ['PENDING', 'SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED'] as const

export type PayoutStatus = (typeof payoutStatuses)[number]

/** What a member, or an operator, decided about a payout. */
export type ApprovalDecision = {
  verdict: 'APPROVED' | 'REJECTED'
  /** Null: simulated, in test mode, or of an operator. */
  user: { id: string; name: string } | null
  /** It suffices alone, where screening is what the payout waits for. */
  isOfOperator?: boolean
  /** Of a rejection, and of an approval that needs one. */
  reason: string | null
  at: Date
}

/** Approval of a payout that waits, or waited, for other members. */
export type PayoutApproval = {
  /** SHA-256 of what is approved, in hex digits. */
  orderHash: string
  expiresAt: Date
  /** How many members must approve; 0 if only the callback decides. */
  needed: number
  /** Oldest first. While it waits, only approvals that still count. */
  decisions: ApprovalDecision[]
  /** Why members must approve. */
  reasons: WaitReason[]
  /** Null: no callback is asked. */
  callback: CallbackCheck | null
  /** What screening found about the recipient. */
  screening: ScreeningFinding | null
  /** Grows when a reason is added, or screening finds something else: approvals are of a round. */
  round: number
}

export const payouts = new Table('payouts', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  kind: column.text<PayoutKind>(),
  rail: column.text(),
  asset: column.text<Asset>(),
  amount: column.int8(),
  fee: column.int8(),
  /** What the law takes from the sender, such as a stamp duty. */
  levy: column.int8(),
  /** The ledger account that pays: money that was never accepted is returned from suspense. */
  takesFrom: column.text<'available' | 'suspense' | SubaccountName>(),
  /** As the merchant wrote it. */
  requestedAmount: column.text(),
  destination: column.json<Destination>(),
  /** The saved recipient that it goes to. Null: none, or saved later. */
  recipientId: column.uuid().orNull(),
  merchantReference: column.text().orNull(),
  /** What the merchant says that it is for; some purposes are exempt from a levy. */
  purpose: column.text<PayoutPurpose>().orNull(),
  metadata: column.jsonText(),
  /** The API key that asked for it; null for members and for returns. */
  createdByKey: column.uuid().orNull(),
  /** The member who asked for it in the console. */
  createdByUser: column.uuid().orNull(),
  status: column.text<PayoutStatus>(),
  failureReason: column.text().orNull(),
  isReviewRequired: column.bool(),
  eventSequence: column.int4(),
  /** Null: never approved. */
  submittedAt: column.time().orNull(),
  completedAt: column.time().orNull(),
  failedAt: column.time().orNull(),
  reversedAt: column.time().orNull(),
  /** The interbank (NIP) session of a bank transfer, if the bank has reported it. */
  bankSessionId: column.text().orNull(),
  createdAt: column.time(),
})

export type Payout = typeof payouts.row & {
  /** The item of a batch that it pays. */
  batchItem?: { batchId: string; number: number } | undefined
  /** Null: it needed no approval. */
  approval: PayoutApproval | null
  /** Until it is committed: why it waits for screening. Undefined: it does not. */
  screeningHold?: ScreeningFinding | undefined
}

/**
 * A payout as it starts. The fields are added to the given
 * object: V8 takes microseconds to spread one of this size.
 */
export function newPayout(at: Date, requested: RequestedPayout): Payout {
  return Object.assign(requested, startingFields(at))
}

type RequestedPayout = Omit<Payout, keyof ReturnType<typeof startingFields>>

function startingFields(at: Date) {
  return {
    approval: null,
    status: 'SUBMITTED',
    failureReason: null,
    isReviewRequired: false,
    submittedAt: at,
    completedAt: null,
    failedAt: null,
    reversedAt: null,
    bankSessionId: null,
    createdAt: at,
  } as const satisfies Partial<Payout>
}

/** States of an attempt. The docs are generated from this table. */
export const attemptStates = {
  LIVE: 'Signed; may be on its way or in a block. A payout has at most one.',
  LANDED: 'Final: this signature moved the money.',
  FAILED: 'Reached a block, failed there and moved nothing.',
  DEAD: 'Never reached a block and never can. Nothing moved; another attempt may follow.',
} as const

export type AttemptState = keyof typeof attemptStates

export const payoutAttempts = new Table('payout_attempts', {
  number: column.int4(),
  /** The name of the attempt at the rail, see `PreparedAttempt`. */
  token: column.text(),
  state: column.text<AttemptState>(),
  createdAt: column.time(),
})

export type PayoutAttempt = typeof payoutAttempts.row

/** The same table, with what workers need to send an attempt and to poll it. */
export const sentAttempts = new Table('payout_attempts', {
  environmentId: column.int4<EnvironmentId>(),
  payoutId: column.uuid(),
  number: column.int4(),
  rail: column.text(),
  token: column.text(),
  wire: column.bytea(),
  validUntil: column.int8().orNull(),
  signedSlot: column.int8().orNull(),
  expiresBy: column.int8().orNull(),
  polls: column.int4(),
  createdAt: column.time(),
})

type Kind = {
  prefix: Prefix
  refusal: Code
  /** Null: free of charge. */
  baseFee: FeeOperation | null
  /** Null: reported by the events of its payment. */
  events: {
    pending: EventType
    submitted: EventType
    landed: EventType
    failed: EventType
    reversed?: EventType
  } | null
}

const returned = {
  prefix: prefixes.paymentReturn,
  refusal: 'payment_action_failed',
  baseFee: null,
  events: null,
} as const

export const payoutKinds = {
  crypto_transfer: {
    prefix: prefixes.cryptoTransfer,
    refusal: 'crypto_transfer_failed',
    baseFee: 'crypto_payout',
    events: {
      pending: 'crypto_transfer.pending',
      submitted: 'crypto_transfer.submitted',
      landed: 'crypto_transfer.confirmed',
      failed: 'crypto_transfer.failed',
    },
  },
  bank_transfer: {
    prefix: prefixes.bankTransfer,
    refusal: 'bank_transfer_failed',
    baseFee: 'bank_payout',
    events: {
      pending: 'bank_transfer.pending',
      submitted: 'bank_transfer.submitted',
      landed: 'bank_transfer.completed',
      failed: 'bank_transfer.failed',
      reversed: 'bank_transfer.reversed',
    },
  },
  bank_return: returned,
  crypto_return: returned,
} as const satisfies Record<PayoutKind, Kind>

/** Kinds that a bank may reverse. */
export const bankKinds: PayoutKind[] = ['bank_transfer', 'bank_return']

export const returnKinds: ReturnKind[] = ['bank_return', 'crypto_return']

export function isReturn({ kind }: Pick<Payout, 'kind'>): boolean {
  return returnKinds.some((one) => one === kind)
}

/** Whether a member or an API key asked for it: returns to the sender, and schedules, have none. */
export function hasCreator({
  createdByKey,
  createdByUser,
}: Pick<Payout, 'createdByKey' | 'createdByUser'>): boolean {
  return createdByKey !== null || createdByUser !== null
}

/** Naira are paid to bank accounts, coins to wallets. */
export function transferKindOf({ asset }: Pick<Payout, 'asset'>) {
  return asset === 'NGN' ? 'bank_transfer' : 'crypto_transfer'
}

export function returnKindOf({ asset }: Pick<Payout, 'asset'>): ReturnKind {
  return asset === 'NGN' ? 'bank_return' : 'crypto_return'
}

type LinePurposes = { amount: Purpose; fee: Purpose; levy: Purpose }

/** `reversal`: only of what a bank may reverse. */
type Purposes = LinePurposes & { reversal?: LinePurposes }

/**
 * Purposes of the ledger transfers. Returns have neither fees nor levies, and crypto transfers no
 * levies: theirs are never used.
 */
export function purposesOf({ kind, takesFrom }: Pick<Payout, 'kind' | 'takesFrom'>): Purposes {
  const levy = 'bank_payout_levy'
  if (kind === 'crypto_transfer') return { amount: 'crypto_payout', fee: 'crypto_payout_fee', levy }
  const fee = 'bank_payout_fee'
  const reversed = { fee: 'bank_payout_fee_reversal', levy: 'bank_payout_levy_reversal' } as const
  if (kind === 'bank_transfer')
    return {
      amount: 'bank_payout',
      fee,
      levy,
      reversal: { amount: 'bank_payout_reversal', fee: reversed.fee, levy: reversed.levy },
    }
  return takesFrom === 'suspense'
    ? {
        amount: 'payment_return',
        fee,
        levy,
        reversal: { amount: 'payment_return_reversal', fee: reversed.fee, levy: reversed.levy },
      }
    : {
        amount: 'payment_refund',
        fee,
        levy,
        reversal: { amount: 'payment_refund_reversal', fee: reversed.fee, levy: reversed.levy },
      }
}

/** What a payout takes from the balance of its merchant. */
export function totalDebitOf({ amount, fee, levy }: Pick<Payout, 'amount' | 'fee' | 'levy'>) {
  return amount + fee + levy
}

/** Number of the next event; 0 for kinds without events of their own. */
export function nextSequence({ kind, eventSequence }: Payout): number {
  return payoutKinds[kind].events ? eventSequence + 1 : 0
}

export function referenceOf({ kind, id }: Pick<Payout, 'kind' | 'id'>): string {
  return toReference(payoutKinds[kind].prefix, id)
}

/** Reference of the sub-account that pays; null: the merchant pays. */
export function payingSubaccountOf({ takesFrom }: Pick<Payout, 'takesFrom'>): string | null {
  const id = subaccountIdOf(takesFrom)
  return id === undefined ? null : toReference(prefixes.subaccount, id)
}
