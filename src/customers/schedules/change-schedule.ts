import { after, day, toRealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { lockNamedCustomer } from '../invoices/change-invoice.js'
import type { Discount } from '../invoices/compute-invoice.js'
import { priceInvoice } from '../invoices/price-invoice.js'
import {
  type DraftLine,
  readDiscount,
  readLines,
  writeDiscount,
  writeLines,
} from '../invoices/read-invoice.js'
import { invoiceLimits } from '../limits.js'
import { dateOf, firstPeriod, firstPeriodAfter, type PeriodRule, timeOfPeriod } from './periods.js'
import { ruleOf, type Schedule, type ScheduleStatus, scheduleReference } from './schedule.js'
import { findLastPeriod, insertSchedule, lockSchedule, updateSchedule } from './store-schedules.js'

/** What the merchant writes. */
export type NewSchedule = Pick<
  Schedule,
  'endsOn' | 'dueAfterDays' | 'series' | 'asset' | 'memo' | 'footer' | 'language' | 'metadata'
> & {
  customer: string
  rule: PeriodRule
  startsOn: string
  lines: DraftLine[]
  discount: Discount | null
}

/** The first period may be today: then its invoice is made at once. */
export async function createSchedule(
  tx: Tx,
  now: Date,
  { environment, baseUrl }: { environment: Environment; baseUrl: string },
  wanted: NewSchedule,
): Promise<Schedule> {
  const { customer: reference, rule, lines, discount, ...rest } = wanted
  priceInvoice(lines, discount, rest.asset)
  const customer = await lockNamedCustomer(tx, environment.id, reference)
  if (rest.startsOn < dateOf(now)) throw invalidField('startsOn', 'must not be in the past')
  if (rest.startsOn > dateOf(after(now, invoiceLimits.scheduleStartMaxDays * day)))
    throw invalidField(
      'startsOn',
      `must be at most ${invoiceLimits.scheduleStartMaxDays} days ahead`,
    )
  const first = firstPeriod(rule, rest.startsOn)
  if (rest.endsOn !== null && rest.endsOn < first)
    throw invalidField('endsOn', `must be on or after the first invoice, ${first}`)
  const created: Schedule = {
    ...rest,
    ...rule,
    environmentId: environment.id,
    id: newId(now),
    mode: environment.mode,
    customerId: customer.id,
    status: 'ACTIVE',
    firstPeriod: first,
    nextPeriod: first,
    runs: 0,
    lines: writeLines(lines),
    discount: writeDiscount(discount),
    baseUrl,
    createdAt: now,
    endedAt: null,
    dueAt: toRealTime(timeOfPeriod(first), environment.clockOffsetMs),
    attempts: 0,
  }
  insertSchedule(tx, created)
  return created
}

export type ScheduleChange = Partial<
  Pick<Schedule, 'endsOn' | 'dueAfterDays' | 'memo' | 'footer' | 'language' | 'metadata'>
> & {
  status?: ScheduleStatus
  lines?: DraftLine[]
  discount?: Discount | null
}

/** Changes invoices that are not made yet. Resuming skips the periods that have passed. */
export async function changeSchedule(
  tx: Tx,
  now: Date,
  { environment, reference }: { environment: Environment; reference: string },
  change: ScheduleChange,
): Promise<Schedule> {
  const before = await lockSchedule(tx, { environmentId: environment.id, reference })
  if (before.status === 'ENDED') {
    if (Object.keys(change).length === 1 && change.status === 'ENDED') return before
    throw new Refusal('invoice_failed', {
      reason: 'invalid_state',
      message: `${scheduleReference(before)} has ended. Create a new schedule.`,
    })
  }
  if (change.endsOn) await refuseEarlierEnd(tx, before, change.endsOn)
  const { lines, discount, status = before.status, ...rest } = change
  const changed: Schedule = {
    ...before,
    ...rest,
    status,
    ...(lines && { lines: writeLines(lines) }),
    ...(discount !== undefined && { discount: writeDiscount(discount) }),
  }
  priceInvoice(readLines(changed), readDiscount(changed), changed.asset)
  const isResumed = before.status === 'PAUSED' && status === 'ACTIVE'
  const { firstPeriod: first, nextPeriod: planned } = before
  const coming = firstPeriodAfter(ruleOf(before), first, now)
  const next = isResumed && coming > planned! ? coming : planned!
  const moved = status === 'ENDED' ? end(now, changed) : moveTo(now, environment, changed, next)
  updateSchedule(tx, moved)
  return moved
}

/** No invoice of a schedule is after its last day. */
async function refuseEarlierEnd(tx: Tx, schedule: Schedule, endsOn: string): Promise<void> {
  const last = await findLastPeriod(tx, schedule)
  if (last !== null && endsOn < last)
    throw invalidField('endsOn', `must be on or after the last invoice, ${last}`)
  if (endsOn < schedule.firstPeriod)
    throw invalidField('endsOn', `must be on or after the first invoice, ${schedule.firstPeriod}`)
}

/** Plans the invoice of a period; the schedule ends if its last day is before it. */
export function moveTo(
  now: Date,
  { clockOffsetMs }: Environment,
  schedule: Schedule,
  period: string,
): Schedule {
  if (schedule.endsOn !== null && period > schedule.endsOn) return end(now, schedule)
  const dueAt = toRealTime(timeOfPeriod(period), clockOffsetMs)
  return { ...schedule, nextPeriod: period, dueAt }
}

export function end(now: Date, schedule: Schedule): Schedule {
  return { ...schedule, status: 'ENDED', nextPeriod: null, endedAt: now }
}
