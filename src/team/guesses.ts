import { createHash } from 'node:crypto'
import { after, type RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { type Sql, sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'

/** Whose secret is guessed, and from where. */
export type Guesser = { email: string; network: string }

/** A guess that counts as wrong until it is withdrawn. */
export type Guess = {
  id: string
  /** One wrong guess more, and the user is locked out for a while. */
  isLastOfUser: boolean
}

/**
 * Counts a guess before it is checked, so that guesses at the same moment, from several processes,
 * do not slip through. The user is known by the e-mail address, whether or not it exists.
 */
export async function countGuess(
  tx: Tx,
  now: RealTime,
  guesser: Guesser,
): Promise<Guess | Refusal> {
  const { guessWindowMs, guessesPerUserMax, guessesPerNetworkMax } = signInLimits
  const subject = subjectOf(guesser.email)
  const since = after(now, -guessWindowMs)
  // In this order everywhere. Collisions of the short hash only wait for each other.
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${guesser.network}, 40))`)
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${subject.toString('hex')}, 41))`)
  const [byUser, byNetwork] = await Promise.all([
    countSince(tx, since, sql`subject = ${subject}`),
    countSince(tx, since, sql`network = ${guesser.network}`),
  ])
  const isTooMany = byUser.count >= guessesPerUserMax || byNetwork.count >= guessesPerNetworkMax
  if (isTooMany) {
    const first = byUser.count >= guessesPerUserMax ? byUser.first : byNetwork.first
    return lockedOut(after(first!, guessWindowMs).getTime() - now.getTime())
  }
  const id = newId(now)
  deleteOld(tx, since)
  tx.write(insertInto('sign_in_guesses', { id, subject, network: guesser.network, createdAt: now }))
  return { id, isLastOfUser: byUser.count + 1 === guessesPerUserMax }
}

type Counted = { count: number; first: Date | null }

async function countSince(tx: Tx, since: Date, condition: Sql): Promise<Counted> {
  const [row] = await tx.rows(sql<Counted>`
    select count(*)::int as count, min(created_at) as first from sign_in_guesses
    where ${condition} and created_at > ${since}`)
  return row!
}

function deleteOld(tx: Tx, before: Date): void {
  tx.write(sql`
    delete from sign_in_guesses where id in (
      select id from sign_in_guesses where created_at < ${before}
      limit ${signInLimits.rowsDeletedMax} for update skip locked)`)
}

/** The guess was right. */
export function takeBack(tx: Tx, guess: Guess): void {
  tx.write(sql`delete from sign_in_guesses where id = ${guess.id}`)
}

/** The user is signed in with everything that is needed: earlier mistakes were theirs. */
export function forgetGuesses(tx: Tx, email: string): void {
  tx.write(sql`delete from sign_in_guesses where subject = ${subjectOf(email)}`)
}

/**
 * Counts a guess of a signed-in user before it is checked, apart from those of sign-ins: failures
 * from elsewhere must not keep a signed-in user from confirming. Undefined once the session has had
 * all its guesses, of whatever age: a stolen session must not guess for a week.
 */
export async function countProof(
  tx: Tx,
  sessionId: string,
): Promise<{ isLast: boolean } | undefined> {
  const { guessesPerSessionMax } = signInLimits
  const [row] = await tx.rows(sql<{ count: number }>`
    update user_sessions set wrong_proofs = wrong_proofs + 1
    where id = ${sessionId} and ended_at is null and wrong_proofs < ${guessesPerSessionMax}
    returning wrong_proofs as count`)
  return row && { isLast: row.count === guessesPerSessionMax }
}

/** The proof was right: it does not count. */
export function takeBackProof(tx: Tx, sessionId: string): void {
  tx.write(sql`
    update user_sessions set wrong_proofs = wrong_proofs - 1 where id = ${sessionId}`)
}

function subjectOf(email: string): Buffer {
  return createHash('sha256').update(email.toLowerCase()).digest()
}

function lockedOut(waitMs: number): Refusal {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  const unit = minutes === 1 ? 'minute' : 'minutes'
  return new Refusal('rate_limited', {
    reason: 'too_many_guesses',
    message: `Too many failed attempts. Try again in ${minutes} ${unit}, or use a passkey.`,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  })
}
