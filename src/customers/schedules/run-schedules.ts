import { after, type RealTime, toEnvironmentTime, toRealTime } from '../../base/clock.js'
import type { Environment, Mode } from '../../base/environment.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable, runEach } from '../../postgres/due.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { customerReference } from '../customer.js'
import { createInvoice, type DraftInvoice, finalizeInvoice } from '../invoices/change-invoice.js'
import { invoiceReference } from '../invoices/invoice.js'
import { readDiscount, readLines } from '../invoices/read-invoice.js'
import { endOfDayAfter } from '../lagos-days.js'
import { invoiceLimits } from '../limits.js'
import { getCustomer } from '../store-customers.js'
import { end, moveTo } from './change-schedule.js'
import { nextPeriod, timeOfPeriod } from './periods.js'
import { ruleOf, type Schedule } from './schedule.js'
import { lockClaimedSchedule, updateSchedule } from './store-schedules.js'

export const invoiceSchedulesDue: DueTable = {
  table: 'invoice_schedules',
  keyColumns: ['environment_id', 'id'],
  openCondition: "status = 'ACTIVE'",
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: 'job.environment_id, job.id, job.attempts',
}

type ClaimedSchedule = Pick<Schedule, 'environmentId' | 'id' | 'attempts'>

/**
 * Makes the invoices that are due: one for each period, in order, also of periods that passed while
 * no worker ran. Returns how many schedules were due.
 */
export async function runSchedules(
  { db, mode }: { db: Database; mode: Mode },
  now: RealTime,
): Promise<number> {
  const claim = { owner: mode, now, limit: invoiceLimits.schedulesPerBatchMax }
  const claimed = await claimDue<ClaimedSchedule>(db, invoiceSchedulesDue, claim)
  await runEach(claimed, (schedule) => db.transaction((tx) => runSchedule(tx, now, schedule)))
  return claimed.length
}

/** The invoice and the next period are committed together, so that a period has one invoice. */
async function runSchedule(tx: Tx, now: RealTime, claim: ClaimedSchedule): Promise<void> {
  const schedule = await lockClaimedSchedule(tx, claim)
  if (!schedule) return
  const environment = await getEnvironmentById(tx, schedule.environmentId)
  const environmentNow = toEnvironmentTime(now, environment.clockOffsetMs)
  updateSchedule(tx, await run(tx, { now: environmentNow, realNow: now }, environment, schedule))
}

async function run(
  tx: Tx,
  times: { now: Date; realNow: RealTime },
  environment: Environment,
  schedule: Schedule,
): Promise<Schedule> {
  const { now, realNow } = times
  const { environmentId, customerId, nextPeriod: period } = schedule
  if (environment.isSuspended)
    return { ...schedule, dueAt: after(realNow, invoiceLimits.suspendedRetryMs) }
  const startsAt = timeOfPeriod(period!)
  if (startsAt > now) return { ...schedule, dueAt: toRealTime(startsAt, environment.clockOffsetMs) }
  const reference = customerReference({ id: customerId })
  const { erasedAt } = await getCustomer(tx, { environmentId, reference })
  if (erasedAt !== null) return end(now, schedule)
  const { baseUrl, id: scheduleId } = schedule
  const draft = toDraft(now, schedule)
  const made = await createInvoice(tx, times, { environment, baseUrl }, draft, {
    scheduleId,
    period,
  })
  await finalizeInvoice(tx, times, { environment, reference: invoiceReference(made) })
  const next = nextPeriod(ruleOf(schedule), schedule.firstPeriod, period!)
  return moveTo(now, environment, { ...schedule, runs: schedule.runs + 1 }, next)
}

/** Due days are counted from the day on which it is made: a late worker takes none away. */
function toDraft(now: Date, schedule: Schedule): DraftInvoice {
  const { asset, series, memo, footer, language, metadata } = schedule
  return {
    customer: customerReference({ id: schedule.customerId }),
    asset,
    series,
    memo,
    footer,
    language,
    metadata,
    dueAt: endOfDayAfter(now, schedule.dueAfterDays),
    lines: readLines(schedule),
    discount: readDiscount(schedule),
    instalments: [],
  }
}
