const mark = 'exact-integer:'

/** Parses JSON; an integer beyond 2^53 becomes a text with its digits, so that it can be compared. */
export function parseExactly(text: string): unknown {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  const marked = text.replace(token, (found) => {
    const isLarge = /^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found))
    return isLarge ? `"${mark}${found}"` : found
  })
  return JSON.parse(marked)
}

/** The opposite of `parseExactly`. */
export function printExactly(value: unknown): string {
  return JSON.stringify(value).replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}
