import Type from 'typebox'
import { after, day, hour } from '../../base/clock.js'
import { invalidField } from '../../base/refusal.js'

const day31 = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])'
const day30 = '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)'
const february = '02-(?:0[1-9]|1\\d|2[0-8])'
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const date = `(?:\\d{4}-(?:${day31}|${day30}|${february})|${leapYear}-02-29)`
const clockTime =
  '(?:(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?|24:00(?::00(?:\\.0+)?)?)'
const zone = '(?:[Zz]|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d)'

/** Any ISO 8601 date or date-time of a day that exists. The document shows it, so it is exact. */
export const timePattern = `^${date}(?:[Tt ]${clockTime}${zone}?)?$`

/** A day that exists. */
export const datePattern = `^${date}$`

export const dateIssue = 'must be a date such as 2026-01-05'

const iso = new RegExp(timePattern)
const dateAndTime = /^(.{10})[Tt ](.*?)(?:([Zz])|([+-]\d\d):?(\d\d))?$/

/** A time that a caller sends. */
export const timeIn = (description: string, example = '2036-01-05T09:30:00Z') =>
  Type.String({
    pattern: timePattern,
    description: `${description} An ISO 8601 date or date-time; UTC if it names no zone.`,
    examples: [example],
  })

/** Bounds of a list that hold in any year: the first is past, the second far ahead. */
export const fromIn = (description: string) =>
  timeIn(`${description} A date is a day in Lagos.`, '2026-01-05T09:00:00Z')
export const toIn = (description: string) =>
  timeIn(`${description} A date is a day in Lagos, and includes that day.`, '2036-01-05')

/** UTC if the text names no zone. */
export function readTime(field: string, text: string): Date {
  const time = iso.test(text) ? new Date(toCanonical(text)) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  throw invalidField(field, timeIssue)
}

export const timeIssue = 'must be an ISO 8601 time such as 2026-01-05T09:00:00Z'

/** The one spelling that every JavaScript engine must parse. */
function toCanonical(text: string): string {
  const [, day, clock, , hours, minutes] = dateAndTime.exec(text) ?? []
  if (day === undefined) return text
  return `${day}T${clock}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`
}

const dateOnly = /^\d{4}-\d\d-\d\d$/

/** The start of a period. A date without a time is a day in Lagos, one hour ahead of UTC. */
export function readTimeFrom(field: string, text: string): Date {
  return after(readTime(field, text), dateOnly.test(text) ? -hour : 0)
}

/** The end of a period. A date without a time includes that day. */
export function readTimeTo(field: string, text: string): Date {
  return after(readTimeFrom(field, text), dateOnly.test(text) ? day : 0)
}
