/** Crockford's alphabet, in lower case. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The two digits of every ten bits. */
const pairs = Array.from({ length: 1024 }, (_, bits) => alphabet[bits >> 5]! + alphabet[bits & 31]!)

/**
 * 128 bits from hexadecimal to 26 digits in base 32. Every reference in every answer passes here,
 * so it reads twenty bits at a time; a test compares it with a library.
 */
export function hexToBase32(hex: string): string {
  let text = ''
  for (let start = 0; start < 30; start += 5) {
    const bits = Number.parseInt(hex.slice(start, start + 5), 16)
    text += pairs[bits >> 10]! + pairs[bits & 1023]!
  }
  // The last eight bits, and two zeros.
  return text + pairs[Number.parseInt(hex.slice(30), 16) << 2]!
}

const digitValues = new Map([...alphabet].map((digit, value) => [digit, value]))

/** Reverses `hexToBase32`. Undefined for 26 digits that it cannot have written. */
export function base32ToHex(text: string): string | undefined {
  let hex = ''
  for (let start = 0; start < 24; start += 4) {
    let bits = 0
    for (let index = start; index < start + 4; index += 1)
      bits = (bits << 5) | digitValues.get(text[index]!)!
    hex += bits.toString(16).padStart(5, '0')
  }
  const last = (digitValues.get(text[24]!)! << 5) | digitValues.get(text[25]!)!
  if ((last & 3) !== 0) return undefined
  return hex + (last >> 2).toString(16).padStart(2, '0')
}
