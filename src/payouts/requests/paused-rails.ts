import type { Clock, RealTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Code } from '../../base/refusals.js'
import { sql } from '../../postgres/sql.js'
import { insertInto } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'

export type PausedRail = { rail: string; reason: string; pausedAt: Date; pausedBy: string }

/** Rails that an operator paused: they take no new payouts, and nothing is sent on them. */
export function listPausedRails(db: Queryable): Promise<PausedRail[]> {
  return db.rows(sql<PausedRail>`
    select rail, reason, paused_at, paused_by
    from paused_rails order by rail`)
}

/** For workers, which read it each time before they send, and for rare requests. */
export async function isRailPaused(db: Queryable, rail: string): Promise<boolean> {
  const rows = await db.rows(sql`select from paused_rails where rail = ${rail}`)
  return rows.length > 0
}

export type PausedRails = { has(rail: string): boolean | Promise<boolean> }

/** For requests: at most a second old, so that a payout costs no query. */
export function createPausedRails({ db, clock }: { db: Queryable; clock: Clock }): PausedRails {
  let names = new Set<string>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    const rows = await db.rows(sql<{ rail: string }>`select rail from paused_rails`)
    names = new Set(rows.map(({ rail }) => rail))
    readAtMs = startedAtMs
  }

  return {
    has(rail) {
      if (clock.elapsedMs() - readAtMs < payoutLimits.pauseCacheMs) return names.has(rail)
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading.then(() => names.has(rail))
    },
  }
}

/** Where pausing is of no interest. */
export const noPausedRails: PausedRails = { has: () => false }

/** Returns false if it was already paused. */
export async function pauseRail(
  tx: Tx,
  now: RealTime,
  { rail, reason, pausedBy }: Omit<PausedRail, 'pausedAt'>,
): Promise<boolean> {
  const paused = insertInto('paused_rails', { rail, reason, pausedBy, pausedAt: now })
  const rows = await tx.rows(sql`${paused} on conflict do nothing returning rail`)
  return rows.length > 0
}

/** Returns false if it was not paused. */
export async function resumeRail(tx: Tx, rail: string): Promise<boolean> {
  const rows = await tx.rows(sql`delete from paused_rails where rail = ${rail} returning rail`)
  return rows.length > 0
}

export function railPaused(code: Code): Refusal {
  return new Refusal(code, {
    reason: 'rail_unavailable',
    message: 'The operator has paused payouts of this kind. Try again later.',
  })
}
