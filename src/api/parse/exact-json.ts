import { randomUUID } from 'node:crypto'
import type { JsonText } from '../../base/json-text.js'
import { decodeJsonString, type JsonToken, jsonTokens } from '../../base/json-tokens.js'
import { limits } from '../../base/limits.js'
import { type Detail, quoteInput } from '../../base/refusal.js'

type Inexact = { message: string; details?: Detail[] }

/**
 * An object or array around the current token: its current name or position, and its names so far.
 */
type Level = { at: string | number; names: Set<string> }

/**
 * Why a JSON document is ambiguous, if it is: a repeated name, of which parsers keep different
 * ones; a number that would be rounded; half of a surrogate pair. Whole numbers that are too large
 * are left to the schema, which states the limit. The text must be valid JSON.
 */
export function findInexact(text: string): Inexact | undefined {
  const levels: Level[] = []
  for (const token of jsonTokens(text)) {
    if (token.depth > limits.http.bodyDepthMax)
      return {
        message: `The body is nested deeper than ${limits.http.bodyDepthMax} levels. Send it flatter.`,
      }
    const issue = enterToken(levels, token)
    if (issue) return toInexact(levels, issue)
  }
  return undefined
}

/** Follows the token into the levels, and returns what is wrong with it. */
function enterToken(levels: Level[], { kind, text }: JsonToken): string | undefined {
  const level = levels.at(-1)
  if (kind === 'open') levels.push({ at: text === '{' ? '' : 0, names: new Set() })
  else if (kind === 'close') levels.pop()
  else if (kind === 'comma' && typeof level!.at === 'number') level!.at += 1
  else if (kind === 'name') {
    const name = decodeJsonString(text)
    const isRepeated = level!.names.has(name)
    level!.at = name
    level!.names.add(name)
    if (isRepeated) return 'must appear once, but appears twice'
  } else if (kind === 'number' && !isWhole(text) && isRounded(text))
    return `must be a number that can be read exactly, not ${text.slice(0, 40)}: send fewer digits`
  if (text.includes('\\u') && hasHalfCharacter(text))
    return 'must be whole characters; it contains half of a surrogate pair'
  return undefined
}

function toInexact(levels: Level[], issue: string): Inexact {
  const path = levels.map(({ at }) => at).join('.')
  if (path === '') return { message: `The body ${issue}.` }
  const field = quoteInput(path)
  return { message: `${field} ${issue}.`, details: [{ field, issue }] }
}

/**
 * A field of a JSON object as written, without whitespace: JSON.parse and JSON.stringify would
 * sort names that look like numbers and round long numbers. The text must be valid JSON.
 */
export function rawField(text: string, name: string): JsonText | undefined {
  // An escape may spell the name.
  if (!text.includes(name) && !text.includes('\\')) return undefined
  let raw: string | undefined
  for (const token of jsonTokens(text)) {
    if (token.depth === 1 && token.kind === 'name') {
      if (decodeJsonString(token.text) === name) raw = ''
    } else if (raw !== undefined) {
      const isEnd = token.depth === 0 || (token.depth === 1 && token.kind === 'comma')
      if (isEnd) return raw as JsonText
      raw += token.kind === 'name' ? `${token.text}:` : token.text
    }
  }
  return raw as JsonText | undefined
}

/** Unguessable, so no caller can have sent it. */
const roundedPrefix = randomUUID()

/**
 * The parsed body with every digit of the whole numbers that parsing rounded, so that two requests
 * that differ only there stay different. Most bodies have none and are returned unchanged.
 */
export function withAllDigits(text: string, value: unknown): unknown {
  if (!/\d{16}/.test(text)) return value
  let marked = ''
  let copiedTo = 0
  for (const { kind, text: number, start, end } of jsonTokens(text)) {
    if (kind !== 'number' || !isRounded(number)) continue
    marked += `${text.slice(copiedTo, start)}"${roundedPrefix}${number}"`
    copiedTo = end
  }
  if (copiedTo === 0) return value
  return JSON.parse(marked + text.slice(copiedTo), (_name, field: unknown) =>
    typeof field === 'string' && field.startsWith(roundedPrefix)
      ? BigInt(field.slice(roundedPrefix.length))
      : field,
  )
}

/** Fifteen digits always fit; an exponent may exceed every number there is. */
function isRounded(number: string): boolean {
  return (number.length > 15 || /[eE]/.test(number)) && !isExact(number)
}

function isWhole(number: string): boolean {
  return !/[.eE]/.test(number)
}

/** Parsing and printing it gives the same number. */
function isExact(token: string): boolean {
  const [sent, parsed] = [toParts(token), toParts(String(Number(token)))]
  return sent.digits === parsed.digits && sent.exponent === parsed.exponent
}

/** A number as digits without zeros at either end, and the power of ten of the last digit. */
function toParts(text: string): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = (whole + fraction).replace(/^(-?)0+(?=\d)/, '$1')
  const digits = all.replace(/0+$/, '')
  const zeros = all.length - digits.length
  if (digits === '' || digits === '-') return { digits: '0', exponent: 0 }
  return { digits, exponent: Number(exponent) - fraction.length + zeros }
}

/** An escape of one surrogate without the other. An escaped backslash begins no escape. */
function hasHalfCharacter(text: string): boolean {
  const escapes = text.replaceAll('\\\\', '')
  const pairs = escapes.replace(/\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g, '')
  return /\\u[dD][89a-fA-F]/.test(pairs)
}
