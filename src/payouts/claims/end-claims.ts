import { type EnvironmentTime, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { Database } from '../../postgres/database.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { claimLimits } from '../limits.js'
import { type Claim, claimReference } from './claim.js'
import { endOpenClaims } from './hold-claims.js'
import { type ClaimName, lockClaim, lockExpiredClaims, updateClaim } from './store-claims.js'

/** Releases the money of an open claim. Repeating it changes nothing. */
export async function cancelClaim(
  tx: Tx,
  { now, realNow }: { now: EnvironmentTime; realNow: RealTime },
  name: ClaimName,
  follow: FollowReturns,
): Promise<Claim> {
  const claim = await lockClaim(tx, name)
  if (claim.status === 'CANCELLED') return claim
  refuseEnded(claim)
  const end = { claim, status: 'CANCELLED', endedAt: now } as const
  const [ended] = await endOpenClaims(tx, realNow, [end], follow)
  return ended!
}

/** Lets the recipient of a claim guess and look accounts up again. */
export async function unlockClaim(tx: Tx, name: ClaimName): Promise<Claim> {
  const claim = await lockClaim(tx, name)
  refuseEnded(claim)
  const unlocked = { ...claim, guesses: 0, lookups: 0 }
  updateClaim(tx, claim, unlocked)
  return unlocked
}

function refuseEnded(claim: Claim): void {
  if (claim.status === 'OPEN') return
  throw new Refusal('claim_failed', {
    reason: 'invalid_state',
    message: `${claimReference(claim)} is not open: it is ${claim.status}.`,
  })
}

/**
 * Releases the money of claims whose time is over, of one environment or of all. The time is that
 * of the environment, whose clock may have been advanced. Returns how many were due.
 */
export async function expireClaims(
  { db, follow }: { db: Database; follow: FollowReturns },
  now: RealTime,
  environmentId?: EnvironmentId,
): Promise<number> {
  const limit = claimLimits.expiriesPerBatchMax
  return db.transaction(async (tx) => {
    const due = await lockExpiredClaims(tx, now, { environmentId, limit })
    const ends = due.map(({ clockOffsetMs, ...claim }) => {
      const endedAt = toEnvironmentTime(now, clockOffsetMs)
      return { claim, status: 'EXPIRED' as const, endedAt }
    })
    return (await endOpenClaims(tx, now, ends, follow)).length
  })
}
