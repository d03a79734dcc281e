import { after, minute, type RealTime } from '../../base/clock.js'
import type { DueTable } from '../../postgres/due.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { ScreeningHit } from '../../screening/ports.js'
import type { Payout } from '../payout.js'
import type { CallbackStatus, Wait, WaitReason } from './wait.js'

/** A payout over the limits alone has no row. */
export function insertCheck(
  tx: Tx,
  now: RealTime,
  { environmentId, id, createdAt, screeningHold }: Payout,
  { reasons, callbackMinutes }: Wait,
): void {
  if (callbackMinutes === null && reasons.every((reason) => reason === 'amount')) return
  const asks = callbackMinutes !== null
  tx.write(sql`
    insert into payout_checks (environment_id, payout_id, mode, reasons, callback, silent_from,
      due_at, created_at, screening)
    select ${environmentId}, ${id}, mode, ${reasons}::text[], ${asks ? 'OPEN' : null},
      ${asks ? after(now, callbackMinutes * minute) : null}, ${asks ? now : null}, ${createdAt},
      ${screeningHold ? JSON.stringify(screeningHold) : null}::json
    from environments where id = ${environmentId}`)
}

type CheckKey = Pick<Payout, 'environmentId'> & { payoutId: string }

export type ClaimedCheck = CheckKey & {
  callback: CallbackStatus | null
  attempts: number
  silentFrom: Date | null
}

export const checksDue: DueTable = {
  table: 'payout_checks',
  keyColumns: ['environment_id', 'payout_id'],
  openCondition: 'due_at is not null',
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  // A URL that does not answer holds up the payouts of its merchant only: see `CallbackSlots`.
  turnColumn: 'environment_id',
  returning: 'job.environment_id, job.payout_id, job.callback, job.attempts, job.silent_from',
}

type CheckChange = {
  callback?: CallbackStatus
  /** Added to those that it has. */
  reason?: WaitReason
  /** Absent: those that were claimed. */
  attempts?: number
  problem?: string | null
  rejection?: string | null
  answeredAt?: Date
  dueAt: Date | null
}

/** The caller has locked the payout. */
export function updateCheck(
  tx: Tx,
  { environmentId, payoutId }: CheckKey,
  { callback, reason, attempts, problem = null, rejection = null, answeredAt, dueAt }: CheckChange,
): void {
  tx.write(sql`
    update payout_checks set
      callback = coalesce(${callback ?? null}, callback),
      reasons = case when ${reason ?? null}::text is null or ${reason ?? null} = any (reasons)
        then reasons else reasons || ${reason ?? null}::text end,
      attempts = coalesce(${attempts ?? null}, attempts),
      problem = ${problem}, rejection = ${rejection},
      answered_at = coalesce(${answeredAt ?? null}, answered_at), due_at = ${dueAt}
    where environment_id = ${environmentId} and payout_id = ${payoutId}`)
}

/**
 * Records a hit that was found after the payout was made. A payout that waited only for its amount
 * has no check yet and gets one. The caller has locked the payout.
 */
export function recordHit(
  tx: Tx,
  { environmentId, id, createdAt }: Payout,
  hit: ScreeningHit,
): void {
  const reason: WaitReason = 'screening'
  tx.write(sql`
    insert into payout_checks as held (environment_id, payout_id, mode, reasons, created_at,
      screening)
    select ${environmentId}, ${id}, mode, array['amount', ${reason}::text], ${createdAt},
      ${JSON.stringify(hit)}::json
    from environments where id = ${environmentId}
    on conflict (environment_id, payout_id) do update set screening = excluded.screening,
      reasons = case when ${reason} = any (held.reasons) then held.reasons
        else held.reasons || ${reason}::text end`)
}

/** Nothing is asked about payouts that no longer wait. The caller has locked them. */
export function endChecks(tx: Tx, payouts: Payout[]): void {
  for (const { environmentId, id, approval } of payouts)
    if (approval?.callback)
      tx.write(sql`
        update payout_checks set due_at = null
        where environment_id = ${environmentId} and payout_id = ${id} and due_at is not null`)
}
