import {
  after,
  day,
  hour,
  minute,
  type RealTime,
  toEnvironmentTime,
  toRealTime,
  weekdays,
} from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { unusedId } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { type Sql, sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { getClockOffset } from '../environment-clock.js'
import { lockEnvironment } from '../environments.js'
import type { Settings } from './settings-document.js'

export type SettlementSettings = Settings['settlement']

/** Nigeria has one time zone, one hour ahead of UTC, and no summer time. */
const nigeriaOffsetMs = hour

/** The next scheduled time after `time`; undefined if settlements are off. */
export function nextSettlementAt(
  time: Date,
  { schedule, weekday, time: timeOfDay }: SettlementSettings,
): Date | undefined {
  if (schedule === 'off') return undefined
  const [hours, minutes] = timeOfDay.split(':').map(Number)
  const localMs = time.getTime() + nigeriaOffsetMs
  const midnightMs = localMs - (((localMs % day) + day) % day) - nigeriaOffsetMs
  const firstMs = midnightMs + hours! * hour + minutes! * minute
  for (let days = 0; ; days += 1) {
    const candidate = new Date(firstMs + days * day)
    const isRightDay = schedule === 'daily' || weekdayOf(candidate) === weekday
    if (candidate > time && isRightDay) return candidate
  }
}

function weekdayOf(time: Date): string {
  return weekdays[after(time, nigeriaOffsetMs).getUTCDay()]!
}

/** Whose settlements a schedule is of: without a sub-account, the merchant's. */
export type ScheduleOwner = { environmentId: EnvironmentId; subaccountId?: string | undefined }

/** The schedule of one owner, by its primary key. */
export function ofOwner({ environmentId, subaccountId = unusedId }: ScheduleOwner): Sql {
  return sql`environment_id = ${environmentId} and owner_id = ${subaccountId}`
}

type ScheduleChange = {
  environment: { id: EnvironmentId; mode: Mode }
  settings: SettlementSettings
  /** Absent: of the merchant. */
  subaccountId?: string | undefined
}

/**
 * Sets the next settlement of an environment, or none. A worker that is about to make the one
 * before finds that its claim has ended. The rest of a settlement on request stays due. `now` is
 * real time.
 */
export async function scheduleSettlement(
  tx: Tx,
  now: RealTime,
  { environment, settings, subaccountId }: ScheduleChange,
): Promise<void> {
  await lockEnvironment(tx, environment.id)
  const offsetMs = await getClockOffset(tx, environment.id)
  const next = nextSettlementAt(toEnvironmentTime(now, offsetMs), settings)
  if (next)
    tx.write(sql`
      insert into settlement_schedules (environment_id, subaccount_id, mode, scheduled_for, due_at)
      values (${environment.id}, ${subaccountId ?? null}, ${environment.mode}, ${next},
        ${toRealTime(next, offsetMs)})
      on conflict (environment_id, owner_id) do update set scheduled_for = excluded.scheduled_for,
        due_at = case when settlement_schedules.settles_rest then settlement_schedules.due_at
          else excluded.due_at end,
        attempts = settlement_schedules.attempts + 1`)
  else {
    const own = ofOwner({ environmentId: environment.id, subaccountId })
    tx.write(sql`
      update settlement_schedules set scheduled_for = null where ${own} and settles_rest`)
    tx.write(sql`delete from settlement_schedules where ${own} and not settles_rest`)
  }
}

/** The same for the sub-accounts of an environment, whose weekday and time are the merchant's. */
export async function rescheduleSubaccounts(
  tx: Tx,
  now: RealTime,
  { environment, settings }: Pick<ScheduleChange, 'environment' | 'settings'>,
): Promise<void> {
  const offsetMs = await getClockOffset(tx, environment.id)
  const environmentNow = toEnvironmentTime(now, offsetMs)
  for (const schedule of ['daily', 'weekly'] as const) {
    const next = nextSettlementAt(environmentNow, { ...settings, schedule })!
    tx.write(sql`
      update settlement_schedules s set scheduled_for = ${next}, attempts = s.attempts + 1,
        due_at = case when s.settles_rest then s.due_at else ${toRealTime(next, offsetMs)} end
      from subaccounts b
      where s.environment_id = ${environment.id} and s.scheduled_for is not null
        and b.environment_id = s.environment_id and b.id = s.subaccount_id
        and b.settlement_schedule = ${schedule}`)
  }
}

/**
 * Lets workers settle the rest of a settlement on request, which one transfer could not carry. The
 * caller has locked the environment.
 */
export function settleRest(
  tx: Tx,
  now: RealTime,
  { id, mode }: ScheduleChange['environment'],
  subaccountId?: string,
): void {
  tx.write(sql`
    insert into settlement_schedules (environment_id, subaccount_id, mode, due_at, settles_rest)
    values (${id}, ${subaccountId ?? null}, ${mode}, ${now}, true)
    on conflict (environment_id, owner_id) do update set settles_rest = true,
      due_at = excluded.due_at,
      attempts = settlement_schedules.attempts + 1`)
}

/** What is planned for a sub-account. */
export type PlannedSettlement = {
  subaccountId: string
  /** In the time of the environment. Null: only the rest of a request. */
  scheduledFor: Date | null
  /** Why the last try paid nothing, and when. */
  lastRefusal: string | null
  refusedAt: Date | null
}

const ofSubaccount = { environmentId: 'int4', id: 'uuid' } as const

const findPlanned = listStatement<typeof ofSubaccount, PlannedSettlement>({
  name: 'find_planned_settlements',
  columns: ofSubaccount,
  text: (list) => `
    select s.subaccount_id, s.scheduled_for, s.last_refusal,
      s.refused_at + e.clock_offset_ms * interval '1 millisecond' as refused_at
    from ${list}
    join settlement_schedules s on s.environment_id = list.environment_id and s.owner_id = list.id
    join environments e on e.id = s.environment_id`,
})

/** By sub-account. Those without a schedule are left out. */
export async function findPlannedSettlements(
  db: Queryable,
  subaccounts: { environmentId: EnvironmentId; id: string }[],
): Promise<Map<string, PlannedSettlement>> {
  if (subaccounts.length === 0) return new Map()
  const rows = await db.rows(findPlanned(subaccounts))
  return new Map(rows.map((row) => [row.subaccountId, row]))
}

export type SettlementSchedule = {
  merchantId: string
  /** Null: of the merchant. */
  subaccountId: string | null
  mode: Mode
  /** In the time of the environment, whose test clock may be ahead. Null: the rest of a request. */
  scheduledFor: Date | null
  /** In real time; later while a worker owns it or waits for the bank. */
  dueAt: Date
  /** Why the last try paid nothing. */
  lastRefusal: string | null
  /** A suspended merchant is paid nothing, whatever the last try found. */
  isSuspended: boolean
}

/** The next settlement of every merchant and sub-account that has one; the earliest first. */
export async function listSettlementSchedules(db: Queryable): Promise<SettlementSchedule[]> {
  return db.rows(sql<SettlementSchedule>`
    select e.merchant_id, s.subaccount_id, s.mode, s.scheduled_for, s.due_at, s.last_refusal,
      m.suspended_at is not null as is_suspended
    from settlement_schedules s join environments e on e.id = s.environment_id
      join merchants m on m.id = e.merchant_id
    order by s.due_at, s.environment_id, s.owner_id limit ${limits.operator.rowsListedMax}`)
}

/** Brings the next settlement forward when the test clock moves: `due_at` is in real time. */
export function advanceSettlements(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): void {
  tx.write(sql`
    update settlement_schedules set due_at = due_at - ${byMs}::float8 * interval '1 millisecond'
    where environment_id = ${environmentId}`)
}
