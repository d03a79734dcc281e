import { strict as assert } from 'node:assert'
import {
  type Clock,
  type EnvironmentTime,
  type RealTime,
  toEnvironmentTime,
} from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { accountsOf } from '../../ledger/move.js'
import { resolveInBook } from '../../ledger/resolve.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { formatDecimal } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { findWait, type RuleRequest } from '../controls/find-wait.js'
import { payoutLimits } from '../limits.js'
import { type Payout, payoutKinds } from '../payout.js'
import type { Destination } from '../ports.js'
import { findSavedRecipient } from '../recipients/choose-recipient.js'
import { type NewPayout, readForPayouts } from '../requests/create-payouts.js'
import { createUnderRule } from '../requests/create-under-rule.js'
import type { PayoutPreparation, PayoutRequest } from '../requests/prepare-payouts.js'
import { type Claim, claimReference, isLocked, payoutKindOf, payoutReferenceOf } from './claim.js'
import { emitClaimEvent, endClaimHold, toClaimMovement } from './hold-claims.js'
import { findOpenHolds, lockClaimById, updateClaim } from './store-claims.js'

type ClaimDependencies = {
  db: Database
  clock: Clock
  preparation: PayoutPreparation
  /** Sends a committed payout, without waiting for it. */
  send: (committed: NewPayout) => void
}

export type PaidClaim = { claim: Claim; payout: Payout }

/** Why a claim cannot be claimed now; undefined if it can. */
export type ClaimProblem = 'claimed' | 'expired' | 'cancelled' | 'locked' | 'suspended'

export function findClaimProblem(
  claim: Claim,
  { isSuspended }: Pick<Environment, 'isSuspended'>,
  now: EnvironmentTime,
): ClaimProblem | undefined {
  if (claim.status === 'CLAIMED') return 'claimed'
  if (claim.status === 'CANCELLED') return 'cancelled'
  if (claim.status === 'EXPIRED' || claim.expiresAt <= now) return 'expired'
  if (isLocked(claim)) return 'locked'
  return isSuspended ? 'suspended' : undefined
}

/**
 * Pays a claim to the destination that its recipient confirmed. One transaction releases the hold
 * and makes the payout, which follows the approval rule as if the creator of the claim had made it.
 * However many requests claim at once, the lock of the claim lets one of them pay. Throws refusals;
 * the claim is then open as before.
 */
export async function payClaim(
  { db, clock, preparation, send }: ClaimDependencies,
  claim: Claim,
  destination: Destination,
): Promise<PaidClaim> {
  const environment = await getEnvironmentById(db, claim.environmentId)
  const now = toEnvironmentTime(clock.now(), environment.clockOffsetMs)
  refuseUnclaimable(claim, environment, now)
  const request = toPayoutRequest(claim, environment, destination)
  await findSavedRecipient(db, environment, destination, payoutKinds[request.kind].refusal)
  const rule = toRuleRequest(claim, now, destination)
  const prepared = (await findWait(db, rule))
    ? await preparation.prepareUnsigned(now, request)
    : await preparation.prepare(now, request)
  if (prepared instanceof Refusal) throw prepared
  const signed = 'attempt' in prepared ? prepared : null
  const payout = 'attempt' in prepared ? prepared.payout : prepared
  const paid = await db
    .transaction((tx) => commitClaim(tx, clock.now(), { claim, environment, payout, signed, rule }))
    .finally(signed?.finish)
  if (signed && paid.payout.status === 'SUBMITTED') send(signed)
  return paid
}

type PreparedClaim = {
  claim: Claim
  environment: Environment
  payout: Payout
  signed: NewPayout | null
  rule: RuleRequest
}

