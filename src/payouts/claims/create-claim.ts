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
import { describeExtras } from '../requests/create-payouts.js'
import { type Claim, claims } from './claim.js'
import { emitClaimEvent, insertClaimHold, newClaimHold, toClaimMovement } from './hold-claims.js'
import { refuseUsedReference } from './store-claims.js'

export type NewClaim = Pick<
  Claim,
  | 'environmentId'
  | 'asset'
  | 'amount'
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

/** Sets amount and largest fee aside. Refuses what the balance does not cover. */
export async function createClaim(
  tx: Tx,
  { now, realNow }: { now: EnvironmentTime; realNow: RealTime },
  { word, ...wanted }: NewClaim,
  token: string,
): Promise<Claim> {
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
  await refuseUsedReference(tx, claim)
  const hold = newClaimHold(claim, claim.amount + claim.feeMax, now)
  const movement = toClaimMovement(claim, hold)
  const movements = new DecidedMovements(tx, await lockForAll(tx, [movement]))
  const outcome = movements.move(movement)
  // Before anything is written: the transaction of a refused request is committed.
  if (!outcome.isMoved) throw notSetAside(claim, outcome.why, outcome.available)
  movements.write(realNow)
  tx.write(claims.insert(claim))
  insertClaimHold(tx, hold)
  emitClaimEvent(tx, realNow, claim, { what: 'created', causeId: claim.id })
  return claim
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
