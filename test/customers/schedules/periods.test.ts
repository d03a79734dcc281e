import { expect, test } from 'vitest'
import { endOfDayAfter } from '../../../src/customers/lagos-days.js'
import {
  dateOf,
  firstPeriod,
  firstPeriodAfter,
  nextPeriod,
  type PeriodRule,
  timeOfPeriod,
  weekdayOf,
} from '../../../src/customers/schedules/periods.js'
import { seededRandom } from '../../support/seed.js'

const monthly = (monthDay: number, every = 1): PeriodRule => ({
  frequency: 'monthly',
  every,
  monthDay,
  weekday: null,
})

const weekly = (weekday: 'monday' | 'friday', every = 1): PeriodRule => ({
  frequency: 'weekly',
  every,
  monthDay: null,
  weekday,
})

function list(rule: PeriodRule, startsOn: string, count: number): string[] {
  const first = firstPeriod(rule, startsOn)
  const periods = [first]
  while (periods.length < count) periods.push(nextPeriod(rule, first, periods.at(-1)!))
  return periods
}

test('days 29 to 31 become the last day of short months', () => {
  expect(list(monthly(31), '2028-01-31', 5)).toEqual([
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
    '2028-04-30',
    '2028-05-31',
  ])
  expect(list(monthly(29), '2027-02-01', 3)).toEqual(['2027-02-28', '2027-03-29', '2027-04-29'])
})

test('the first period is on or after the start', () => {
  expect(firstPeriod(monthly(5), '2026-11-05')).toBe('2026-11-05')
  expect(firstPeriod(monthly(5), '2026-11-06')).toBe('2026-12-05')
  expect(firstPeriod(monthly(5), '2026-12-06')).toBe('2027-01-05')
  expect(firstPeriod(monthly(31), '2026-02-28')).toBe('2026-02-28')
  // 2026-11-18 is a Wednesday.
  expect(firstPeriod(weekly('monday'), '2026-11-18')).toBe('2026-11-23')
  expect(firstPeriod(weekly('friday'), '2026-11-18')).toBe('2026-11-20')
})

test('every so many months or weeks, counted from the first', () => {
  expect(list(monthly(31, 3), '2026-11-30', 4)).toEqual([
    '2026-11-30',
    '2027-02-28',
    '2027-05-31',
    '2027-08-31',
  ])
  expect(list(weekly('monday', 2), '2026-12-21', 3)).toEqual([
    '2026-12-21',
    '2027-01-04',
    '2027-01-18',
  ])
})

test('an invoice is made at 06:00 in Lagos, and is due at the end of a day there', () => {
  expect(timeOfPeriod('2026-11-18').toISOString()).toBe('2026-11-18T05:00:00.000Z')
  const rule = monthly(18)
  const nextAt = (time: string) => firstPeriodAfter(rule, '2026-01-18', new Date(time))
  expect(nextAt('2026-11-18T04:59:59Z')).toBe('2026-11-18')
  expect(nextAt('2026-11-18T05:00:00Z')).toBe('2026-12-18')
  expect(dateOf(new Date('2026-11-18T22:59:59Z'))).toBe('2026-11-18')
  expect(dateOf(new Date('2026-11-18T23:00:00Z'))).toBe('2026-11-19')
  const due = endOfDayAfter(new Date('2026-11-18T05:00:00Z'), 7)
  expect(due.toISOString()).toBe('2026-11-25T23:00:00.000Z')
})

const addDay = (date: string, days = 1) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

/** By counting days: a day is a period if it fits the rule, and its month or week is counted. */
function isPeriod(rule: PeriodRule, first: string, date: string): boolean {
  if (date < first) return false
  if (rule.frequency === 'weekly') {
    const weeks = (Date.parse(date) - Date.parse(first)) / (7 * 86_400_000)
    return weekdayOf(date) === rule.weekday && weeks % rule.every === 0
  }
  const months = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7))
  const isLast = addDay(date).slice(0, 7) !== date.slice(0, 7)
  const dayOf = Number(date.slice(8))
  const isDay = dayOf === rule.monthDay || (isLast && dayOf < rule.monthDay)
  return isDay && (months(date) - months(first)) % rule.every === 0
}

test('2,000 rules have the periods that counting days finds', () => {
  const random = seededRandom('periods')
  for (let round = 0; round < 2_000; round += 1) {
    const every = random.integer(1, 5)
    const rule = random.pick([
      monthly(random.integer(1, 31), every),
      weekly(random.pick(['monday', 'friday'] as const), every),
    ])
    const startsOn = addDay('2026-01-01', random.integer(0, 1_500))
    const first = firstPeriod(rule, startsOn)
    expect(first >= startsOn && isPeriod(rule, first, first)).toBe(true)
    const date = addDay(startsOn, random.integer(0, 200))
    const next = nextPeriod(rule, first, date)
    let counted = addDay(date)
    while (!isPeriod(rule, first, counted)) counted = addDay(counted)
    expect(next).toBe(counted)
  }
})
