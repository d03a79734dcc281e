import { hour, second } from '../../base/clock.js'
import { Unreadable } from '../bank/provider-client.js'
import { believable } from '../bank/read-fields.js'

/** Nigerian time: Monnify writes most times without a zone. It has no daylight saving time. */
const zone = '+01:00'

const isoLike = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/
const slashed = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{1,2}):(\d{2}:\d{2}) (AM|PM)$/

/**
 * Reads a time in any format that Monnify writes: `2026-07-17 03:14:51.0`, `2026-06-27T09:51:14`,
 * `25/07/2022 11:20:20 AM` without a zone, `2022-07-31T14:31:33.759+0000` with one. Undefined if it
 * is none of them.
 */
export function readTime(written: unknown): Date | undefined {
  if (typeof written !== 'string') return undefined
  const text = readIsoLike(written) ?? readSlashed(written)
  if (text === undefined) return undefined
  return believable(new Date(text))
}

/** For required times: throws `Unreadable` if it is missing or unreadable. */
export function needTime(written: unknown, name: string): Date {
  const time = readTime(written)
  if (!time) throw new Unreadable(`${name} is not a time of Monnify`)
  return time
}

function readIsoLike(written: string): string | undefined {
  const match = isoLike.exec(written)
  if (!match) return undefined
  const [, date, time, fraction = '', offset = zone] = match
  const withColon = offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return `${date}T${time}${fraction.slice(0, 4).padEnd(fraction ? 4 : 0, '0')}${withColon}`
}

function readSlashed(written: string): string | undefined {
  const match = slashed.exec(written)
  if (!match) return undefined
  const [, day, month, year, clockHour, rest, half] = match
  const hour = (Number(clockHour) % 12) + (half === 'PM' ? 12 : 0)
  return `${year}-${month}-${day}T${String(hour).padStart(2, '0')}:${rest}${zone}`
}

/** As an invoice's `expiryDate`: `yyyy-MM-dd HH:mm:ss` in Nigerian time, rounded up. */
export function writeTime(time: Date): string {
  const localMs = Math.ceil(time.getTime() / second) * second + hour
  return new Date(localMs).toISOString().slice(0, 19).replace('T', ' ')
}
