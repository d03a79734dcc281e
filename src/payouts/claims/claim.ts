import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'
import { claimLimits } from '../limits.js'
import { type Payout, type PayoutKind, returnKindOf, transferKindOf } from '../payout.js'

export const claimStatuses = ['OPEN', 'CLAIMED', 'EXPIRED', 'CANCELLED'] as const

export type ClaimStatus = (typeof claimStatuses)[number]

/** Money that a merchant sets aside for a recipient who says later where to send it. */
export const claims = new Table('claims', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  tokenHash: column.bytea(),
  status: column.text<ClaimStatus>(),
  asset: column.text<Asset>(),
  amount: column.int8(),
  /** The payment whose money it returns; null for other claims. */
  paymentId: column.uuid().orNull(),
  /** Carries the payout of such a claim: money goes back only by the rail that it came by. */
  rail: column.text().orNull(),
  /** The ledger account whose money is set aside: suspense for money that was never accepted. */
  takesFrom: column.text<'available' | 'suspense'>(),
  /** What the payout may cost at most, at the fees of the day of creation. */
  feeMax: column.int8(),
  /** Why the recipient gets it, as the page shows it. */
  description: column.text(),
  recipientName: column.text().orNull(),
  email: column.text().orNull(),
  merchantReference: column.text().orNull(),
  metadata: column.jsonText(),
  /** Null: no secret word. */
  wordHash: column.bytea().orNull(),
  wordSalt: column.bytea().orNull(),
  wordCost: column.int4().orNull(),
  wordBlockSize: column.int4().orNull(),
  wordParallelism: column.int4().orNull(),
  guesses: column.int4(),
  lookups: column.int4(),
  /** How often its money was set aside: once, and again after each payout that failed. */
  openings: column.int4(),
  /** Null unless it is claimed. */
  payoutId: column.uuid().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  eventSequence: column.int4(),
  expiresAt: column.time(),
  createdAt: column.time(),
  claimedAt: column.time().orNull(),
  /** When it expired or was cancelled. */
  endedAt: column.time().orNull(),
})

export type Claim = typeof claims.row

/** One time that the money of a claim was set aside; its id is the cause in the ledger. */
export const claimHolds = new Table('claim_holds', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  claimId: column.uuid(),
  opening: column.int4(),
  amount: column.int8(),
  /** Null: the money is held. */
  endedAs: column.text<Exclude<ClaimStatus, 'OPEN'>>().orNull(),
  payoutId: column.uuid().orNull(),
  createdAt: column.time(),
})

export type ClaimHold = typeof claimHolds.row

export function claimReference({ id }: Pick<Claim, 'id'>): string {
  return toReference(prefixes.claim, id)
}

/** Too many guesses or look-ups: it waits until the merchant unlocks it. */
export function isLocked({ guesses, lookups }: Pick<Claim, 'guesses' | 'lookups'>): boolean {
  return guesses >= claimLimits.guessesMax || lookups >= claimLimits.lookupsMax
}

/** Money of a payment goes back by a return, which is free. */
export function payoutKindOf({ asset, paymentId }: Pick<Claim, 'asset' | 'paymentId'>): PayoutKind {
  return paymentId === null ? transferKindOf({ asset }) : returnKindOf({ asset })
}

/**
 * What the payout of a claim has as the merchant's reference, which is unique among payouts: so
 * each opening becomes one payout at most.
 */
export function payoutReferenceOf({ id, openings }: Pick<Claim, 'id' | 'openings'>): string {
  const reference = claimReference({ id })
  return openings === 1 ? reference : `${reference}-${openings}`
}

/** Whether a payout may be that of a claim. Older payouts of merchants may have such references. */
export function mayPayClaim({ merchantReference }: Pick<Payout, 'merchantReference'>): boolean {
  return merchantReference?.startsWith(prefixes.claim) ?? false
}
