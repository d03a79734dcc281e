import { Refusal } from '../../base/refusal.js'

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|z|[+-]\d\d:?\d\d)?)?$/

/** Any ISO 8601 date or date-time of a day that exists; UTC if it names no zone. */
export function readTime(field: string, text: string): Date {
  const parts = iso.exec(text)
  const [, year, month, day] = parts ?? []
  const isReal = parts !== null && Number(day) <= daysIn(Number(year), Number(month))
  const time = isReal ? new Date(toZoned(text, parts)) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  throw new Refusal('validation_failed', {
    message: `${field} must be an ISO 8601 time such as 2026-01-05T09:00:00Z.`,
    details: [{ field, issue: 'must be an ISO 8601 time such as 2026-01-05T09:00:00Z' }],
  })
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function toZoned(text: string, parts: RegExpExecArray): string {
  const hasTime = parts[4] !== undefined
  const hasZone = parts[8] !== undefined
  return text.replace(' ', 'T') + (hasTime && !hasZone ? 'Z' : '')
}
