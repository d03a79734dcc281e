import { type RealTime, toEnvironmentTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { getClockOffset } from '../merchants/environment-clock.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable, runEach } from '../postgres/due.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { caseReference, isOverdue } from './case.js'
import { emitCaseEvent } from './change-cases.js'
import { caseLimits } from './limits.js'
import { lockCase, updateCase } from './store-cases.js'

export const casesDue: DueTable = {
  table: 'cases',
  keyColumns: ['environment_id', 'id'],
  openCondition: 'due_at is not null',
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: 'job.environment_id, job.id',
}

type ClaimedCase = { environmentId: EnvironmentId; id: string }

/** Announces each case whose deadline has passed, once. Returns how many were due. */
export async function announceOverdue(
  { db, mode }: { db: Database; mode: Mode },
  now: RealTime,
): Promise<number> {
  const limit = caseLimits.overduePerBatchMax
  const claimed = await claimDue<ClaimedCase>(db, casesDue, { owner: mode, now, limit })
  await runEach(claimed, (claim) => db.transaction((tx) => announce(tx, now, claim)))
  return claimed.length
}

/** Another worker may have announced it, or a member moved the deadline: the row says so. */
async function announce(tx: Tx, realNow: RealTime, claim: ClaimedCase): Promise<void> {
  const { environmentId } = claim
  const found = await lockCase(tx, { environmentId, reference: caseReference(claim) })
  const now = toEnvironmentTime(realNow, await getClockOffset(tx, environmentId))
  if (found.dueAt === null || !isOverdue(found, now)) return
  const announced = { ...found, dueAt: null, eventSequence: found.eventSequence + 1 }
  updateCase(tx, realNow, found, announced)
  emitCaseEvent(tx, { now, realNow }, announced, 'overdue')
}

/** When the test clock of an environment moves: `due_at` is in real time. */
export function advanceCases(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): void {
  tx.write(sql`
    update cases set due_at = due_at - ${byMs}::float8 * interval '1 millisecond'
    where environment_id = ${environmentId} and due_at is not null`)
}
