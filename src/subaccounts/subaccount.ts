import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { Asset } from '../money/assets.js'
import { column, Table } from '../postgres/table.js'

export const subaccountStatuses = ['ACTIVE', 'PAUSED', 'CLOSED'] as const
export type SubaccountStatus = (typeof subaccountStatuses)[number]

export const subaccountSchedules = ['off', 'daily', 'weekly'] as const
export type SubaccountSchedule = (typeof subaccountSchedules)[number]

export const subaccounts = new Table('subaccounts', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  name: column.text(),
  email: column.text().orNull(),
  /** As the merchant names it; unique in the environment. */
  externalReference: column.text().orNull(),
  bankCode: column.text().orNull(),
  accountNumber: column.text().orNull(),
  /** As the bank names the holder. */
  accountName: column.text().orNull(),
  walletAddress: column.text().orNull(),
  status: column.text<SubaccountStatus>(),
  settlementSchedule: column.text<SubaccountSchedule>(),
  /** Kobo that settlements leave, and below which none is made on schedule. */
  settlementReserve: column.int8(),
  settlementMinimum: column.int8(),
  /** Who chose the bank account. */
  chosenByKey: column.uuid().orNull(),
  chosenByUser: column.uuid().orNull(),
  /** The payout of all it has: it is closed when that has arrived. */
  closingPayoutId: column.uuid().orNull(),
  eventSequence: column.int4(),
  createdAt: column.time(),
  closedAt: column.time().orNull(),
})

/** A party for which a merchant collects, such as a seller: see docs/glossary.md. */
export type Subaccount = typeof subaccounts.row

/** What a sub-account has and owes in one asset. */
export type SubaccountBalance = {
  asset: Asset
  available: bigint
  /** Reserved for open payouts. */
  held: bigint
  /** Released later. */
  pending: bigint
  /** Owed to the merchant. */
  owed: bigint
}

export function subaccountReference({ id }: Pick<Subaccount, 'id'>): string {
  return toReference(prefixes.subaccount, id)
}

export const subaccountTransfers = new Table('subaccount_transfers', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  /** Null: the merchant. */
  fromSubaccountId: column.uuid().orNull(),
  toSubaccountId: column.uuid().orNull(),
  asset: column.text<Asset>(),
  amount: column.int8(),
  note: column.text().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  createdAt: column.time(),
})

export type SubaccountTransfer = typeof subaccountTransfers.row
