import { after, day, hour, toRealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { lagosDayOf } from '../lagos-days.js'
import type { Invoice } from './invoice.js'
import { toPayable } from './settle.js'

const deadlines = new Table('invoice_deadlines', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  mode: column.text<Mode>(),
  invoiceId: column.uuid(),
  kind: column.text<'overdue' | 'reminder'>(),
  instalmentDueAt: column.time(),
  /** In the time of the environment. */
  plannedFor: column.time(),
  /** In real time. */
  dueAt: column.time(),
  attempts: column.int4(),
})

/** Something that is to be done about a final invoice at a time. */
export type Deadline = typeof deadlines.row

type PlannedDeadline = Pick<Deadline, 'kind' | 'instalmentDueAt' | 'plannedFor'>

/** Reminders are written in the morning, in Lagos. */
const reminderTimeMs = 8 * hour

/**
 * An instalment is overdue a moment after its due date. Reminders are counted in days from the day
 * on which it is due; those whose time has passed are left out. Of several at one time, one stays.
 */
export function planDeadlines(
  now: Date,
  invoice: Invoice,
  reminderDays: readonly number[],
): PlannedDeadline[] {
  const planned = toPayable(invoice).instalments.flatMap(({ dueAt }): PlannedDeadline[] => {
    const reminders = reminderDays
      .map((days) => after(lagosDayOf(after(dueAt, -1)), days * day + reminderTimeMs))
      .filter((time) => time > now)
    return [
      { kind: 'overdue', instalmentDueAt: dueAt, plannedFor: after(dueAt, 1) },
      ...reminders.map((plannedFor) => ({
        kind: 'reminder' as const,
        instalmentDueAt: dueAt,
        plannedFor,
      })),
    ]
  })
  const byTime = new Map(
    planned.map((deadline) => [`${deadline.kind} ${deadline.plannedFor.getTime()}`, deadline]),
  )
  return [...byTime.values()]
}

/** Deadlines of instalments that were paid and are due again: they may have passed unnoticed. */
export function planDeadlinesAgain(
  now: Date,
  { before, after: changed }: ChangedInvoice,
  reminderDays: readonly number[],
): PlannedDeadline[] {
  const { nextDueAt } = changed
  if (nextDueAt === null) return []
  return planDeadlines(now, changed, reminderDays).filter(
    ({ instalmentDueAt }) =>
      instalmentDueAt >= nextDueAt &&
      (before.nextDueAt === null || instalmentDueAt < before.nextDueAt),
  )
}

export type ChangedInvoice = { before: Invoice; after: Invoice }

/** Those that are planned already stay. */
const insert = listStatement({
  name: 'insert_invoice_deadlines',
  columns: deadlines.typesWithout('attempts'),
  text: (list, _parameter, names, values) => `
    insert into invoice_deadlines (${names}) select ${values} from ${list}
    on conflict (environment_id, invoice_id, kind, planned_for) do nothing`,
})

export function insertDeadlines(
  tx: Tx,
  now: Date,
  { id: environmentId, mode, clockOffsetMs }: Environment,
  { invoice, planned }: { invoice: Invoice; planned: PlannedDeadline[] },
): void {
  const rows = planned.map((deadline) => ({
    ...deadline,
    environmentId,
    id: newId(now),
    mode,
    invoiceId: invoice.id,
    dueAt: toRealTime(deadline.plannedFor, clockOffsetMs),
  }))
  if (rows.length > 0) tx.write(insert(rows))
}

/** When the test clock of an environment moves: `due_at` is in real time. */
export function advanceDeadlines(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): void {
  tx.write(sql`
    update invoice_deadlines set due_at = due_at - ${byMs}::float8 * interval '1 millisecond'
    where environment_id = ${environmentId}`)
}
