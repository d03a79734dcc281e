import { after } from '../base/clock.js'
import { toReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader } from '../postgres/tx.js'
import { kinds, type PayoutKind } from './payout.js'
import type { LiveAttempt } from './ports.js'

const columns = `job.environment_id as "environmentId", job.payout_id as "payoutId", job.number,
  job.rail, job.token, job.wire, job.valid_until as "validUntil",
  job.expires_by as "expiresBy", job.looks,
  job.created_at as "createdAt", (select row_to_json(p) from (select kind, asset from payouts
    where environment_id = job.environment_id and id = job.payout_id) p) as payout`

const attemptsDue: DueTable = {
  table: 'payout_attempts',
  key: ['environment_id', 'payout_id', 'number'],
  open: "state = 'LIVE'",
  of: 'rail',
  counter: 'looks',
  lease: 'leased_until',
  returning: columns,
}

type Row = Omit<LiveAttempt, 'reference' | 'asset'> & { rail: string; payout: string }

/** The attempts of a rail that are due to be looked at; nobody else looks until the lease ends. */
export async function claimAttempts(db: Reader, now: Date, rail: string): Promise<LiveAttempt[]> {
  const rows = await claimDue<Row>(db, attemptsDue, {
    of: rail,
    now,
    leaseMs: limits.payouts.leaseMs,
    limit: limits.payouts.looksAtOnce,
  })
  return rows.map(toAttempt)
}

/**
 * For the only process that works, when it starts: what the one before had claimed when it was
 * killed is due at once. A look from before concludes nothing after another one has begun.
 */
export async function releaseAttempts(db: Reader, now: Date): Promise<void> {
  await db.rows(sql`
    update payout_attempts set due_at = ${now}, leased_until = null
    where state = 'LIVE' and looks > 0 and due_at > ${now}
      and due_at <= ${after(now, limits.payouts.leaseMs)}`)
}

const names = { environment_id: 'int4', payout_id: 'uuid' } as const

const findIn = (state: 'LIVE' | 'LANDED') =>
  listStatement<typeof names, Row>({
    name: `find_${state.toLowerCase()}_attempts`,
    columns: names,
    text: (list) => `
      select ${columns} from payout_attempts job join ${list} using (environment_id, payout_id)
      where job.state = '${state}'`,
  })

const [findLive, findLanded] = [findIn('LIVE'), findIn('LANDED')]

type Name = { environmentId: number; id: string }

/** What may be sent is only what a committed row says: it is read back before it leaves. */
export async function readLiveAttempts(
  db: Reader,
  payouts: Name[],
): Promise<(LiveAttempt & { rail: string })[]> {
  return (await db.rows(findLive(payouts.map(toRow)))).map(toAttempt)
}

/**
 * Whether whoever made an attempt may still send it. Later an operator may call it failed and give
 * the money back (`decide-payout.ts`), so it is left to whoever looks after payouts.
 */
export function isInTime({ createdAt }: Pick<LiveAttempt, 'createdAt'>, now: Date): boolean {
  return now < after(createdAt, limits.payouts.sendWithinMs)
}

/** For asking a rail once more about what it said before. */
export async function readLandedAttempts(db: Reader, payouts: Name[]): Promise<LiveAttempt[]> {
  return (await db.rows(findLanded(payouts.map(toRow)))).map(toAttempt)
}

function toRow({ environmentId, id }: Name) {
  return { environment_id: environmentId, payout_id: id }
}

function toAttempt({ payout, ...row }: Row): LiveAttempt & { rail: string } {
  const { kind, asset } = JSON.parse(payout) as { kind: PayoutKind; asset: LiveAttempt['asset'] }
  return { ...row, asset, reference: toReference(kinds[kind].prefix, row.payoutId) }
}
