import { hour } from '../clock.js'

/** Nigeria's offset from UTC; it has no daylight saving time. */
const offsetMs = hour

type Parts = Record<'year' | 'month' | 'day' | 'hours' | 'clockHour' | 'rest' | 'ms', string>

function localParts(atMs: number): Parts {
  const text = new Date(atMs + offsetMs).toISOString()
  return {
    year: text.slice(0, 4),
    month: text.slice(5, 7),
    day: text.slice(8, 10),
    hours: text.slice(11, 13),
    clockHour: String(Number(text.slice(11, 13)) % 12 || 12),
    rest: text.slice(14, 19),
    ms: text.slice(20, 23),
  }
}

/** `2026-06-26 23:26:41`, in Nigerian time without a zone. */
export function toSpacedTime(atMs: number): string {
  const { year, month, day, hours, rest } = localParts(atMs)
  return `${year}-${month}-${day} ${hours}:${rest}`
}

/** `2021-11-17 11:28:42.615`; whole seconds end in `.0`. */
export function toFractionalTime(atMs: number): string {
  const { ms } = localParts(atMs)
  return `${toSpacedTime(atMs)}.${ms === '000' ? '0' : ms}`
}

/** `2026-06-27T09:51:14`, in Nigerian time without a zone. */
export function toZonelessTime(atMs: number): string {
  return toSpacedTime(atMs).replace(' ', 'T')
}

/** `25/07/2022 11:20:20 AM`; the hour has two digits in answers and one or two in notices. */
export function toSlashedTime(atMs: number, hourDigits: 1 | 2): string {
  const { year, month, day, hours, clockHour, rest } = localParts(atMs)
  const half = Number(hours) < 12 ? 'AM' : 'PM'
  return `${day}/${month}/${year} ${clockHour.padStart(hourDigits, '0')}:${rest} ${half}`
}

/** `2026-06-27T08:08:11.000+00:00`: lists write UTC, to the second. */
export function toListedTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}.000+00:00`
}

/** `2022-07-31T14:31:33.759+0000`. */
export function toOffsetTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '+0000')
}

/** The fourteen digits in the middle of a transaction reference. */
export function toDigits(atMs: number): string {
  return toSpacedTime(atMs).replace(/\D/g, '')
}

/** Reads `yyyy-MM-dd HH:mm:ss` as Nigerian time. */
export function readSpacedTime(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined
  const atMs = Date.parse(`${text.replace(' ', 'T')}+01:00`)
  return Number.isNaN(atMs) ? undefined : atMs
}
