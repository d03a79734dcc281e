import { Refusal } from '../../base/refusal.js'
import { pauseRail, resumeRail } from '../../payouts/requests/paused-rails.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, nameOf, type Operator } from './audit-operator.js'

/** Pauses payouts on a rail, or resumes them. Takes effect within a second. */
export async function changeRailPause(
  tx: Tx,
  now: Date,
  { rail, isPaused, reason }: { rail: string; isPaused: boolean; reason: string },
  operator: Operator,
): Promise<void> {
  const pausedBy = nameOf(operator)
  const isFresh = isPaused
    ? await pauseRail(tx, now, { rail, reason, pausedBy })
    : await resumeRail(tx, rail)
  if (!isFresh)
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: isPaused ? `${rail} is already paused.` : `${rail} is not paused.`,
    })
  const action = isPaused ? 'rail.pause' : 'rail.resume'
  auditOperator(tx, now, operator, { action, details: { rail, reason } })
}
