import type { EnvironmentId, Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { subaccountName } from '../../ledger/accounts.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'
import type { PayoutPurpose } from '../levies/levy.js'
import type { PayoutApproval, PayoutStatus } from '../payout.js'
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

export const payoutBatches = new Table('payout_batches', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  mode: column.text<Mode>(),
  kind: column.text<BatchKind>(),
  asset: column.text<Asset>(),
  name: column.text().orNull(),
  /** The sub-account that pays; null: the merchant pays. */
  subaccountId: column.uuid().orNull(),
  /** The batch whose failed items this one pays again. */
  retryOf: column.uuid().orNull(),
  itemCount: column.int4(),
  /** Total of all items. */
  amount: column.int8(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  createdAt: column.time(),
  state: column.text<BatchState>(),
  validCount: column.int4(),
  invalidCount: column.int4(),
  submittedCount: column.int4(),
  completedCount: column.int4(),
  failedCount: column.int4(),
  warnedCount: column.int4(),
  /** Total of the items that cannot be paid. */
  invalidAmount: column.int8(),
  /** Total fee quoted for the items that can be paid. */
  fee: column.int8(),
  /** The same of the levies. */
  levy: column.int8(),
  /** Total of the completed items. */
  paidAmount: column.int8(),
  paidFee: column.int8(),
  paidLevy: column.int8(),
  validatedAt: column.time().orNull(),
  submittedAt: column.time().orNull(),
  endedAt: column.time().orNull(),
})

/** Payouts of one kind and asset that are uploaded, checked, approved and paid together. */
export type Batch = typeof payoutBatches.row & {
  /** Null: it needed no approval. */
  approval: PayoutApproval | null
}

export type ItemWarning = {
  code: 'duplicate_in_batch' | 'paid_recently' | 'in_another_batch'
  message: string
}

/** Why an item cannot be paid, failed or waits. */
export type ItemProblem = { reason: string; message: string }

export const payoutBatchItems = new Table('payout_batch_items', {
  number: column.int4(),
  amount: column.int8(),
  requestedAmount: column.text(),
  destination: column.json<Destination>(),
  /** The saved recipient, as it was found when the batch was created. */
  recipientId: column.uuid().orNull(),
  merchantReference: column.text().orNull(),
  purpose: column.text<PayoutPurpose>().orNull(),
  state: column.text<ItemState>(),
  /** The quoted fee, or that of the transfer once it exists. */
  fee: column.int8().orNull(),
  /** The same of the levy. Null also where the fee was quoted before levies existed: none. */
  levy: column.int8().orNull(),
  bankName: column.text().orNull(),
  accountName: column.text().orNull(),
  warnings: column.json<ItemWarning[]>().orNull(),
  problem: column.json<ItemProblem>().orNull(),
  payoutId: column.uuid().orNull(),
  endedAt: column.time().orNull(),
})

export type BatchItem = Omit<typeof payoutBatchItems.row, 'warnings'> & { warnings: ItemWarning[] }

/** An item as the merchant sends it. */
export type NewItem = Pick<
  BatchItem,
  'amount' | 'requestedAmount' | 'destination' | 'recipientId' | 'merchantReference' | 'purpose'
>

/** An item with the status of its transfer, which may be reversed after the batch ended. */
export type BatchItemWithPayout = BatchItem & {
  payoutStatus: PayoutStatus | null
  failureReason: string | null
}

/** The ledger account that pays. */
export function payingAccountOf({ subaccountId }: Pick<Batch, 'subaccountId'>) {
  return subaccountId === null ? 'available' : subaccountName(subaccountId)
}

export const batchReference = ({ id }: Pick<Batch, 'id'>) => toReference(prefixes.payoutBatch, id)

/** Total of the items that can be paid. */
export function payableAmount({ amount, invalidAmount }: Batch): bigint {
  return amount - invalidAmount
}
