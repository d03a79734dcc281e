import type { EnvironmentId, Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import type { Payout, PayoutApproval, PayoutStatus } from '../payout.js'
import type { Destination } from '../ports.js'

export type BatchKind = 'bank_transfer' | 'crypto_transfer'

export const batchStates = [
  'VALIDATING',
  'READY',
  'INVALID',
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
] as const
export type BatchState = (typeof batchStates)[number]

export const itemStates = [
  'PENDING',
  'VALID',
  'INVALID',
  'SUBMITTED',
  'COMPLETED',
  'FAILED',
] as const
export type ItemState = (typeof itemStates)[number]

/** Payouts of one kind and asset that are uploaded, checked, approved and paid together. */
export type Batch = {
  environmentId: EnvironmentId
  id: string
  mode: Mode
  kind: BatchKind
  asset: Asset
  name: string | null
  /** The batch whose failed items this one pays again. */
  retryOf: string | null
  itemCount: number
  /** Total of all items. */
  amount: bigint
  createdByKey: string | null
  createdByUser: string | null
  createdAt: Date
  state: BatchState
  validCount: number
  invalidCount: number
  submittedCount: number
  completedCount: number
  failedCount: number
  warnedCount: number
  /** Total of the items that cannot be paid. */
  invalidAmount: bigint
  /** Total fee quoted for the items that can be paid. */
  fee: bigint
  /** Total of the completed items. */
  paidAmount: bigint
  paidFee: bigint
  validatedAt: Date | null
  submittedAt: Date | null
  endedAt: Date | null
  /** Null: it needed no approval. */
  approval: PayoutApproval | null
}

export type ItemWarning = {
  code: 'duplicate_in_batch' | 'paid_recently' | 'in_another_batch'
  message: string
}

/** Why an item cannot be paid, failed or waits. */
export type ItemProblem = { reason: string; message: string }

/** An item as the merchant sends it. */
export type NewItem = Pick<
  Payout,
  'amount' | 'requestedAmount' | 'destination' | 'merchantReference'
>

export type BatchItem = NewItem & {
  number: number
  state: ItemState
  /** The quoted fee, or that of the transfer once it exists. */
  fee: bigint | null
  bankName: string | null
  accountName: string | null
  warnings: ItemWarning[]
  problem: ItemProblem | null
  payoutId: string | null
  endedAt: Date | null
}

/** An item with the status of its transfer, which may be reversed after the batch ended. */
export type BatchItemWithPayout = BatchItem & {
  payoutStatus: PayoutStatus | null
  failureReason: string | null
}

export const batchReference = ({ id }: Pick<Batch, 'id'>) => toReference(prefixes.payoutBatch, id)

/** Total of the items that can be paid. */
export function payableAmount({ amount, invalidAmount }: Batch): bigint {
  return amount - invalidAmount
}

/** Equal for items that pay the same recipient. */
export function recipientOf(destination: Destination): string {
  return destination.kind === 'wallet'
    ? destination.address
    : `${destination.bankCode}/${destination.accountNumber}`
}
