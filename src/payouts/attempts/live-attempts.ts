import { after, type RealTime } from '../../base/clock.js'
import { toReference } from '../../base/ids.js'
import { claimDue, type DueTable } from '../../postgres/due.js'
import { leaseLimits } from '../../postgres/limits.js'
import { sql } from '../../postgres/sql.js'
import { listStatement, unindexed } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import { type PayoutKind, payoutKinds, sentAttempts } from '../payout.js'
import type { LiveAttempt } from '../ports.js'

const columns = `${sentAttempts.of('job')},
  (select row_to_json(p) from (select kind, asset from payouts
    where environment_id = job.environment_id and id = job.payout_id) p) as payout`

export const attemptsDue: DueTable = {
  table: 'payout_attempts',
  keyColumns: ['environment_id', 'payout_id', 'number'],
  openCondition: "state = 'LIVE'",
  ownerColumn: 'rail',
  counterColumn: 'polls',
  effectsColumn: { name: 'leased_until', durationMs: payoutLimits.leaseMs },
  returning: columns,
}

type Row = typeof sentAttempts.row & { payout: string }

/** Claims attempts of a rail that are due to be polled. */
export async function claimAttempts(
  db: Queryable,
  now: RealTime,
  rail: string,
): Promise<LiveAttempt[]> {
  const rows = await claimDue<Row>(db, attemptsDue, {
    owner: rail,
    now,
    limit: payoutLimits.attemptsPerBatchMax,
  })
  return rows.map(toAttempt)
}

/**
 * Makes claimed attempts due at once: for the only worker, when it starts after its predecessor was
 * killed. A poll that is still running concludes nothing once another poll has started.
 */
export async function releaseAttempts(db: Queryable, now: RealTime): Promise<void> {
  await db.rows(sql`
    update payout_attempts set due_at = ${now}, leased_until = null
    where state = 'LIVE' and polls > 0 and due_at > ${now}
      and due_at <= ${after(now, leaseLimits.leaseMs)}`)
}

const keyColumns = { environmentId: 'int4', payoutId: 'uuid' } as const

const findIn = (state: 'LIVE' | 'LANDED' | 'FAILED') =>
  listStatement<typeof keyColumns, Row>({
    name: `find_${state.toLowerCase()}_attempts`,
    columns: keyColumns,
    text: (list) => `
      select ${columns} from payout_attempts job join ${list} using (environment_id, payout_id)
      where ${unindexed('job.state')} = '${state}'`,
  })

const [findLive, findLanded, findFailed] = [findIn('LIVE'), findIn('LANDED'), findIn('FAILED')]

type Name = { environmentId: number; id: string }

/** From their committed rows. A worker sends what it reads here. */
export async function readLiveAttempts(
  db: Queryable,
  payouts: Name[],
): Promise<(LiveAttempt & { rail: string })[]> {
  return (await db.rows(findLive(payouts.map(toRow)))).map(toAttempt)
}

/**
 * Whether the process that created an attempt may still send it. Later an operator may fail the
 * payout and release the money (`decide-payout.ts`), so sending is left to a worker.
 */
export function isWithinSendTime(
  { createdAt }: Pick<LiveAttempt, 'createdAt'>,
  now: Date,
): boolean {
  return now < after(createdAt, payoutLimits.sendWithinMs)
}

export async function readLandedAttempts(db: Queryable, payouts: Name[]): Promise<LiveAttempt[]> {
  return (await db.rows(findLanded(payouts.map(toRow)))).map(toAttempt)
}

export async function readFailedAttempts(db: Queryable, payouts: Name[]): Promise<LiveAttempt[]> {
  return (await db.rows(findFailed(payouts.map(toRow)))).map(toAttempt)
}

function toRow({ environmentId, id }: Name) {
  return { environmentId, payoutId: id }
}

function toAttempt({ payout, ...row }: Row): LiveAttempt & { rail: string } {
  const { kind, asset } = JSON.parse(payout) as { kind: PayoutKind; asset: LiveAttempt['asset'] }
  return { ...row, asset, reference: toReference(payoutKinds[kind].prefix, row.payoutId) }
}
