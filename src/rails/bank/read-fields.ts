import type { Bank } from '../../payouts/ports.js'
import { Unreadable } from './provider-client.js'

/** Reads fields of a provider's answer, in which every number is a text. */

export type Fields = Record<string, unknown>

/** Ids and references are keys of indexes here, which hold no long texts. */
const idLengthMax = 200
const nameLengthMax = 200

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

export function asList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(asFields) : []
}

/** A list that decides something: throws `Unreadable` unless it is a list. */
export function needList(value: unknown, name: string): Fields[] {
  if (!Array.isArray(value)) throw new Unreadable(`${name} is not a list`)
  return value.map(asFields)
}

/** Undefined if it is missing, null or empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** For required fields: throws `Unreadable` if it is missing. */
export function needText(value: unknown, name: string): string {
  const text = readText(value)
  if (text === undefined) throw new Unreadable(`the answer has no ${name}`)
  return text
}

/** A provider's id or reference: throws `Unreadable` if it is missing or too long for a key. */
export function needId(value: unknown, name: string): string {
  const text = needText(value, name)
  if (text.length > idLengthMax) throw new Unreadable(`${name} is too long`)
  return text
}

/** A provider's numeric id: throws `Unreadable` if it is not a number. */
export function needNumericId(value: unknown, name: string): string {
  const text = needText(value, name)
  if (!/^\d{1,20}$/.test(text)) throw new Unreadable(`${name} is not a number`)
  return text
}

/** Banks of Nigeria have numbers of ten digits; longer ones are allowed, other texts are not. */
export function needAccountNumber(value: unknown, name: string): string {
  const text = needText(value, name)
  if (!/^\d{10,20}$/.test(text)) throw new Unreadable(`${name} is not an account number`)
  return text
}

export function needCurrency(value: unknown, name: string): string {
  const text = needText(value, name)
  if (!/^[A-Z]{3}$/.test(text)) throw new Unreadable(`${name} is not a currency`)
  return text
}

/** A text that is only shown, such as a name: on one line and bounded. Undefined if it is empty. */
export function readName(value: unknown): string | undefined {
  const line =
    readText(value)
      ?.replace(/\p{Cc}+/gu, ' ')
      .trim() ?? ''
  return line === '' ? undefined : line.slice(0, nameLengthMax).toWellFormed()
}

export function needName(value: unknown, name: string): string {
  const text = readName(value)
  if (text === undefined) throw new Unreadable(`the answer has no ${name}`)
  return text
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

/** Undefined unless it is a time with a zone, in this century. */
export function readTime(value: unknown): Date | undefined {
  const text = readText(value) ?? ''
  if (!isoTime.test(text)) return undefined
  return believable(new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')))
}

/** Providers write 0000-00-00 and 9999-12-31 for a time that is not known. */
export function believable(time: Date): Date | undefined {
  const year = time.getUTCFullYear()
  return year >= 2000 && year < 2100 ? time : undefined
}

export function needTime(value: unknown, name: string): Date {
  const time = readTime(value)
  if (!time) throw new Unreadable(`${name} is not a time`)
  return time
}

/** The entry of a word in a table of the driver's; undefined for every other word. */
export function lookUp<Meaning>(
  table: Record<string, Meaning>,
  word: unknown,
): Meaning | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined
}

/** The rows that can be read, and why others cannot: one odd row must not hide the others. */
export function readRows<Item>(
  rows: Fields[],
  read: (row: Fields) => Item,
): { items: Item[]; unreadable: string[] } {
  const items: Item[] = []
  const unreadable: string[] = []
  for (const row of rows)
    try {
      items.push(read(row))
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      unreadable.push(error.message)
    }
  return { items, unreadable }
}

/** Bank codes that our API accepts. */
const bankCodePattern = /^[0-9A-Za-z]{3,9}$/

/** The rows of a list of banks that are complete. */
export function readBanks(rows: Fields[]): Bank[] {
  return rows.flatMap(({ code: given, name: givenName }) => {
    const code = readText(given) ?? ''
    const name = readName(givenName)
    return name && bankCodePattern.test(code) ? [{ code, name }] : []
  })
}
