import { hour } from '../base/clock.js'

export const invoiceLimits = {
  /** When an invoice is due that names no date. */
  dueAfterDays: 7,
  linesMax: 100,
  instalmentsMax: 24,
  /** Invoices that one payment pays after a member or an API key changed it. */
  allocationsMax: 50,
  /** Of memo and footer. */
  textLengthMax: 1_000,
  descriptionLengthMax: 300,
  /** How often one invoice is mailed to its customer. */
  sendsMax: 10,
  deadlinesPerBatchMax: 50,
  schedulesPerBatchMax: 50,
  /** Months or weeks between two invoices of a schedule. */
  scheduleIntervalMax: 24,
  scheduleDueAfterDaysMax: 365,
  scheduleStartMaxDays: 5_000,
  /** When a schedule of a suspended merchant is checked again. */
  suspendedRetryMs: hour,
} as const
