import { strict as assert } from 'node:assert'
import { day, type RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { lockEnvironment } from './environments.js'

export type Advance = { environmentId: EnvironmentId; byMs: number }

/** How far the clock of an environment is ahead of real time. */
export async function getClockOffset(db: Queryable, id: EnvironmentId): Promise<number> {
  const [row] = await db.rows(sql<{ offsetMs: number }>`
    select clock_offset_ms::float8 as offset_ms from environments where id = ${id}`)
  assert(row, `environment ${id} exists`)
  return row.offsetMs
}

/**
 * Locks the environment, so that concurrent advances add up, and returns the offset after this one.
 * Refuses offsets beyond the limit. `moveClock` then moves the clock.
 */
export async function lockClock(tx: Tx, { environmentId, byMs }: Advance): Promise<number> {
  await lockEnvironment(tx, environmentId)
  const offsetMs = (await getClockOffset(tx, environmentId)) + byMs
  if (offsetMs <= limits.testClock.offsetMaxMs) return offsetMs
  const most = `${limits.testClock.offsetMaxMs / day} days`
  throw new Refusal('clock_advance_failed', {
    reason: 'invalid_state',
    message: `The clock can be at most ${most} ahead of real time.`,
    details: [{ field: 'seconds', issue: `must leave the clock at most ${most} ahead` }],
  })
}

/** Adds to the stored offset, so a clock never moves back. */
export function moveClock(tx: Tx, now: RealTime, { environmentId, byMs }: Advance): void {
  tx.write(sql`
    insert into clock_moves (environment_id, moved_at, offset_before_ms)
    select id, ${now}, clock_offset_ms from environments where id = ${environmentId}
    on conflict do nothing`)
  tx.write(sql`
    update environments set clock_offset_ms = clock_offset_ms + ${byMs}
    where id = ${environmentId}`)
}

/** One move of a test clock: when (in real time), and the offset before it. */
export type ClockMove = { movedAt: Date; offsetBeforeMs: number }

/** The latest moves of each environment, oldest first. */
export async function listClockMoves(
  db: Queryable,
  ids: EnvironmentId[],
): Promise<Map<EnvironmentId, ClockMove[]>> {
  const moves = new Map<EnvironmentId, ClockMove[]>(ids.map((id) => [id, []]))
  const rows = await db.rows<ClockMove & { environmentId: EnvironmentId }>({
    name: 'list_clock_moves',
    text: `
      select environment_id, moved_at, offset_before_ms::float8 as offset_before_ms
      from clock_moves where environment_id = any($1) order by moved_at desc limit $2`,
    values: [ids, limits.testClock.movesReadMax],
  })
  for (const { environmentId, ...move } of rows) moves.get(environmentId)!.unshift(move)
  return moves
}
