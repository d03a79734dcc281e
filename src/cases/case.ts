import type { EnvironmentId, Mode } from '../base/environment.js'
import { fromReference, prefixes, toReference } from '../base/ids.js'
import type { Asset } from '../money/assets.js'
import type { CreatorNames } from '../payouts/records/disbursement-resource.js'
import { column, Table } from '../postgres/table.js'

export const caseKinds = ['FRAUD', 'COMPLAINT', 'RECALL', 'OTHER'] as const

export type CaseKind = (typeof caseKinds)[number]

/** Stored; an open case whose deadline has passed is shown as `OVERDUE`. */
export const storedStatuses = ['OPEN', 'CLOSED'] as const

export type StoredStatus = (typeof storedStatuses)[number]

export const caseStatuses = ['OPEN', 'OVERDUE', 'CLOSED'] as const

export type CaseStatus = (typeof caseStatuses)[number]

export const caseOutcomes = ['UPHELD', 'REJECTED', 'OTHER'] as const

export type CaseOutcome = (typeof caseOutcomes)[number]

/** A complaint, and what the team decided about it. */
export const cases = new Table('cases', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  mode: column.text<Mode>(),
  kind: column.text<CaseKind>(),
  status: column.text<StoredStatus>(),
  title: column.text(),
  description: column.text().orNull(),
  /** What a bank or a regulator calls the case. */
  externalReference: column.text().orNull(),
  assigneeId: column.uuid().orNull(),
  /** In the time of the environment. */
  deadline: column.time().orNull(),
  /** In real time: when a worker announces that it is overdue; null: nothing is to be announced. */
  dueAt: column.time().orNull(),
  outcome: column.text<CaseOutcome>().orNull(),
  outcomeNote: column.text().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  eventSequence: column.int4(),
  createdAt: column.time(),
  closedAt: column.time().orNull(),
  /** In real time, as open consoles look for changes. */
  changedAt: column.time(),
})

export type Case = typeof cases.row

/** Something that a case is about. One of the four ids is set. */
export const caseItems = new Table('case_items', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  caseId: column.uuid(),
  paymentId: column.uuid().orNull(),
  payoutId: column.uuid().orNull(),
  recipientId: column.uuid().orNull(),
  customerId: column.uuid().orNull(),
  addedAt: column.time(),
  /** Null: it is in the case. */
  removedAt: column.time().orNull(),
})

export const caseItemKinds = [
  'payment',
  'bank_transfer',
  'crypto_transfer',
  'recipient',
  'customer',
] as const

export type CaseItemKind = (typeof caseItemKinds)[number]

/** An item as a case shows it, as it is now. */
export type CaseItem = {
  id: string
  kind: CaseItemKind
  /** Of the payment, transfer, recipient or customer. */
  resourceId: string
  /** Null for customers. */
  status: string | null
  /** Null for recipients and customers, as is the asset. */
  amount: bigint | null
  asset: Asset | null
  addedAt: Date
}

/** With its items in the order in which they were added, and who opened it and works on it. */
export type ShownCase = Case & { items: CaseItem[]; names: CreatorNames }

export const caseReference = ({ id }: Pick<Case, 'id'>): string => toReference(prefixes.case, id)

const itemPrefixes = {
  payment: prefixes.payment,
  bank_transfer: prefixes.bankTransfer,
  crypto_transfer: prefixes.cryptoTransfer,
  recipient: prefixes.recipient,
  customer: prefixes.customer,
} as const

export function itemReference({ kind, resourceId }: Pick<CaseItem, 'kind' | 'resourceId'>): string {
  return toReference(itemPrefixes[kind], resourceId)
}

/** Undefined: nothing of this kind can be in a case. */
export function itemKindOf(reference: string): CaseItemKind | undefined {
  return caseItemKinds.find((kind) => reference.startsWith(itemPrefixes[kind]))
}

/** The id in the reference of an item. Undefined: it names nothing. */
export function itemIdOf(kind: CaseItemKind, reference: string): string | undefined {
  return fromReference(itemPrefixes[kind], reference)
}

/** By the clock of the environment. */
export function isOverdue({ status, deadline }: Pick<Case, 'status' | 'deadline'>, now: Date) {
  return status === 'OPEN' && deadline !== null && deadline < now
}
