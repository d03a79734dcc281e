import { InvalidArgumentError, Option } from 'commander'
import { day, hour, minute, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { feeLimits } from '../../merchants/limits.js'
import { parseMoney } from '../../money/amounts.js'
import { type Asset, assetNames, type Coin, isCoin } from '../../money/assets.js'
import { parseRate } from '../../money/rates.js'

// Arguments are parsed strictly, and refused before a database is opened.

export function modeOption(): Option {
  return new Option('--mode <mode>', 'environment').choices(['test', 'live'])
}

/** Why an operator does something that a merchant will ask about; kept in the audit log. */
export function reasonOption(): Option {
  const option = new Option('--reason <reason>', 'why, for the audit log').argParser(readNote)
  return option.makeOptionMandatory()
}

export const merchantArgument = ['<merchant>', 'reference of the merchant, mer_…'] as const

export function readName(text: string): string {
  return readText(text, limits.names.length)
}

export function readNote(text: string): string {
  return readText(text, limits.operator.noteLengthMax)
}

function readText(text: string, lengthMax: number): string {
  const isVisible = text.trim() !== '' && !/\p{Cc}/u.test(text)
  if (!isVisible || [...text].length > lengthMax)
    throw new InvalidArgumentError(`Must be 1 to ${lengthMax} visible characters.`)
  return text
}

export function readBankCode(text: string): string {
  if (!/^[0-9A-Za-z]{3,9}$/.test(text))
    throw new InvalidArgumentError('Must be 3 to 9 digits or letters.')
  return text
}

export function readAccountNumber(text: string): string {
  if (!/^\d{10}$/.test(text)) throw new InvalidArgumentError('Must be 10 digits.')
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
export function readTimeArgument(text: string): Date {
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

export function readCountArgument(text: string): number {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count < 1 || count > limits.operator.rowsListedMax)
    throw new InvalidArgumentError(
      `Must be a whole number from 1 to ${limits.operator.rowsListedMax}.`,
    )
  return count
}

/** An amount in the main unit of the asset: 2000 or ₦2,000.00, 25.5 or 25.5 USDC. */
export function readAmountArgument(text: string, asset: Asset): bigint {
  const amount = parseMoney(text, asset)
  if (typeof amount === 'bigint') return amount
  throw new Refusal('validation_failed', { message: `Amount "${text}" ${amount.issue}.` })
}

export function readAmountOrZero(text: string, asset: Asset): bigint {
  return /^₦?0+(\.0+)?$/.test(text) ? 0n : readAmountArgument(text, asset)
}

/** `USDC`, or `USDC/NGN` as rates are often written. */
export function readCoinArgument(text: string): Coin {
  const coin = text.replace(/\/NGN$/, '')
  if (!isCoin(coin)) throw new InvalidArgumentError('Must be USDC or USDT.')
  return coin
}

export function readAssetArgument(text: string): Asset {
  const asset = assetNames.find((name) => name === text)
  if (!asset) throw new InvalidArgumentError(`Must be one of ${assetNames.join(', ')}.`)
  return asset
}

/** Naira for one coin. */
export function readRateArgument(text: string): bigint {
  const rate = parseRate(text)
  if (rate === undefined)
    throw new InvalidArgumentError('Must be naira for one coin, such as 1580 or 1585.25.')
  return rate
}

/** For options that may be repeated. */
export function collect<Value>(read: (text: string) => Value) {
  return (text: string, before: Value[] = []): Value[] => [...before, read(text)]
}