async function commitClaim(
  tx: Tx,
  now: RealTime,
  { claim: read, environment, payout, signed, rule }: PreparedClaim,
): Promise<PaidClaim> {
  const claim = await lockClaimById(tx, read)
  assert(claim, 'claims are never deleted')
  const claimedAt = toEnvironmentTime(now, environment.clockOffsetMs)
  refuseUnclaimable(claim, environment, claimedAt)
  // It was claimed, failed and opened again since it was read: the payout has the reference of
  // another opening.
  if (claim.openings !== read.openings) throw notNow(claim)
  const hold = (await findOpenHolds(tx, [claim])).get(claim.id)
  assert(hold, 'an open claim holds money')
  const held = toClaimMovement(claim, hold)
  const { environmentId, asset } = claim
  const reads = await readForPayouts(
    tx,
    [{ payout }],
    [...accountsOf(held), { environmentId, asset, name: 'available' }],
  )
  resolveInBook(tx, now, reads.book, [{ hold: held, verb: 'release' }])
  const created = await createUnderRule(tx, now, { payout, signed }, rule, reads)
  const claimed: Claim = {
    ...claim,
    status: 'CLAIMED',
    payoutId: payout.id,
    claimedAt,
    eventSequence: claim.eventSequence + 1,
  }
  updateClaim(tx, claim, claimed)
  endClaimHold(tx, hold, { endedAs: 'CLAIMED', payoutId: payout.id })
  emitClaimEvent(tx, now, claimed, { what: 'claimed', causeId: hold.id })
  return { claim: claimed, payout: created.payout }
}

function refuseUnclaimable(claim: Claim, environment: Environment, now: EnvironmentTime): void {
  const problem = findClaimProblem(claim, environment, now)
  if (problem === undefined) return
  throw new Refusal('claim_failed', {
    reason: 'invalid_state',
    message: `${claimReference(claim)} cannot be claimed: ${wordsOf[problem]}.`,
  })
}

const wordsOf: Record<ClaimProblem, string> = {
  claimed: 'it was claimed already',
  expired: 'it has expired',
  cancelled: 'it was cancelled',
  locked: 'it is locked after too many tries. Unlock it',
  suspended: 'the merchant is suspended',
}

function notNow(claim: Claim): Refusal {
  return new Refusal('claim_failed', {
    reason: 'invalid_state',
    message: `${claimReference(claim)} was opened again meanwhile. Claim it again.`,
  })
}

function toRuleRequest(
  { environmentId, asset, amount, createdByKey, createdByUser }: Claim,
  at: EnvironmentTime,
  destination: Destination,
): RuleRequest {
  const creator = { createdByKey, createdByUser }
  return {
    environmentId,
    asset,
    amount,
    ...creator,
    at,
    controlled: { destination, isClaimed: true },
  }
}

/** Where the recipient wants the money. Names of the account and bank are looked up later. */
export function toClaimDestination(
  { description }: Pick<Claim, 'description'>,
  entered: { bankCode: string; accountNumber: string } | { address: string },
): Destination {
  if ('address' in entered) return { kind: 'wallet', address: entered.address }
  return {
    kind: 'bank_account',
    bankCode: entered.bankCode,
    accountNumber: entered.accountNumber,
    accountName: '',
    bankName: '',
    narration: description.slice(0, payoutLimits.narrationLengthMax),
  }
}

/** For the look-up of the recipient's account or wallet, and for the payout. */
export function toPayoutRequest(
  claim: Claim,
  environment: Environment,
  destination: Destination,
): PayoutRequest {
  const { asset, amount } = claim
  return {
    environment,
    kind: payoutKindOf(claim),
    asset,
    amount,
    requestedAmount: asset === 'NGN' ? String(amount) : formatDecimal(amount, asset),
    destination,
    purpose: null,
    takesFrom: claim.takesFrom,
    rail: claim.rail,
    merchantReference: payoutReferenceOf(claim),
    metadata: claim.metadata,
    createdByKey: claim.createdByKey,
    createdByUser: claim.createdByUser,
    isFundedInCommit: true,
  }
}
