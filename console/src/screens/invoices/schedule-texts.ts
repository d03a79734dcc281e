import type { InvoiceSchedule } from '../../../../sdk/src/types'
import { commonTexts } from '../../texts/common'

/** Words of schedules, which make invoices every month or week. */
export const scheduleTexts = {
  title: 'Schedules',
  caption: 'Invoice schedules, newest first',
  create: 'New schedule',
  empty: 'A schedule makes an invoice for a customer every month or week, such as rent.',
  emptyFiltered: 'No schedule matches.',
  clearFilters: 'Show all schedules',
  showNew: (count: number) => (count === 1 ? 'Show 1 new schedule' : `Show ${count} new schedules`),
  of: (name: string) => `Schedules of ${name}`,
  filters: { status: 'Status', period: 'Created' },
  columns: {
    customer: 'Customer',
    rule: 'How often',
    status: 'Status',
    total: 'Each invoice',
    next: 'Next invoice',
    runs: 'Made',
    created: 'Created',
  },
  form: {
    title: 'New schedule',
    crumb: 'New',
    terms: 'When invoices are made',
    frequency: 'How often',
    frequencies: { monthly: 'Monthly', weekly: 'Weekly' },
    every: { monthly: 'Months between invoices', weekly: 'Weeks between invoices' },
    units: { monthly: 'months', weekly: 'weeks' },
    everyIssue: (max: number) => `Write a number from 1 to ${max}.`,
    day: 'Day of the month',
    dayHint: 'The last day in months that are shorter.',
    weekday: 'Day of the week',
    startsOn: 'Starts',
    endsOn: 'Ends',
    endsHint: 'Leave empty for no end.',
    endsIssue: (first: string) => `The first invoice is on ${first}.`,
    dueAfterDays: 'Due after',
    days: 'days',
    daysIssue: (max: number) => `Write a number from 0 to ${max}.`,
    first: (day: string) => `The first invoice is made on ${day} at 06:00 in Lagos.`,
    firstNow: 'The first invoice is made as soon as you create the schedule.',
    final: 'Invoices are finalized at once, and mailed if your settings say so.',
    save: 'Create schedule',
    created: 'The schedule was created.',
  },
  page: {
    pause: 'Pause',
    resume: 'Resume',
    end: 'End',
    pausedNote: 'This schedule is paused: it makes no invoices until you resume it.',
    endedNote: 'This schedule has ended. Its invoices stay as they are.',
    invoices: 'Invoices of this schedule',
    invoicesCaption: 'Invoices of this schedule, newest first',
    noInvoices: 'No invoice has been made yet.',
    paper: 'Each invoice',
    about: 'About the schedule',
    json: 'JSON',
    answer: 'The schedule as the API returns it',
    customer: 'Customer',
    rule: 'How often',
    next: 'Next invoice',
    nextAt: (day: string) => `${day}, 06:00 (Lagos)`,
    startsOn: 'Starts',
    endsOn: 'Ends',
    noEnd: 'No end',
    due: 'Due',
    dueAfter: (days: number) =>
      days === 0 ? 'The same day' : days === 1 ? 'After 1 day' : `After ${days} days`,
    runs: 'Invoices made',
    series: 'Series',
    created: 'Created',
    ended: 'Ended',
  },
  statusDialog: {
    PAUSED: {
      title: 'Pause this schedule?',
      text: (name: string) =>
        `${name} gets no invoices until you resume it. Invoices that were made stay due.`,
      confirm: 'Pause',
      done: 'The schedule is paused.',
    },
    ACTIVE: {
      title: 'Resume this schedule?',
      text: (name: string) =>
        `${name} gets invoices again from the next day on. Days that passed meanwhile get none.`,
      confirm: 'Resume',
      done: 'The schedule makes invoices again.',
    },
    ENDED: {
      title: 'End this schedule?',
      text: (name: string) =>
        `${name} gets no more invoices. Those that were made stay due. This cannot be undone.`,
      confirm: 'End schedule',
      done: 'The schedule has ended.',
    },
  },
}

type Rule = Pick<InvoiceSchedule, 'frequency' | 'every' | 'day' | 'weekday'>

/** `Monthly on day 5`, `Every 2 weeks on Monday`. */
export function describeRule({ frequency, every, day, weekday }: Rule): string {
  const { frequencies, units } = scheduleTexts.form
  const often = every === 1 ? frequencies[frequency] : `Every ${every} ${units[frequency]}`
  const on = weekday ? commonTexts.weekdays[weekday] : `day ${day}`
  return `${often} on ${on}`
}
