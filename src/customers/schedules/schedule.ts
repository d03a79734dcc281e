import type { EnvironmentId, Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Language } from '../../base/languages.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'
import type { WrittenDiscount, WrittenLine } from '../invoices/invoice.js'
import type { PeriodRule, Weekday } from './periods.js'

export const scheduleStatuses = ['ACTIVE', 'PAUSED', 'ENDED'] as const
export type ScheduleStatus = (typeof scheduleStatuses)[number]

export const frequencies = ['monthly', 'weekly'] as const

export const schedules = new Table('invoice_schedules', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  mode: column.text<Mode>(),
  customerId: column.uuid(),
  status: column.text<ScheduleStatus>(),
  frequency: column.text<(typeof frequencies)[number]>(),
  every: column.int4(),
  monthDay: column.int4().orNull(),
  weekday: column.text<Weekday>().orNull(),
  startsOn: column.text(),
  endsOn: column.text().orNull(),
  firstPeriod: column.text(),
  nextPeriod: column.text().orNull(),
  /** How many invoices it has made. */
  runs: column.int4(),
  dueAfterDays: column.int4(),
  series: column.text(),
  asset: column.text<Asset>(),
  lines: column.json<WrittenLine[]>(),
  discount: column.json<WrittenDiscount>().orNull(),
  memo: column.text().orNull(),
  footer: column.text().orNull(),
  language: column.text<Language>(),
  metadata: column.jsonText(),
  baseUrl: column.text(),
  createdAt: column.time(),
  endedAt: column.time().orNull(),
  /** In real time; later while a worker makes an invoice. */
  dueAt: column.time(),
  attempts: column.int4(),
})

/** Makes an invoice of a customer for each period. */
export type Schedule = typeof schedules.row

export function scheduleReference({ id }: Pick<Schedule, 'id'>): string {
  return toReference(prefixes.invoiceSchedule, id)
}

/** A constraint of the table says that the two fit. */
export function ruleOf({ frequency, every, monthDay, weekday }: Schedule): PeriodRule {
  return frequency === 'monthly'
    ? { frequency, every, monthDay: monthDay!, weekday: null }
    : { frequency, every, monthDay: null, weekday: weekday! }
}
