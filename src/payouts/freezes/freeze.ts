import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { column, Table } from '../../postgres/table.js'
import { destinationKey } from '../describe-destination.js'
import { type Payout, payoutKinds } from '../payout.js'
import type { Destination } from '../ports.js'

export const freezeKinds = ['merchant', 'key', 'member', 'recipient', 'rail'] as const

export type FreezeKind = (typeof freezeKinds)[number]

export const payoutFreezes = new Table('payout_freezes', {
  id: column.uuid(),
  /** Null: a rail, for all merchants. */
  environmentId: column.int4<EnvironmentId>().orNull(),
  kind: column.text<FreezeKind>(),
  /** Empty for a merchant; see `readFreezeSubject`. */
  subject: column.text(),
  reason: column.text(),
  /** The id of a user, or `shell:` and the account of an operator on the server. */
  frozenBy: column.text(),
  /** Operators froze it, so members do not thaw it. */
  isOfOperators: column.bool(),
  frozenAt: column.time(),
  thawAskedBy: column.text().orNull(),
  thawAskedAt: column.time().orNull(),
  thawedBy: column.text().orNull(),
  thawedAt: column.time().orNull(),
})

export type Freeze = typeof payoutFreezes.row

export function freezeReference({ id }: Pick<Freeze, 'id'>): string {
  return toReference(prefixes.payoutFreeze, id)
}

/** A freeze that applies, with the keys before and after each roll of a frozen key. */
export type OpenFreeze = Pick<
  Freeze,
  'environmentId' | 'kind' | 'subject' | 'reason' | 'isOfOperators'
> & {
  keys: string[]
}

/** What decides whether a payout is frozen. */
export type FreezablePayout = Pick<
  Payout,
  'environmentId' | 'createdByKey' | 'createdByUser' | 'kind'
> & {
  /** Undefined: no rail carries it. */
  rail: string | undefined
  /** Null: those of a batch differ. */
  destination: Destination | null
}

/** Codes of banks are written in either case. */
function isTo(destination: Destination, subject: string): boolean {
  const key = destinationKey(destination)
  return destination.kind === 'wallet'
    ? key === subject
    : key.toLowerCase() === subject.toLowerCase()
}

export function isFrozenBy(freeze: OpenFreeze, payout: FreezablePayout): boolean {
  const { environmentId, kind, subject, keys } = freeze
  if (environmentId !== null && environmentId !== payout.environmentId) return false
  const { createdByKey, createdByUser, destination, rail } = payout
  const applies: Record<FreezeKind, boolean> = {
    merchant: true,
    key: createdByKey !== null && keys.includes(createdByKey),
    member: createdByUser === subject,
    recipient: destination !== null && isTo(destination, subject),
    rail: rail === subject,
  }
  return applies[kind]
}

const frozenThings: Record<FreezeKind, string> = {
  merchant: 'All your payouts',
  key: 'Payouts of this API key',
  member: 'Payouts of this member',
  recipient: 'Payouts to this recipient',
  rail: 'Payouts through this bank or chain',
}

/** Says what is frozen and why, not by whom: API keys read it. */
export function payoutsFrozen(
  { kind, reason, isOfOperators }: Pick<OpenFreeze, 'kind' | 'reason' | 'isOfOperators'>,
  payout: Pick<FreezablePayout, 'kind'>,
): Refusal {
  return new Refusal(payoutKinds[payout.kind].refusal, {
    reason: 'payouts_frozen',
    message: `${frozenThings[kind]} are frozen: ${reason}`,
    nextStep: isOfOperators
      ? 'The operator froze it: ask the operator to thaw it. Then try again with a new `Idempotency-Key`.'
      : undefined,
  })
}
