import { invoiceLimits } from '../../../../src/customers/limits'
import {
  firstPeriod,
  type PeriodRule,
  timeOfPeriod,
  type Weekday,
} from '../../../../src/customers/schedules/periods'
import { currentTime, daysAgo } from '../../parts/time-format'
import { contentsBody, type DraftForm, withoutNulls } from './draft-form'

/** When a schedule makes invoices, as it is typed. */
export type TermsForm = {
  frequency: 'monthly' | 'weekly'
  every: string
  /** Of the month. */
  day: string
  weekday: Weekday
  startsOn: string
  /** Empty: no end. */
  endsOn: string
  dueAfterDays: string
}

export const newTerms = (): TermsForm => ({
  frequency: 'monthly',
  every: '1',
  day: '1',
  weekday: 'monday',
  startsOn: daysAgo(0),
  endsOn: '',
  dueAfterDays: String(invoiceLimits.dueAfterDays),
})

const numberIn = (text: string, min: number, max: number): number | null =>
  /^\d{1,4}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max ? Number(text) : null

export const everyOf = ({ every }: TermsForm) =>
  numberIn(every, 1, invoiceLimits.scheduleIntervalMax)

export const dueAfterDaysOf = ({ dueAfterDays }: TermsForm) =>
  numberIn(dueAfterDays, 0, invoiceLimits.scheduleDueAfterDaysMax)

function ruleOf({ frequency, day, weekday }: TermsForm, every: number): PeriodRule {
  return frequency === 'monthly'
    ? { frequency, every, monthDay: Number(day), weekday: null }
    : { frequency, every, monthDay: null, weekday }
}

/** The day of the first invoice, by the rule of the service; null while no start is typed. */
export function firstOf(terms: TermsForm): string | null {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(terms.startsOn)
  return isDay ? firstPeriod(ruleOf(terms, everyOf(terms) ?? 1), terms.startsOn) : null
}

/** Whether the service makes the invoice of this day without waiting. */
export const isMadeNow = (day: string) => timeOfPeriod(day) <= currentTime()

/** As the API takes a new schedule; null while something is missing. */
export function toScheduleBody(draft: DraftForm, terms: TermsForm): object | null {
  const { frequency, day, weekday, startsOn, endsOn } = terms
  const contents = contentsBody(draft)
  const [every, dueAfterDays, first] = [everyOf(terms), dueAfterDaysOf(terms), firstOf(terms)]
  const isMissing = every === null || dueAfterDays === null || first === null
  if (contents === null || isMissing || (endsOn !== '' && endsOn < first)) return null
  return {
    ...withoutNulls(contents),
    asset: draft.asset,
    frequency,
    every,
    ...(frequency === 'monthly' ? { day: Number(day) } : { weekday }),
    startsOn,
    ...(endsOn !== '' && { endsOn }),
    dueAfterDays,
  }
}
