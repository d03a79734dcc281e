import { limits } from '../../base/limits.js'

const quote = '"'.charCodeAt(0)
const colon = ':'.charCodeAt(0)
const minus = '-'.charCodeAt(0)

/**
 * Whether one pass over a JSON document and its value proves that `findInexact` finds nothing: no
 * escapes, short numbers without exponents, no deep nesting, and as many names in the text as in
 * the value, so none is repeated. False proves nothing: `findInexact` decides.
 */
export function isPlainJson(text: string, value: unknown): boolean {
  if (text.includes('\\')) return false
  let depth = 0
  let names = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = text.indexOf('"', at + 1)
    else if (code === colon) names += 1
    else if (isDigit(code) || code === minus) {
      const start = at
      while (isPartOfNumber(text.charCodeAt(at + 1))) at += 1
      const isExponent = isLetterE(text.charCodeAt(at + 1))
      // Fifteen digits are never rounded.
      if (isExponent || at - start >= 15) return false
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > limits.http.bodyDepthMax) return false
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return names === countNames(value)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Characters before an exponent: digits and the point. */
function isPartOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e
}

function isLetterE(code: number): boolean {
  return code === 0x65 || code === 0x45
}

function countNames(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countNames(item), 0)
  const fields = value as Record<string, unknown>
  const names = Object.keys(fields)
  let count = names.length
  for (const name of names) {
    const field = fields[name]
    if (typeof field === 'object') count += countNames(field)
  }
  return count
}
