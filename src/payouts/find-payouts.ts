import type { EnvironmentId } from '../base/environment.js'
import { fromReference } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import { newestRows } from '../postgres/newest-rows.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import {
  type Payout,
  type PayoutAttempt,
  type PayoutKind,
  type PayoutStatus,
  payoutKinds,
  payoutStatuses,
} from './payout.js'
import type { Destination } from './ports.js'

export type PayoutRow = Omit<Payout, 'destination'> & { destination: string }

export const payoutColumns = `p.environment_id as "environmentId", p.id, p.kind, p.rail, p.asset,
  p.amount, p.fee, p.requested_amount as "requestedAmount", p.destination,
  p.merchant_reference as "merchantReference", p.metadata, p.takes_from as "takesFrom", p.status,
  p.failure_reason as "failureReason", p.is_review_required as "isReviewRequired",
  p.event_sequence as "eventSequence", p.submitted_at as "submittedAt",
  p.completed_at as "completedAt", p.failed_at as "failedAt", p.reversed_at as "reversedAt",
  p.created_at as "createdAt"`

export function toPayout(row: PayoutRow): Payout {
  return { ...row, destination: JSON.parse(row.destination) as Destination }
}

/** Attempts are sorted oldest first. */
export type PayoutWithAttempts = { payout: Payout; attempts: PayoutAttempt[] }

export type PayoutFilter = {
  merchantReference: string | undefined
  status: PayoutStatus | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export async function listPayouts(
  db: Queryable,
  { environmentId, kind }: { environmentId: EnvironmentId; kind: PayoutKind },
  { merchantReference, status, beforeId, limit }: PayoutFilter,
): Promise<PayoutWithAttempts[]> {
  // A reference belongs to at most one payout of a kind: the other conditions filter one row.
  const where = [
    merchantReference !== undefined && sql`p.merchant_reference = ${merchantReference}`,
    status && sql`p.status = ${status}`,
    beforeId && sql`p.id < ${beforeId}`,
  ].filter((condition): condition is Sql<unknown> => Boolean(condition))
  const from =
    merchantReference === undefined
      ? newestRows({
          table: 'payouts',
          environmentId,
          where: sql`kind = ${kind}`,
          columns: [{ name: 'status', type: 'text', values: status ? [status] : payoutStatuses }],
          order: [{ name: 'id', type: 'uuid' }],
          before: beforeId === undefined ? undefined : [beforeId],
          limit,
        })
      : sql`(
          select * from payouts p where p.environment_id = ${environmentId} and p.kind = ${kind}
            and ${sql.join(where, sql` and `)})`
  const rows = await db.rows(sql<PayoutRow>`
    select ${sql.raw(payoutColumns)} from ${from} p order by p.id desc limit ${limit}`)
  return withAttempts(db, environmentId, rows)
}

export async function getPayout(
  db: Queryable,
  name: { environmentId: EnvironmentId; kind?: PayoutKind; reference: string },
): Promise<PayoutWithAttempts> {
  const { environmentId, kind, reference } = name
  const all = Object.keys(payoutKinds) as PayoutKind[]
  const candidates = (kind ? [kind] : all).filter((one) =>
    reference.startsWith(payoutKinds[one].prefix),
  )
  const id = candidates[0] && fromReference(payoutKinds[candidates[0]].prefix, reference)
  const rows = id
    ? await db.rows(sql<PayoutRow>`
        select ${sql.raw(payoutColumns)} from payouts p
        where p.environment_id = ${environmentId} and p.id = ${id} and p.kind = any(${candidates})`)
    : []
  const [found] = await withAttempts(db, environmentId, rows)
  if (!found) throw notFound('transfer', reference)
  return found
}

async function withAttempts(
  db: Queryable,
  environmentId: EnvironmentId,
  rows: PayoutRow[],
): Promise<PayoutWithAttempts[]> {
  if (rows.length === 0) return []
  const attempts = await db.rows(sql<PayoutAttempt & { payoutId: string }>`
    select payout_id as "payoutId", number, token, state, created_at as "createdAt"
    from payout_attempts
    where environment_id = ${environmentId} and payout_id = any(${rows.map(({ id }) => id)}::uuid[])
    order by number`)
  return rows.map((row) => ({
    payout: toPayout(row),
    attempts: attempts.filter(({ payoutId }) => payoutId === row.id),
  }))
}
