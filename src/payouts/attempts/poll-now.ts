import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { bankKinds, payoutKinds } from '../payout.js'
import type { LiveAttempt } from '../ports.js'
import { readFailedAttempts, readLandedAttempts } from './live-attempts.js'

/** The id of a payout to a bank; undefined if the reference is not one of ours. */
export function bankPayoutId(reference: string): string | undefined {
  const ids = bankKinds.map((kind) => fromReference(payoutKinds[kind].prefix, reference))
  return ids.find((id) => id !== undefined)
}

/** Makes the live attempt of a payout due, unless a worker is polling it. */
export async function pollPayoutNow(
  db: Queryable,
  now: RealTime,
  { rail, reference }: { rail: string; reference: string },
): Promise<void> {
  const id = bankPayoutId(reference)
  if (id === undefined) return
  await db.rows(sql`
    update payout_attempts a set due_at = ${now}
    from payouts p
    where p.rail = ${rail} and p.id = ${id} and a.environment_id = p.environment_id
      and a.payout_id = p.id and a.state = 'LIVE' and a.due_at > ${now}
      and (a.leased_until is null or a.leased_until <= ${now})`)
}

/** Keeps the interbank session of a payout, which only a notice of its bank may have. */
export async function storeSession(
  db: Queryable,
  { rail, reference }: { rail: string; reference: string },
  sessionId: string,
): Promise<void> {
  const id = bankPayoutId(reference)
  if (id === undefined) return
  await db.rows(sql`
    update payouts set bank_session_id = ${sessionId.slice(0, limits.banks.sessionIdLengthMax)}
    where rail = ${rail} and id = ${id} and bank_session_id is null`)
}

export type EndedAttempts = { landed: LiveAttempt | undefined; failed: LiveAttempt | undefined }

/** The attempts with which a payout ended; both undefined if it is open or unknown. */
export async function findEndedAttempts(
  db: Queryable,
  { rail, reference }: { rail: string; reference: string },
): Promise<EndedAttempts> {
  const id = bankPayoutId(reference)
  const named =
    id === undefined
      ? []
      : await db.rows(sql<{ environmentId: EnvironmentId; id: string }>`
          select environment_id, id from payouts
          where rail = ${rail} and id = ${id}`)
  if (named.length === 0) return { landed: undefined, failed: undefined }
  const [[landed], [failed]] = await Promise.all([
    readLandedAttempts(db, named),
    readFailedAttempts(db, named),
  ])
  return { landed, failed }
}
