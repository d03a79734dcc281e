import { strict as assert } from 'node:assert'
import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { accountsOf } from '../../ledger/move.js'
import type { MovementsAfter } from '../../ledger/resolve.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { type Payout, totalDebitOf } from '../payout.js'
import { type Claim, type ClaimHold, mayPayClaim } from './claim.js'
import {
  emitClaimEvent,
  insertClaimHold,
  newClaimHold,
  toClaimMovement,
  toEnded,
} from './hold-claims.js'
import { lockClaimsOf, updateClaim } from './store-claims.js'

/** What the failure of payouts means for the claims that they should have paid. */
export type FailedClaims = {
  /** Sets the released money aside again. Undefined: no claim opens again. */
  reholds: MovementsAfter | undefined
  /** Whether the claim of this payout opens again: then its return, if it is one, goes on. */
  isReopened(payout: Pick<Payout, 'id'>): boolean
  /** Writes the claims. Call it after the money was released. */
  write(): void
}

const none: FailedClaims = { reholds: undefined, isReopened: () => false, write() {} }

/**
 * Opens the claims of failed payouts again, in the transaction in which the payouts fail: no other
 * payout can spend the money in between. A claim whose time is over expires, and one whose payout
 * was rejected is cancelled. Locks the claims; the caller has locked the payouts.
 */
export async function followFailedClaims(
  tx: Tx,
  now: RealTime,
  failed: Payout[],
  { isRejected = false }: { isRejected?: boolean } = {},
): Promise<FailedClaims> {
  const candidates = failed.filter(mayPayClaim)
  const claims = candidates.length === 0 ? [] : await lockClaimsOf(tx, candidates)
  if (claims.length === 0) return none
  const offsets = await findClockOffsets(tx, claims)
  const payouts = new Map(candidates.map((payout) => [payout.id, payout]))
  const reopening: Reopening[] = []
  const ending: { claim: Claim; status: 'EXPIRED' | 'CANCELLED'; endedAt: Date }[] = []
  for (const claim of claims) {
    const at = toEnvironmentTime(now, offsets.get(claim.environmentId)!)
    if (isRejected) ending.push({ claim, status: 'CANCELLED', endedAt: at })
    else if (claim.expiresAt <= at) ending.push({ claim, status: 'EXPIRED', endedAt: at })
    else reopening.push(reopen(claim, payouts.get(claim.payoutId!)!, at))
  }
  const reopened = new Set(reopening.map(({ before }) => before.payoutId))
  return {
    isReopened: ({ id }) => reopened.has(id),
    reholds: reopening.length === 0 ? undefined : toReholds(reopening),
    write() {
      for (const { claim, status, endedAt } of ending) {
        const ended = toEnded(claim, { status, endedAt })
        updateClaim(tx, claim, ended)
        emitClaimEvent(tx, now, ended, { what: status, causeId: claim.id })
      }
      for (const { before, reopened, hold } of reopening) {
        updateClaim(tx, before, reopened)
        insertClaimHold(tx, hold)
        emitClaimEvent(tx, now, reopened, { what: 'reopened', causeId: hold.id })
      }
    },
  }
}

type Reopening = { before: Claim; reopened: Claim; hold: ClaimHold }

/** Sets aside exactly what the payout held: that was just released, so it is always covered. */
function reopen(before: Claim, payout: Payout, at: Date): Reopening {
  const reopened = toReopened(before)
  return { before, reopened, hold: newClaimHold(reopened, totalDebitOf(payout), at) }
}

function toReholds(reopening: Reopening[]): MovementsAfter {
  const movements = reopening.map(({ before, hold }) => toClaimMovement(before, hold))
  return {
    accounts: movements.flatMap(accountsOf),
    decide(decided) {
      for (const movement of movements)
        assert(decided.move(movement).isMoved, 'what a payout held covers the claim again')
    },
  }
}

function toReopened(claim: Claim): Claim {
  return {
    ...claim,
    status: 'OPEN',
    openings: claim.openings + 1,
    payoutId: null,
    claimedAt: null,
    eventSequence: claim.eventSequence + 1,
  }
}

async function findClockOffsets(tx: Tx, claims: Claim[]): Promise<Map<EnvironmentId, number>> {
  const ids = [...new Set(claims.map(({ environmentId }) => environmentId))]
  const rows = await tx.rows(sql<{ id: EnvironmentId; clockOffsetMs: number }>`
    select id, clock_offset_ms::float8 as clock_offset_ms from environments
    where id = any(${ids}::int4[])`)
  return new Map(rows.map(({ id, clockOffsetMs }) => [id, clockOffsetMs]))
}
