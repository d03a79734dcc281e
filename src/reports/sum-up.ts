import { after, type RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { firstIdAt } from '../base/ids.js'
import { assetNames } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { sumUpArrived } from './arrived.js'
import { sumUpBalance } from './balance.js'
import { bucketSizes, type Period, startOf, startOfNext } from './calendar.js'
import { sumUpConversion } from './conversion.js'
import { sumUpEntries } from './entries.js'
import { reportLimits } from './limits.js'
import { reportedKinds, sumUpPayoutTimes } from './payout-times.js'
import { type DailyReport, dailyReports } from './summed-up.js'

const { closeAfterMs, daysPerStepMax, changesPerStepMax, entriesPerStepMax } = reportLimits

/**
 * Sums up the days that have ended, and those that changed since, of the environments that are due.
 * Returns how many environments these were. One that fails does not keep the others waiting.
 */
export async function sumUpReports(db: Database, now: RealTime): Promise<number> {
  await addEnvironments(db, now)
  const claimed = await claimEnvironments(db, now)
  let failure: { error: unknown } | undefined
  for (const environmentId of claimed)
    await sumUpEnvironment(db, now, environmentId).catch((error: unknown) => {
      failure ??= { error }
    })
  if (failure) throw failure.error
  return claimed.length
}

async function addEnvironments(db: Database, now: RealTime): Promise<void> {
  await db.rows(sql`
    insert into report_progress (environment_id, due_at)
    select e.id, ${now} from environments e
    where not exists (select from report_progress p where p.environment_id = e.id)
    on conflict do nothing`)
}

async function claimEnvironments(db: Database, now: RealTime): Promise<EnvironmentId[]> {
  const { leaseMs, environmentsPerBatchMax } = reportLimits
  const rows = await db.rows(sql<{ environmentId: EnvironmentId }>`
    with claimed as materialized (
      select environment_id from report_progress
      where due_at <= ${now} or environment_id in (select environment_id from report_changes)
      order by due_at limit ${environmentsPerBatchMax} for update skip locked)
    update report_progress job set due_at = ${after(now, leaseMs)}
    from claimed where job.environment_id = claimed.environment_id
    returning job.environment_id`)
  return rows.map(({ environmentId }) => environmentId)
}

async function sumUpEnvironment(db: Database, now: RealTime, id: EnvironmentId): Promise<void> {
  let entries = 0
  for (let steps = 0; steps < reportLimits.stepsPerRunMax; steps += 1) {
    const step = await db.transaction((tx) => takeStep(tx, now, id))
    if (!step) return
    entries += step.entries
    if (!step.isLast) continue
    const { busyEntries, busyIntervalMs } = reportLimits
    const soon = after(now, busyIntervalMs)
    const dueAt = entries >= busyEntries && soon < step.nextCloseAt ? soon : step.nextCloseAt
    await postpone(db, id, dueAt)
    return
  }
  // The next run continues here, after the other environments.
  await postpone(db, id, now)
}

async function postpone(db: Database, id: EnvironmentId, dueAt: Date): Promise<void> {
  await db.rows(sql`
    update report_progress set due_at = ${dueAt} where environment_id = ${id}`)
}

type Step = { isLast: boolean; entries: number; nextCloseAt: Date }

/** Undefined: another worker is summing up this environment. */
async function takeStep(tx: Tx, now: RealTime, id: EnvironmentId): Promise<Step | undefined> {
  // The lock keeps a worker with older rows from overwriting newer sums.
  const [progress] = await tx.rows(sql<{ upTo: Date | null; at: Date }>`
    select summed_up_to as up_to, least(${now}::timestamptz, clock_timestamp()) as at
    from report_progress where environment_id = ${id} for update skip locked`)
  if (!progress) return undefined
  const { upTo, at } = progress
  const closedAt = after(at, -closeAfterMs)
  const closedUpTo = startOf('day', closedAt)
  // Changes first: whatever made them is visible to the statements that follow.
  const changes = await readChanges(tx, id)
  const next = await findNextDays(tx, id, { upTo, closedUpTo })
  for (const report of dailyReports) {
    const changed = changes
      .filter((change) => change.report === report && upTo !== null && change.dayStart < upTo)
      .map(({ dayStart }) => ({ from: dayStart, to: startOfNext('day', dayStart) }))
    const days = uniqueDays(next.days ? [...changed, next.days] : changed)
    if (days.length > 0) sumUp[report](tx, id, days)
  }
  removeChanges(tx, id, changes)
  if (upTo === null || next.upTo > upTo)
    tx.write(sql`
      update report_progress set summed_up_to = ${next.upTo} where environment_id = ${id}`)
  const entries: number[] = []
  const lines: number[] = []
  for (const asset of assetNames) {
    entries.push(await sumUpBalance(tx, { environmentId: id, asset }))
    lines.push(await sumUpEntries(tx, { environmentId: id, asset }))
  }
  return {
    isLast:
      next.upTo >= closedUpTo &&
      changes.length < changesPerStepMax &&
      Math.max(...entries, ...lines) < entriesPerStepMax,
    entries: entries.reduce((sum, count) => sum + count, 0),
    nextCloseAt: after(startOfNext('day', closedAt), closeAfterMs),
  }
}

const sumUp: Record<DailyReport, (tx: Tx, id: EnvironmentId, days: Period[]) => void> = {
  received: sumUpArrived,
  conversion: sumUpConversion,
  payout_times: sumUpPayoutTimes,
}

/** Several transactions can change one day. */
function uniqueDays(days: Period[]): Period[] {
  return [...new Map(days.map((day) => [day.from.getTime(), day])).values()]
}

type Change = { report: DailyReport; dayStart: Date; transactionId: string }

function readChanges(tx: Tx, id: EnvironmentId): Promise<Change[]> {
  return tx.rows(sql<Change>`
    select report, day_start, transaction_id::text as transaction_id
    from report_changes where environment_id = ${id}
    order by report, day_start, report_changes.transaction_id limit ${changesPerStepMax}`)
}

function removeChanges(tx: Tx, id: EnvironmentId, changes: Change[]): void {
  if (changes.length === 0) return
  tx.write(sql`
    delete from report_changes c
    using unnest(${changes.map(({ report }) => report)}::text[],
      ${changes.map(({ dayStart }) => dayStart.toISOString())}::timestamptz[],
      ${changes.map(({ transactionId }) => transactionId)}::text[])
      as seen (report, day_start, transaction_id)
    where c.environment_id = ${id} and c.report = seen.report and c.day_start = seen.day_start
      and c.transaction_id = seen.transaction_id::xid8`)
}

/** The next ended days from the first that has rows, and the time up to which all are summed up. */
async function findNextDays(
  tx: Tx,
  id: EnvironmentId,
  { upTo, closedUpTo }: { upTo: Date | null; closedUpTo: Date },
): Promise<{ days?: Period; upTo: Date }> {
  const from = upTo ?? new Date(0)
  if (from >= closedUpTo) return { upTo: from }
  const firstEnded = sql.join(
    reportedKinds.map(
      (kind) => sql`
        (select coalesce(completed_at, failed_at) from payouts
          where environment_id = ${id} and kind = ${kind}
            and coalesce(completed_at, failed_at) >= ${from}
          order by coalesce(completed_at, failed_at) limit 1)`,
    ),
  )
  const [row] = await tx.rows(sql<{ first: Date | null }>`
    select least(
      (select created_at from payments
        where environment_id = ${id} and id >= ${firstIdAt(from)} order by id limit 1),
      (select created_at from checkout_sessions
        where environment_id = ${id} and id >= ${firstIdAt(from)} order by id limit 1),
      ${firstEnded}) as first`)
  const first = row!.first
  if (!first || first >= closedUpTo) return { upTo: closedUpTo }
  const start = startOf('day', first < from ? from : first)
  const end = after(start, daysPerStepMax * bucketSizes.day)
  const to = end < closedUpTo ? end : closedUpTo
  return { days: { from: start, to }, upTo: to }
}
