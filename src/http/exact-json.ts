import { limits } from '../limits.js'

/** Texts of a JSON document, with the colon that makes one a name, and numbers with a fraction. */
const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))/g

/**
 * Why a JSON document cannot be taken at its word, if it cannot: a name that is there twice, of
 * which readers keep different ones; a fraction that would be rounded away; half of a character.
 * Whole numbers that are too large are left to the schema, which says how large they may be.
 */
export function findInexact(text: string, value: unknown): string | undefined {
  let names = 0
  tokens.lastIndex = 0
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    if (found[1] !== undefined) names += 1
    else if (found[2] !== undefined && found[2].length > 15 && !isExact(found[2]))
      return `The number ${found[2].slice(0, 40)} cannot be read exactly. Send fewer digits.`
  }
  const seen = countNames(value)
  if (seen === undefined) return `The body is nested deeper than ${limits.http.bodyDepth} levels.`
  if (names !== seen) return 'The body names a field twice. Send each once.'
  if (hasHalfCharacter(text)) return 'The body contains half of a surrogate pair.'
  return undefined
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
