import { after, day, type RealTime } from '../../base/clock.js'
import type { RetentionPeriods } from '../../base/config.js'
import { type EnvironmentId, type Mode, modes } from '../../base/environment.js'
import { firstIdAt, timeOf, unusedId } from '../../base/ids.js'
import type { Database } from '../../postgres/database.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { personalDataLimits } from '../limits.js'
import {
  erased,
  judgeRows,
  pseudonymise,
  retentionDays,
  type Unit,
  type UnitName,
  units,
} from './units.js'

type Due = { environmentId: EnvironmentId; id: string; isSkipped: boolean }

/**
 * Replaces persons in a bounded number of rows whose period is over, and returns how many rows were
 * read. Rows that are open or held are skipped, and checked again after some weeks.
 */
export async function applyRetention(
  db: Database,
  now: RealTime,
  periods: RetentionPeriods,
): Promise<number> {
  const counts: number[] = []
  for (const name of Object.keys(units) as UnitName[])
    for (const mode of modes) {
      const before = after(now, -retentionDays(units[name], mode, periods) * day)
      counts.push(await applyToUnit(db, { name, mode, before, now }))
    }
  return Math.max(...counts)
}

type Run = { name: UnitName; mode: Mode; before: Date; now: RealTime }

async function applyToUnit(db: Database, run: Run): Promise<number> {
  const due = [...(await db.rows(findDue(run))), ...(await db.rows(findSkipped(run)))]
  const { name, now, before } = run
  for (const environmentId of new Set(due.map((row) => row.environmentId))) {
    const rows = due.filter((row) => row.environmentId === environmentId).map(({ id }) => id)
    await db.transaction(async (tx) => {
      const judged = await judgeRows(tx, units[name], { environmentId, rows, now, before })
      const ids = judged.filter(({ state }) => state === 'due').map(({ id }) => id)
      await pseudonymise(tx, units[name], { environmentId, ids })
      // What ended later than it began is not old enough yet.
      const waiting = judged.filter(({ state }) => ['open', 'held', 'early'].includes(state))
      await recordSkips(tx, run, { environmentId, rows, waiting })
      const fresh = due.filter((row) => row.environmentId === environmentId && !row.isSkipped)
      await recordProgress(tx, name, {
        environmentId,
        position: fresh.at(-1)?.id ?? unusedId,
        count: ids.length,
      })
    })
  }
  return due.length
}

/** The next rows of each environment, by the primary key; accounts by the time of their end. */
export function findDue({ name, mode, before }: Omit<Run, 'now'>): Sql<Due> {
  const { rowsPerBatchMax } = personalDataLimits
  if (name === 'accounts')
    return sql<Due>`
      select old.environment_id, old.id, false as is_skipped
      from environments e cross join lateral (
        select t.environment_id, t.id from collection_accounts t
        where t.environment_id = e.id and t.ended_at < ${before} and t.kind = 'dedicated_account'
          and t.status = 'INACTIVE' and t.account_name <> ${erased}
          and (select s.due_at from retention_skips s where s.class = ${name}
            and s.environment_id = t.environment_id and s.id = t.id) is null
        order by t.ended_at limit ${rowsPerBatchMax}) old
      where e.mode = ${mode} limit ${rowsPerBatchMax}`
  return sql<Due>`
    select old.environment_id, old.id, false as is_skipped
    from environments e
    left join retention_progress p on p.class = ${name} and p.environment_id = e.id
    cross join lateral (
      select t.environment_id, t.id from ${sql.identifier(units[name].table)} t
      where t.environment_id = e.id and t.id > coalesce(p.position, ${unusedId}::uuid)
        and t.id < ${firstIdAt(before)}::uuid
      order by t.id limit ${rowsPerBatchMax}) old
    where e.mode = ${mode} limit ${rowsPerBatchMax}`
}

