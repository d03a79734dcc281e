/** A text, or an integer that JSON.parse would round. */
const textOrLong = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/**
 * Reads JSON without rounding: integers of sixteen digits and more arrive as text, so whoever
 * expects a large number reads it with BigInt, which takes either.
 */
export function readJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(text.replace(textOrLong, (part) => (part[0] === '"' ? part : `"${part}"`)))
}
