import { randomUUID } from 'node:crypto'
import { limits } from '../../base/limits.js'
import { type Detail, sayBack } from '../../base/refusal.js'
import { type JsonToken, placesOf } from './json-tokens.js'

/** Texts of a JSON document, with the colon that makes one a name, and its numbers. */
const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

type Inexact = { message: string; details?: Detail[] }

/**
 * Why a JSON document cannot be taken at its word, if it cannot: a name that is there twice, of
 * which readers keep different ones; a number that would be rounded away; half of a character.
 * Whole numbers that are too large are left to the schema, which says how large they may be.
 */
export function findInexact(text: string, value: unknown): Inexact | undefined {
  let names = 0
  tokens.lastIndex = 0
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    if (found[1] !== undefined) names += 1
    else if (found[2] !== undefined && isRounded(found[2]) && !isWhole(found[2]))
      return tell(text, ({ token }) => token === found[2], inexactly(found[2]))
  }
  const seen = countNames(value)
  if (seen === undefined)
    return {
      message: `The body is nested deeper than ${limits.http.bodyDepth} levels. Send it flatter.`,
    }
  if (names !== seen)
    return tell(text, ({ isAgain }) => isAgain, 'must be there once; it is there twice')
  if (hasHalfCharacter(text))
    return tell(
      text,
      ({ token }) => token.startsWith('"') && hasHalfCharacter(token),
      'must be whole characters; it contains half of a surrogate pair',
    )
  return undefined
}

/** No caller can have written it. */
const mark = randomUUID()

/**
 * The body as it tells one request from another: whole numbers that were rounded when it was read
 * are there with all their digits. Most bodies have none, and are themselves.
 */
export function withAllDigits(text: string, value: unknown): unknown {
  if (!/\d{16}/.test(text)) return value
  const marked = text.replace(
    tokens,
    (token: string, _colon: string, number: string | undefined) =>
      number !== undefined && isRounded(number) ? `"${mark}${number}"` : token,
  )
  if (marked === text) return value
  return JSON.parse(marked, (_name, field: unknown) =>
    typeof field === 'string' && field.startsWith(mark) ? BigInt(field.slice(mark.length)) : field,
  )
}

/** Says where the first such place is. */
function tell(text: string, isMeant: (place: JsonToken) => boolean, issue: string): Inexact {
  for (const place of placesOf(text)) {
    if (!isMeant(place) || place.path === '') continue
    const field = sayBack(place.path)
    return { message: `${field} ${issue}.`, details: [{ field, issue }] }
  }
  return { message: `The body ${issue}.` }
}

function inexactly(number: string): string {
  return `must be a number that can be read exactly, not ${number.slice(0, 40)}: send fewer digits`
}

/** Fifteen digits always fit; a power of ten may be beyond every number there is. */
function isRounded(number: string): boolean {
  return (number.length > 15 || /[eE]/.test(number)) && !isExact(number)
}

function isWhole(number: string): boolean {
  return !/[.eE]/.test(number)
}

/** An escape of one surrogate without the other; an escaped backslash begins no escape. */
function hasHalfCharacter(text: string): boolean {
  if (!text.includes('\\u')) return false
  const escapes = text.replaceAll('\\\\', '')
  const pairs = escapes.replace(/\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g, '')
  return /\\u[dD][89a-fA-F]/.test(pairs)
}

/** Reading and writing it again gives the same number. */
function isExact(token: string): boolean {
  const [read, written] = [toParts(token), toParts(String(Number(token)))]
  return read.digits === written.digits && read.exponent === written.exponent
}

/** A number as digits without zeros at either end, and the power of ten of the last one. */
function toParts(text: string): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = (whole + fraction).replace(/^(-?)0+(?=\d)/, '$1')
  const digits = all.replace(/0+$/, '')
  const cut = all.length - digits.length
  if (digits === '' || digits === '-') return { digits: '0', exponent: 0 }
  return { digits, exponent: Number(exponent) - fraction.length + cut }
}

/** Without recursion: a body may be nested deeper than a stack. Undefined: deeper than we read. */
function countNames(value: unknown): number | undefined {
  let names = 0
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.http.bodyDepth) return undefined
    const objects = level.filter((field) => typeof field === 'object' && field !== null) as object[]
    for (const object of objects) if (!Array.isArray(object)) names += Object.keys(object).length
    level = objects.flatMap((object) => Object.values(object))
  }
  return names
}
