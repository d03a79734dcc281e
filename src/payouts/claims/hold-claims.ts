import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { emitAll } from '../../events/emit.js'
import type { Movement } from '../../ledger/movement.js'
import { resolveAll } from '../../ledger/resolve.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { type Claim, type ClaimHold, claimHolds } from './claim.js'
import { showClaim } from './resource.js'
import { findOpenHolds, updateClaim } from './store-claims.js'

/** A hold of its own for each opening: a cause holds and resolves its money once. */
export function newClaimHold(claim: Claim, amount: bigint, at: Date): ClaimHold {
  return {
    environmentId: claim.environmentId,
    id: newId(at),
    claimId: claim.id,
    opening: claim.openings,
    amount,
    endedAs: null,
    payoutId: null,
    createdAt: at,
  }
}

/**
 * Reserves what a claim takes. The credit never becomes final: when the money is claimed, the hold
 * is released and the payout holds it. The treasury is not named, so that it does not have to cover
 * a claim twice; money in suspense is held towards where it came from.
 */
export function toClaimMovement(
  { asset, takesFrom: debit }: Pick<Claim, 'asset' | 'takesFrom'>,
  hold: ClaimHold,
): Movement {
  const { environmentId, id, amount } = hold
  const source = asset === 'NGN' ? 'clearing' : 'deposits'
  const credit = debit === 'available' ? 'suspense' : source
  const line = { debit, credit, amount, purpose: 'claim' } as const
  return { environmentId, asset, causeId: id, isHold: true, lines: [line] }
}

export function insertClaimHold(tx: Tx, hold: ClaimHold): void {
  tx.write(claimHolds.insert(hold))
}

/** Records how a hold ended. Its money is released by the caller. */
export function endClaimHold(
  tx: Tx,
  { environmentId, id }: ClaimHold,
  { endedAs, payoutId }: Pick<ClaimHold, 'endedAs' | 'payoutId'>,
): void {
  tx.write(sql`
    update claim_holds set ended_as = ${endedAs}, payout_id = ${payoutId}
    where environment_id = ${environmentId} and id = ${id} and ended_as is null`)
}

const eventTypes = {
  created: 'claim.created',
  claimed: 'claim.claimed',
  reopened: 'claim.reopened',
  EXPIRED: 'claim.expired',
  CANCELLED: 'claim.cancelled',
} as const

/** An event may be sent once for each cause: a claim is claimed and opened again once per hold. */
export function emitClaimEvent(
  tx: Tx,
  now: RealTime,
  claim: Claim,
  { what, causeId }: { what: keyof typeof eventTypes; causeId: string },
): void {
  const { environmentId, id: resourceId, eventSequence: sequence } = claim
  const type = eventTypes[what]
  const data = showClaim(claim)
  emitAll(tx, now, [{ environmentId, type, resourceId, causeId, sequence, data }])
}

type ClaimEnd = { status: 'EXPIRED' | 'CANCELLED'; endedAt: Date }

/** The claim as it is after it expired or was cancelled, whatever it was before. */
export function toEnded(claim: Claim, { status, endedAt }: ClaimEnd): Claim {
  return {
    ...claim,
    status,
    endedAt,
    payoutId: null,
    claimedAt: null,
    eventSequence: claim.eventSequence + 1,
  }
}

/**
 * Releases the money of open claims, which the caller has locked, and ends the returns that they
 * carry. Returns the claims as they are now.
 */
export async function endOpenClaims(
  tx: Tx,
  now: RealTime,
  ends: (ClaimEnd & { claim: Claim })[],
  follow: FollowReturns,
): Promise<Claim[]> {
  if (ends.length === 0) return []
  const returning = ends.flatMap(({ claim }) => (claim.paymentId === null ? [] : claim))
  const endReturns = returning.length > 0 ? await follow(tx, returning) : undefined
  const holds = await findOpenHolds(
    tx,
    ends.map(({ claim }) => claim),
  )
  const holdOf = ({ id }: Claim) => {
    const hold = holds.get(id)
    assert(hold, 'an open claim holds money')
    return hold
  }
  const areReleased = await resolveAll(
    tx,
    now,
    ends.map(({ claim }) => {
      const { environmentId, id: causeId } = holdOf(claim)
      return { environmentId, causeId, verb: 'release' }
    }),
  )
  assert(areReleased.every(Boolean), 'the money of an open claim is held')
  const endedClaims = ends.map(({ claim, status, endedAt }) => {
    const ended = toEnded(claim, { status, endedAt })
    endClaimHold(tx, holdOf(claim), { endedAs: status, payoutId: null })
    updateClaim(tx, claim, ended)
    emitClaimEvent(tx, now, ended, { what: status, causeId: claim.id })
    return ended
  })
  endReturns?.(
    now,
    returning.map(({ id }) => ({ id, status: 'FAILED' })),
  )
  return endedClaims
}
