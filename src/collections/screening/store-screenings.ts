import { after, type RealTime } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { DueTable } from '../../postgres/due.js'
import { listStatement } from '../../postgres/statement.js'
import { insertInto } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { screeningLimits } from '../../screening/limits.js'
import type { ScreeningVerdict } from '../../screening/ports.js'
import type { Payment } from '../payments/payment.js'
import { type HoldingVerdict, unknownWallet } from './screen-senders.js'

type VerdictColumns = {
  verdict: ScreeningVerdict['verdict']
  list: string | null
  version: string | null
  entry: string | null
  why: string | null
}

function toColumns(verdict: ScreeningVerdict): VerdictColumns {
  return {
    verdict: verdict.verdict,
    list: 'list' in verdict ? verdict.list : null,
    version: 'version' in verdict ? verdict.version : null,
    entry: 'entry' in verdict ? verdict.entry : null,
    why: 'why' in verdict ? verdict.why : null,
  }
}

const named = { environmentId: 'int4', paymentId: 'uuid' } as const
const verdictColumns = {
  verdict: 'text',
  list: 'text',
  version: 'text',
  entry: 'text',
  why: 'text',
} as const

const insert = listStatement({
  name: 'insert_payment_screenings',
  columns: { ...named, mode: 'text', ...verdictColumns, dueAt: 'timestamptz' },
  text: (list, parameter, names, values) => `
    insert into payment_screenings (${names}, screened_at)
    select ${values}, ${parameter(0)}::timestamptz from ${list}`,
})

export type HeldPayment = { payment: Payment; mode: Mode; verdict: HoldingVerdict }

/**
 * Due at once: the audit line of a hit locks the merchant's log, for which a lane may not wait, and
 * what is unknown is screened again.
 */
export function insertScreenings(tx: Tx, now: RealTime, held: HeldPayment[]): void {
  if (held.length === 0) return
  const rows = held.map(({ payment: { environmentId, id: paymentId }, mode, verdict }) => ({
    environmentId,
    paymentId,
    mode,
    ...toColumns(verdict),
    dueAt: dueAtOf(now, verdict),
  }))
  tx.write(insert(rows, now))
}

function dueAtOf(now: RealTime, verdict: HoldingVerdict): Date | null {
  if (verdict.verdict === 'hit') return now
  return verdict === unknownWallet ? null : after(now, screeningLimits.retryMs)
}

export type DueScreening = {
  environmentId: EnvironmentId
  paymentId: string
  attempts: number
} & VerdictColumns

export const screeningsDue: DueTable = {
  table: 'payment_screenings',
  keyColumns: ['environment_id', 'payment_id'],
  openCondition: 'due_at is not null',
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: `job.environment_id, job.payment_id, job.attempts, job.verdict, job.list, job.version,
    job.entry, job.why`,
}

const update = listStatement({
  name: 'update_payment_screenings',
  columns: { ...named, attempts: 'int4', ...verdictColumns, dueAt: 'timestamptz' },
  text: (list, parameter) => `
    update payment_screenings s set verdict = list.verdict, list = list.list,
      version = list.version, entry = list.entry, why = list.why, due_at = list.due_at,
      screened_at = ${parameter(0)}::timestamptz
    from ${list} where s.environment_id = list.environment_id
      and s.payment_id = list.payment_id and s.attempts = list.attempts
    returning 1`,
})

/** False: another worker has claimed it since. */
export async function updateScreening(
  db: Queryable,
  now: RealTime,
  { environmentId, paymentId, attempts }: DueScreening,
  next: { verdict: ScreeningVerdict; dueAt: Date | null },
): Promise<boolean> {
  const row = { environmentId, paymentId, attempts, ...toColumns(next.verdict), dueAt: next.dueAt }
  return (await db.rows(update([row], now))).length > 0
}

/** Who let held money go on. */
export type ScreeningDecision = {
  verdict: ScreeningVerdict
  /** The request of one member that another one answers. */
  requestId: string | null
  operator: string | null
}

type DecidedPayment = {
  payment: Pick<Payment, 'environmentId' | 'id'>
  action: 'accept' | 'return' | 'clear'
  decision: ScreeningDecision
}

/** The database refuses to move money that is held for screening without it. */
export function insertDecision(
  tx: Tx,
  now: RealTime,
  {
    payment: { environmentId, id: paymentId },
    action,
    decision: { verdict, requestId, operator },
  }: DecidedPayment,
): void {
  tx.write(
    insertInto('screening_decisions', {
      environmentId,
      id: newId(now),
      paymentId,
      action,
      ...toColumns(verdict),
      requestId,
      operator,
      createdAt: now,
    }),
  )
}
