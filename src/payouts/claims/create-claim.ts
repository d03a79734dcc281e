import { randomBytes } from 'node:crypto'
import type { EnvironmentTime, RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { lockForAll } from '../../ledger/move.js'
import { formatMoney } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Passwords } from '../../team/passwords.js'
import { hashToken } from '../../team/sessions.js'
import { refuseFrozen } from '../freezes/find-frozen.js'
import type { FreezablePayout } from '../freezes/freeze.js'
import { returnKindOf } from '../payout.js'
import { describeExtras } from '../requests/create-payouts.js'
import { type Claim, type ClaimHold, claims } from './claim.js'
import { emitClaimEvent, insertClaimHold, newClaimHold, toClaimMovement } from './hold-claims.js'
import { refuseUsedReference } from './store-claims.js'

export type NewClaim = Pick<
  Claim,
  | 'environmentId'
  | 'asset'
  | 'amount'
  | 'paymentId'
  | 'rail'
  | 'takesFrom'
  | 'feeMax'
  | 'description'
  | 'recipientName'
  | 'email'
  | 'merchantReference'
  | 'metadata'
  | 'expiresAt'
  | 'createdByKey'
  | 'createdByUser'
> & {
  /** Hashed; null: none. */
  word: SecretWord | null
}

export type SecretWord = Awaited<ReturnType<Passwords['hash']>>

/** 256 random bits, in the link and nowhere else. */
export function newClaimToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A claim as it starts, and the hold of its money. */
export type PreparedClaim = { claim: Claim; hold: ClaimHold }

export function prepareClaim(
  now: EnvironmentTime,
  { word, ...wanted }: NewClaim,
  token: string,
): PreparedClaim {
  const claim: Claim = {
    ...wanted,
    id: newId(now),
    tokenHash: hashToken(token),
    status: 'OPEN',
    wordHash: word?.hash ?? null,
    wordSalt: word?.salt ?? null,
    wordCost: word?.cost ?? null,
    wordBlockSize: word?.blockSize ?? null,
    wordParallelism: word?.parallelism ?? null,
    guesses: 0,
    lookups: 0,
    openings: 1,
    payoutId: null,
    eventSequence: 1,
    createdAt: now,
    claimedAt: null,
    endedAt: null,
  }
  return { claim, hold: newClaimHold(claim, claim.amount + claim.feeMax, now) }
}

/**
 * Sets amount and largest fee aside. Refuses what the balance does not cover, and money of a
 * payment that is frozen, before anything is written: the transaction of a refused request is
 * committed. `decided`: what was decided before, with all accounts locked; its caller writes the
 * book and the transfers.
 */
export async function createClaim(
  tx: Tx,
  realNow: RealTime,
  { claim, hold }: PreparedClaim,
  decided?: DecidedMovements,
): Promise<Claim> {
  await refuseUsedReference(tx, claim)
  const movement = toClaimMovement(claim, hold)
  const movements = decided ?? new DecidedMovements(tx, await lockForAll(tx, [movement]))
  if (claim.paymentId !== null) await refuseFrozen(tx, toFreezable(claim))
  const outcome = movements.move(movement)
  if (!outcome.isMoved) throw notSetAside(claim, outcome.why, outcome.available)
  if (!decided) movements.write(realNow)
  tx.write(claims.insert(claim))
  insertClaimHold(tx, hold)
  emitClaimEvent(tx, realNow, claim, { what: 'created', causeId: claim.id })
  return claim
}

/** Money of a payment leaves by a return; nobody knows yet where it goes. */
function toFreezable(claim: Claim): FreezablePayout {
  return { ...claim, kind: returnKindOf(claim), rail: claim.rail!, destination: null }
}

function notSetAside(
  { asset, amount, feeMax }: Claim,
  why: 'not_covered' | 'beyond_limit',
  available: bigint,
): Refusal {
  if (why === 'beyond_limit')
    return new Refusal('claim_failed', {
      reason: 'balance_limit',
      message: 'The claim would exceed the largest amount that the ledger can hold. Claim less.',
    })
  const [needed, has] = [amount + feeMax, available].map((value) => formatMoney(value, asset))
  const withFee = describeExtras({ fee: feeMax, levy: 0n })
  return new Refusal('insufficient_balance', {
    message: `The claim needs ${needed}${withFee}; ${has} is available. Fund the balance, or send less.`,
  })
}
