import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type Schedule, type ScheduleStatus, scheduleStatuses, schedules } from './schedule.js'

type ReadSchedule = typeof schedules.readRow
type ScheduleName = { environmentId: EnvironmentId; reference: string }

const selectAll = sql`select ${schedules.of('s')} from invoice_schedules s`

export async function getSchedule(db: Queryable, name: ScheduleName): Promise<Schedule> {
  return findOrRefuse(name, (id) =>
    db.rows(sql<ReadSchedule>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}`),
  )
}

export async function lockSchedule(tx: Tx, name: ScheduleName): Promise<Schedule> {
  return findOrRefuse(name, (id) =>
    tx.rows(sql<ReadSchedule>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}
      for no key update`),
  )
}

async function findOrRefuse(
  { reference }: ScheduleName,
  find: (id: string) => Promise<ReadSchedule[]>,
): Promise<Schedule> {
  const id = fromReference(prefixes.invoiceSchedule, reference)
  const [row] = id ? await find(id) : []
  if (!row) throw notFound('invoice schedule', reference)
  return schedules.read(row)
}

/** Those of a customer that have not ended. */
export async function lockSchedulesOf(
  tx: Tx,
  customer: { environmentId: EnvironmentId; id: string },
): Promise<Schedule[]> {
  const rows = await tx.rows(sql<ReadSchedule>`
    ${selectAll} where environment_id = ${customer.environmentId}
      and customer_id = ${customer.id} and status <> 'ENDED'
    order by id for no key update`)
  return rows.map((row) => schedules.read(row))
}

/** Undefined: another worker has it, or it is not active any more. */
export async function lockClaimedSchedule(
  tx: Tx,
  { environmentId, id, attempts }: Pick<Schedule, 'environmentId' | 'id' | 'attempts'>,
): Promise<Schedule | undefined> {
  const [row] = await tx.rows(sql<ReadSchedule>`
    ${selectAll} where environment_id = ${environmentId} and id = ${id}
      and attempts = ${attempts} and status = 'ACTIVE'
    for no key update`)
  return row && schedules.read(row)
}

/** The last period that has an invoice; null if none was made. The schedule is locked. */
export async function findLastPeriod(
  tx: Tx,
  { environmentId, id }: Pick<Schedule, 'environmentId' | 'id'>,
): Promise<string | null> {
  const [row] = await tx.rows(sql<{ period: string | null }>`
    select max(period) as period from invoices
    where environment_id = ${environmentId} and schedule_id = ${id}`)
  return row!.period
}

export function insertSchedule(tx: Tx, schedule: Schedule): void {
  tx.write(schedules.insert(schedule))
}

const changing = schedules.typesWithout('environmentId', 'id', 'createdAt', 'attempts')

/** Ends the claim of a worker, if there is one. */
const update = listStatement({
  name: 'update_invoice_schedules',
  columns: { environmentId: 'int4', id: 'uuid', ...changing },
  text: (list) => `
    update invoice_schedules s set ${assigned(changing)}, attempts = s.attempts + 1 from ${list}
    where s.environment_id = list.environment_id and s.id = list.id`,
})

export function updateSchedule(tx: Tx, changed: Schedule): void {
  tx.write(update([changed]))
}

/** When the test clock of an environment moves: `due_at` is in real time. */
export function advanceSchedules(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): void {
  tx.write(sql`
    update invoice_schedules set due_at = due_at - ${byMs}::float8 * interval '1 millisecond'
    where environment_id = ${environmentId} and status = 'ACTIVE'`)
}

export type ScheduleFilter = CommonFilter & {
  status?: ScheduleStatus | undefined
  customer?: string | undefined
}

export const scheduleList: List<ScheduleFilter, Schedule> = {
  name: 'list_invoice_schedules',
  table: 'invoice_schedules',
  select: schedules.of('s'),
  rowsOf: joinRow('invoice_schedules', 's'),
  toRows: (_db, rows: ReadSchedule[]) => rows.map((row) => schedules.read(row)),
  keyOf: ({ id }) => id,
  columns: {
    status: { type: 'text', values: scheduleStatuses },
    customer_id: { type: 'uuid' },
  },
  filters: {
    status: 'status',
    customer: (reference) => {
      const id = fromReference(prefixes.customer, reference)
      return [{ column: 'customer_id', values: id ? [id] : [] }]
    },
  },
  indexes: [
    { index: 'invoice_schedules_by_customer', serves: ['customer_id'] },
    { index: 'invoice_schedules_by_status', serves: ['status'] },
    { index: 'invoice_schedules_pkey', serves: [] },
  ],
}
