import { InvalidArgumentError } from 'commander'
import Type, { type TSchemaOptions } from 'typebox'
import { day, hour, minute, second } from '../../base/clock.js'
import { plainText } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import { feeLimits } from '../../merchants/limits.js'
import { visible } from '../../merchants/settings/settings-document.js'
import { parseMoney } from '../../money/amounts.js'
import { type Asset, assetNames, type Coin, isCoin } from '../../money/assets.js'
import { parseRate } from '../../money/rates.js'
import { listLimits } from '../../postgres/limits.js'

/**
 * Inputs of actions. The schema is what a route accepts. `description`, `placeholder` and `read`
 * are for the command line, which refuses a wrong argument before it opens a database.
 */

type ReadText = (text: string) => unknown

/** An input that only the command line has, read from its text. */
export const read = <Value>(
  reader: (text: string) => Value,
  description: string,
  more: { placeholder?: string; default?: Value; defaultText?: string } = {},
) => Type.Unsafe<Value>({ description, read: reader, ...more })

/** A flag that may be repeated. */
export const repeated = <Value>(
  reader: (text: string) => Value,
  description: string,
  more: { placeholder?: string } = {},
) => Type.Optional(Type.Unsafe<Value[]>({ type: 'array', description, read: reader, ...more }))

/** A flag without a value. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** The flag of a command that asks first; `confirm` reads it. */
export const yes = flag('do not ask before real money moves')

export const text = (description: string, more: { placeholder?: string } = {}) =>
  Type.String({ description, ...more })

const line = (lengthMax: number, options: TSchemaOptions & { read?: ReadText }) =>
  Type.String({ minLength: 1, maxLength: lengthMax, pattern: plainText, ...options })

/** The name of a merchant or key. */
export const name = (description: string, more: { placeholder?: string } = {}) =>
  line(limits.names.length, { ...visible, description, read: readName, ...more })

/** Why an operator does something, for the audit log. */
export const note = (description: string, more: { placeholder?: string } = {}) =>
  line(limits.operator.noteLengthMax, { ...visible, description, read: readNote, ...more })

/** What a merchant will ask about. */
export const reason = note('why, for the audit log')

/** A reference of a bank, an account or the like. */
export const shortLine = (description: string) => line(200, { description })

export const merchant = Type.String({ description: 'reference of the merchant, mer_…' })

export const mode = Type.Enum(['test', 'live'], { description: 'environment' })

export const liveByDefault = Type.Enum(['test', 'live'], {
  description: 'environment',
  default: 'live',
})

export const asset = (description: string) => Type.Enum(['NGN', 'USDC', 'USDT'], { description })

/** A decimal in the main unit of the asset: 2000.00 is two thousand naira. */
export const amount = (description: string) =>
  Type.String({ minLength: 1, maxLength: 30, description })

/** Part of a name. */
export const search = Type.Optional(line(listLimits.searchLengthMax, {}))

/** How many rows a command lists. */
export const rowLimit = (description: string) =>
  read(readCount, description, {
    placeholder: 'count',
    default: limits.operator.rowsListedDefault,
  })

export function readName(text: string): string {
  return readLine(text, limits.names.length)
}

function readNote(text: string): string {
  return readLine(text, limits.operator.noteLengthMax)
}

function readLine(text: string, lengthMax: number): string {
  const isVisible = text.trim() !== '' && !/\p{Cc}/u.test(text)
  if (!isVisible || [...text].length > lengthMax)
    throw new InvalidArgumentError(`Must be 1 to ${lengthMax} visible characters.`)
  return text
}

const units = { s: second, m: minute, h: hour, d: day }

/** `90s`, `30m`, `24h`, `7d`, as milliseconds. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!count)
    throw new InvalidArgumentError('Must be a number followed by s, m, h or d, such as 24h.')
  return Number(count) * units[unit as keyof typeof units]
}

const isoTime = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** An ISO 8601 date or time; UTC without a time zone. */
export function readTime(text: string): Date {
  const [, year, month, date, time, , , zone] = isoTime.exec(text) ?? []
  const at = new Date(time && !zone ? `${text}Z` : text)
  // JavaScript reads 30 February as 2 March.
  const calendarDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  const isReal = calendarDay.getUTCDate() === Number(date)
  if (!isReal || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Must be a valid date such as 2027-01-31T12:00:00Z.')
  return at
}

export function readBasisPoints(text: string): number {
  const points = Number(text)
  if (!/^\d{1,5}$/.test(text) || points > feeLimits.basisPointsMax)
    throw new InvalidArgumentError(`Must be a whole number up to ${feeLimits.basisPointsMax}.`)
  return points
}

function readCount(text: string): number {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count < 1 || count > limits.operator.rowsListedMax)
    throw new InvalidArgumentError(
      `Must be a whole number from 1 to ${limits.operator.rowsListedMax}.`,
    )
  return count
}

/** An amount in the main unit of the asset: 2000 or ₦2,000.00, 25.5 or 25.5 USDC. */
export function readAmount(text: string, asset: Asset): bigint {
  const amount = parseMoney(text, asset)
  if (typeof amount === 'bigint') return amount
  throw new Refusal('validation_failed', { message: `Amount "${text}" ${amount.issue}.` })
}

/** The same, in a field of a request. */
export function readAmountField(field: string, text: string, asset: Asset): bigint {
  const amount = parseMoney(text, asset)
  if (typeof amount === 'bigint') return amount
  throw invalidField(field, amount.issue)
}

export function readAmountOrZero(text: string, asset: Asset): bigint {
  return /^₦?0+(\.0+)?$/.test(text) ? 0n : readAmount(text, asset)
}

/** `USDC`, or `USDC/NGN` as rates are often written. */
export function readCoin(text: string): Coin {
  const coin = text.replace(/\/NGN$/, '')
  if (!isCoin(coin)) throw new InvalidArgumentError('Must be USDC or USDT.')
  return coin
}

export function readAsset(text: string): Asset {
  const asset = assetNames.find((name) => name === text)
  if (!asset) throw new InvalidArgumentError(`Must be one of ${assetNames.join(', ')}.`)
  return asset
}

/** Naira for one coin. */
export function readRate(text: string): bigint {
  const rate = parseRate(text)
  if (rate === undefined)
    throw new InvalidArgumentError('Must be naira for one coin, such as 1580 or 1585.25.')
  return rate
}
