import { after, day, hour, weekdays } from '../../base/clock.js'
import { lagosDayOf } from '../lagos-days.js'

export type Weekday = (typeof weekdays)[number]

/** When a schedule makes invoices: every so many months on a day, or weeks on a weekday. */
export type PeriodRule =
  | { frequency: 'monthly'; every: number; monthDay: number; weekday: null }
  | { frequency: 'weekly'; every: number; monthDay: null; weekday: Weekday }

/** Invoices are made in the morning, in Lagos. */
const timeOfDayMs = 6 * hour

/** Dates are days in Lagos, as text: they sort as days do. */
export function dateOf(time: Date): string {
  return after(lagosDayOf(time), hour).toISOString().slice(0, 10)
}

/** When the invoice of a period is made. */
export function timeOfPeriod(period: string): Date {
  return after(startOfDay(period), timeOfDayMs)
}

export function weekdayOf(date: string): Weekday {
  return weekdays[new Date(date).getUTCDay()]!
}

export function dayOfMonth(date: string): number {
  return Number(date.slice(8))
}

/** The first period on or after a date. */
export function firstPeriod(rule: PeriodRule, startsOn: string): string {
  if (rule.frequency === 'weekly') {
    const days = weekdays.indexOf(rule.weekday) - weekdays.indexOf(weekdayOf(startsOn))
    return addDays(startsOn, (days + 7) % 7)
  }
  const inMonth = dateInMonth(monthOf(startsOn), rule.monthDay)
  return inMonth >= startsOn ? inMonth : dateInMonth(monthOf(startsOn) + 1, rule.monthDay)
}

/** The first period after a date, counted from the first one of the schedule. */
export function nextPeriod(rule: PeriodRule, first: string, date: string): string {
  if (date < first) return first
  if (rule.frequency === 'weekly') {
    const length = 7 * rule.every
    const passed = Math.floor(daysBetween(first, date) / length)
    return addDays(first, (passed + 1) * length)
  }
  const passed = Math.floor((monthOf(date) - monthOf(first)) / rule.every)
  const inMonth = dateInMonth(monthOf(first) + passed * rule.every, rule.monthDay)
  if (inMonth > date) return inMonth
  return dateInMonth(monthOf(first) + (passed + 1) * rule.every, rule.monthDay)
}

/** The first period whose invoice is made after a time. */
export function firstPeriodAfter(rule: PeriodRule, first: string, time: Date): string {
  return nextPeriod(rule, first, dateOf(after(time, -timeOfDayMs)))
}

function startOfDay(date: string): Date {
  return after(new Date(date), -hour)
}

function addDays(date: string, days: number): string {
  return after(new Date(date), days * day)
    .toISOString()
    .slice(0, 10)
}

function daysBetween(from: string, to: string): number {
  return (new Date(to).getTime() - new Date(from).getTime()) / day
}

/** Months since the year 0. */
function monthOf(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
}

/** In a month that is too short, its last day. */
function dateInMonth(month: number, monthDay: number): string {
  const [year, index] = [Math.floor(month / 12), month % 12]
  const lastDay = new Date(Date.UTC(year, index + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, index, Math.min(monthDay, lastDay))).toISOString().slice(0, 10)
}
