import { strict as assert } from 'node:assert'
import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { resolveAll } from '../../ledger/resolve.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { ApprovalFailure } from '../attempts/failure-reasons.js'
import { type FollowReturns, lockFollowedReturns } from '../attempts/followed-returns.js'
import { followFailedClaims } from '../claims/follow-claims.js'
import { endChecks } from '../controls/payout-checks.js'
import { nextSequence, type Payout, payoutKinds, referenceOf } from '../payout.js'
import { type PayoutRow, payoutColumns, toPayout } from '../records/find-payouts.js'
import { showPayout } from '../resource.js'
import { followSettlements, toSettlementEvent } from '../settlements/settlement-events.js'

export type PendingName = { environmentId: EnvironmentId; reference: string }

/** A payout that waits, with the users who may have created it and do not approve it. */
export type Pending = { payout: Payout; creators: string[]; clockOffsetMs: number }

export type PendingRow = PayoutRow & Omit<Pending, 'payout'>

/** Creators as of now: a user who sees the key after the payout was made counts, too. */
export const pendingColumns = sql`${payoutColumns},
  e.clock_offset_ms::float8 as clock_offset_ms,
  array(select * from creators_of(p.environment_id, p.created_by_user, p.created_by_key))
    as creators`

const prefixesOfPayouts = [...new Set(Object.values(payoutKinds).map(({ prefix }) => prefix))]

export async function findPending(
  db: Queryable,
  { environmentId, reference }: PendingName,
  { isLocked }: { isLocked: boolean },
): Promise<Pending> {
  const id = prefixesOfPayouts.map((prefix) => fromReference(prefix, reference)).find(Boolean)
  const row = id && (await findRow(db, { environmentId, id }, { isLocked }))
  if (!row || referenceOf(row) !== reference) throw notFound('transfer', reference)
  return toPending(row)
}

/** The payout that a check is of. */
export async function getPendingById(
  db: Queryable,
  key: Pick<Payout, 'environmentId' | 'id'>,
  { isLocked }: { isLocked: boolean },
): Promise<Pending> {
  const row = await findRow(db, key, { isLocked })
  assert(row, 'a check has a payout')
  return toPending(row)
}

async function findRow(
  db: Queryable,
  { environmentId, id }: Pick<Payout, 'environmentId' | 'id'>,
  { isLocked }: { isLocked: boolean },
): Promise<PendingRow | undefined> {
  const isRow = sql`p.environment_id = ${environmentId} and p.id = ${id}`
  // A statement of its own: one that waits for the lock would read the approvals, and the answer of
  // the callback, as they were before it waited.
  const locking = isLocked
    ? db.rows(sql`select from payouts p where ${isRow} for no key update`)
    : []
  const [, [row]] = await Promise.all([
    locking,
    db.rows(sql<PendingRow>`
      select ${pendingColumns}
      from payouts p join environments e on e.id = p.environment_id where ${isRow}`),
  ])
  return row
}

export function toPending({ creators, clockOffsetMs, ...row }: PendingRow): Pending {
  return { payout: toPayout(row), creators, clockOffsetMs }
}

type Ending = {
  reason: ApprovalFailure
  follow?: FollowReturns | undefined
}

/** Releases the money of locked payouts that were not approved. */
export async function endPending(
  tx: Tx,
  now: RealTime,
  pending: Pending[],
  { reason, follow }: Ending,
): Promise<Payout[]> {
  const payouts = pending.map(({ payout }) => payout)
  const isRejected = reason !== 'approval_expired'
  const claims = await followFailedClaims(tx, now, payouts, { isRejected })
  const endReturns = await lockFollowedReturns(tx, payouts, follow)
  const findSettlements = await followSettlements(tx, payouts)
  const areResolved = await resolveAll(
    tx,
    now,
    payouts.map(({ environmentId, id }) => ({ environmentId, causeId: id, verb: 'release' })),
    claims.reholds,
  )
  assert(areResolved.every(Boolean), 'the money of a payout that waits is held')
  const ended = pending.map(
    ({ payout, clockOffsetMs }): Payout => ({
      ...payout,
      status: 'FAILED',
      failureReason: reason,
      failedAt: toEnvironmentTime(now, clockOffsetMs),
      eventSequence: nextSequence(payout),
    }),
  )
  for (const { environmentId, id, failedAt, eventSequence } of ended)
    tx.write(sql`
      update payouts set status = 'FAILED', failure_reason = ${reason}, failed_at = ${failedAt},
        event_sequence = ${eventSequence}
      where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`)
  endChecks(tx, ended)
  emitAll(tx, now, [
    ...ended.flatMap(toFailedEvent),
    ...findSettlements(ended).map(toSettlementEvent),
  ])
  claims.write()
  endReturns(
    now,
    ended.filter((payout) => !claims.isReopened(payout)),
  )
  return ended
}

function toFailedEvent(payout: Payout) {
  const { environmentId, id, kind, eventSequence: sequence } = payout
  const type = payoutKinds[kind].events?.failed
  const data = showPayout(payout, [])
  return type ? [{ environmentId, type, resourceId: id, causeId: id, sequence, data }] : []
}
