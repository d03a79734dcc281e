import { InvalidArgumentError, Option } from 'commander'
import { day, hour, minute, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'

/** How the texts of a command line are read: strictly, and refused before a database is opened. */

export function modeOption(): Option {
  return new Option('--mode <mode>', 'the environment').choices(['test', 'live'])
}

export function readName(text: string): string {
  return readText(text, limits.names.length)
}

export function readNote(text: string): string {
  return readText(text, limits.operator.noteLength)
}

function readText(text: string, most: number): string {
  const isVisible = text.trim() !== '' && !/\p{Cc}/u.test(text)
  if (!isVisible || [...text].length > most)
    throw new InvalidArgumentError(`It must be 1 to ${most} visible characters.`)
  return text
}

export function readBankCode(text: string): string {
  if (!/^\d{3,6}$/.test(text)) throw new InvalidArgumentError('It must be 3 to 6 digits.')
  return text
}

export function readAccountNumber(text: string): string {
  if (!/^\d{10}$/.test(text)) throw new InvalidArgumentError('It must be 10 digits.')
  return text
}

const units = { s: second, m: minute, h: hour, d: day }

/** `90s`, `30m`, `24h`, `7d`, as milliseconds. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!count) throw new InvalidArgumentError('It must be a number and s, m, h or d, such as 24h.')
  return Number(count) * units[unit as keyof typeof units]
}

const isoTime = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** An ISO 8601 date or time; UTC when it names no zone. */
export function readTimeArgument(text: string): Date {
  const [, year, month, date, time, , , zone] = isoTime.exec(text) ?? []
  const at = new Date(time && !zone ? `${text}Z` : text)
  // JavaScript takes 30 February for 2 March.
  const calendarDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  const isReal = calendarDay.getUTCDate() === Number(date)
  if (!isReal || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('It must be a real date such as 2027-01-31T12:00:00Z.')
  return at
}

export function readBasisPoints(text: string): number {
  const points = Number(text)
  if (!/^\d{1,5}$/.test(text) || points > limits.fees.basisPoints)
    throw new InvalidArgumentError(`It must be a whole number up to ${limits.fees.basisPoints}.`)
  return points
}

export function readCountArgument(text: string): number {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count < 1 || count > limits.operator.listed)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${limits.operator.listed}.`)
  return count
}

/** An amount as people write it, in the main unit of the asset: 2000 is ₦2,000.00. */
export function readAmountArgument(text: string, asset: Asset): bigint {
  const amount = parseDecimal(text, asset)
  if (typeof amount === 'bigint') return amount
  throw new Refusal('validation_failed', { message: `The amount "${text}" ${amount.issue}.` })
}

/** The same where nothing is an amount too. */
export function readAmountOrZero(text: string, asset: Asset): bigint {
  return /^0+(\.0+)?$/.test(text) ? 0n : readAmountArgument(text, asset)
}

/** For options that may be given several times. */
export function collect<Value>(read: (text: string) => Value) {
  return (text: string, before: Value[] = []): Value[] => [...before, read(text)]
}