function findSkipped({ name, mode, now }: Run): Sql<Due> {
  return sql<Due>`
    select old.environment_id, old.id, true as is_skipped
    from environments e cross join lateral (
      select s.environment_id, s.id from retention_skips s
      where s.class = ${name} and s.environment_id = e.id and s.due_at <= ${now}
      order by s.due_at limit ${personalDataLimits.rowsPerBatchMax}) old
    where e.mode = ${mode} limit ${personalDataLimits.rowsPerBatchMax}`
}

async function recordSkips(
  tx: Tx,
  { name, now }: Run,
  {
    environmentId,
    rows,
    waiting,
  }: { environmentId: EnvironmentId; rows: string[]; waiting: { id: string; state: string }[] },
): Promise<void> {
  const dueAt = after(now, personalDataLimits.skippedRetryMs)
  await tx.rows(sql`
    delete from retention_skips where class = ${name} and environment_id = ${environmentId}
      and id = any (${rows}::uuid[])`)
  await tx.rows(sql`
    insert into retention_skips (class, environment_id, id, reason, due_at)
    select ${name}, ${environmentId}, id, reason, ${dueAt}
    from unnest(${waiting.map(({ id }) => id)}::uuid[],
      ${waiting.map(({ state }) => (state === 'held' ? 'held' : 'open'))}::text[])
      waiting (id, reason)`)
}

/** Two workers may do the same rows one after the other; the second finds them erased. */
async function recordProgress(
  tx: Tx,
  name: UnitName,
  {
    environmentId,
    position,
    count,
  }: { environmentId: EnvironmentId; position: string; count: number },
): Promise<void> {
  await tx.rows(sql`
    insert into retention_progress as progress (class, environment_id, position, pseudonymised)
    values (${name}, ${environmentId}, ${position}, ${count})
    on conflict (class, environment_id) do update set
      position = greatest(progress.position, excluded.position),
      pseudonymised = progress.pseudonymised + excluded.pseudonymised`)
}

/** How far a class is, in one mode. */
type RetentionState = {
  class: UnitName
  table: string
  mode: Mode
  days: number
  /** Rows whose period is over and that wait for the worker; counted up to one of its batches. */
  due: number
  oldestDueAt: Date | null
  /** Rows that were skipped. */
  open: number
  held: number
  pseudonymised: number
}

export async function readRetention(
  db: Queryable,
  now: RealTime,
  periods: RetentionPeriods,
): Promise<RetentionState[]> {
  const states: RetentionState[] = []
  for (const name of Object.keys(units) as UnitName[])
    for (const mode of modes) states.push(await readUnit(db, now, { name, mode, periods }))
  return states
}

async function readUnit(
  db: Queryable,
  now: RealTime,
  { name, mode, periods }: { name: UnitName; mode: Mode; periods: RetentionPeriods },
): Promise<RetentionState> {
  const unit: Unit = units[name]
  const days = retentionDays(unit, mode, periods)
  const due = await db.rows(findDue({ name, mode, before: after(now, -days * day) }))
  const ofMode = sql`environment_id in (select id from environments where mode = ${mode})`
  const [sums] = await db.rows(sql<{ open: number; held: number; pseudonymised: bigint }>`
    select
      (select count(*)::int from retention_skips
        where class = ${name} and reason = 'open' and ${ofMode}) as open,
      (select count(*)::int from retention_skips
        where class = ${name} and reason = 'held' and ${ofMode}) as held,
      (select coalesce(sum(pseudonymised), 0)::bigint from retention_progress
        where class = ${name} and ${ofMode}) as pseudonymised`)
  const oldest = due.map(({ id }) => timeOf(id)).toSorted((left, right) => +left - +right)[0]
  return {
    class: name,
    table: unit.table,
    mode,
    days,
    due: due.length,
    oldestDueAt: oldest ?? null,
    open: sums!.open,
    held: sums!.held,
    pseudonymised: Number(sums!.pseudonymised),
  }
}
