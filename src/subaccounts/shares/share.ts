import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'

export const shareStatuses = ['PENDING', 'POSTED'] as const
export type ShareStatus = (typeof shareStatuses)[number]

export const paymentShares = new Table('payment_shares', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  paymentId: column.uuid(),
  /** Held money that is accepted later is another part of the payment. */
  part: column.int2(),
  /** Index of the line of the split. */
  line: column.int2(),
  splitId: column.uuid(),
  subaccountId: column.uuid(),
  asset: column.text<Asset>(),
  /** With `fee`, the part of the payment's fee that the sub-account bears. */
  amount: column.int8(),
  fee: column.int8(),
  /** By refunds. */
  takenBack: column.int8(),
  /** The part of it that was still pending. */
  takenPending: column.int8(),
  /** What refunds in proportion divide: see `proportions.ts`. */
  proportionAmount: column.int8().orNull(),
  proportionAccepted: column.int8().orNull(),
  proportionKept: column.int8().orNull(),
  status: column.text<ShareStatus>(),
  /** Null: credited at once. */
  releaseAt: column.time().orNull(),
  releasedAt: column.time().orNull(),
  createdAt: column.time(),
})

/** What a sub-account got of a payment. It is the cause of its ledger transfers. */
export type Share = typeof paymentShares.row

export function shareReference({ id }: Pick<Share, 'id'>): string {
  return toReference(prefixes.share, id)
}

export function netOf({ amount, fee }: Pick<Share, 'amount' | 'fee'>): bigint {
  return amount - fee
}

export const shareTakeBacks = new Table('share_take_backs', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  /** The refund. */
  returnId: column.uuid(),
  shareId: column.uuid(),
  subaccountId: column.uuid(),
  asset: column.text<Asset>(),
  /** From what the sub-account could spend. */
  taken: column.int8(),
  takenPending: column.int8(),
  owed: column.int8(),
  createdAt: column.time(),
})

/** What a refund took back of a share. */
export type TakeBack = typeof shareTakeBacks.row
