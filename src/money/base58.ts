/**
 * Base58 as Solana writes addresses and signatures. Every payout decodes an address and encodes a
 * signature, so this converts several digits at a time; a test compares it with @scure/base.
 */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const codes = Buffer.from(alphabet)
const fiveDigits = 58 ** 5

const digitOf = new Int8Array(128).fill(-1)
for (const [value, letter] of [...alphabet].entries()) digitOf[letter.charCodeAt(0)] = value

export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1
  /** The number in base 58 ** 5, least significant part first. */
  const parts: number[] = []
  let index = zeros
  while (index < bytes.length) {
    const isPair = (bytes.length - index) % 2 === 0
    let carry = isPair ? bytes[index]! * 256 + bytes[index + 1]! : bytes[index]!
    const factor = isPair ? 65_536 : 256
    for (let part = 0; part < parts.length; part += 1) {
      const value = parts[part]! * factor + carry
      carry = Math.floor(value / fiveDigits)
      parts[part] = value - carry * fiveDigits
    }
    if (carry > 0) parts.push(carry)
    index += isPair ? 2 : 1
  }
  const letters = Buffer.allocUnsafe(zeros + 5 * parts.length)
  let start = letters.length
  for (const part of parts) {
    let rest = part
    for (let digit = 0; digit < 5; digit += 1) {
      const higher = Math.trunc(rest / 58)
      start -= 1
      letters[start] = codes[rest - higher * 58]!
      rest = higher
    }
  }
  // The most significant part may have fewer than five digits.
  while (start < letters.length && letters[start] === codes[0]) start += 1
  letters.fill(codes[0]!, start - zeros, start)
  return letters.toString('latin1', start - zeros)
}

/** Undefined for a text with other characters. */
export function decodeBase58(text: string): Uint8Array | undefined {
  let zeros = 0
  while (zeros < text.length && text[zeros] === '1') zeros += 1
  /** The number in base 2 ** 24, least significant part first. */
  const parts: number[] = []
  for (let start = zeros; start < text.length; start += 4) {
    const end = Math.min(start + 4, text.length)
    let carry = 0
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index)
      const value = code < 128 ? digitOf[code]! : -1
      if (value < 0) return undefined
      carry = carry * 58 + value
    }
    const factor = 58 ** (end - start)
    for (let part = 0; part < parts.length; part += 1) {
      const value = parts[part]! * factor + carry
      carry = Math.floor(value / 0x1000000)
      parts[part] = value - carry * 0x1000000
    }
    while (carry > 0) {
      parts.push(carry % 0x1000000)
      carry = Math.floor(carry / 0x1000000)
    }
  }
  const bytes = new Uint8Array(zeros + 3 * parts.length)
  for (const [index, part] of parts.entries()) {
    const at = bytes.length - 3 * (index + 1)
    bytes[at] = part >> 16
    bytes[at + 1] = part >> 8
    bytes[at + 2] = part
  }
  let extra = zeros
  while (extra < bytes.length && bytes[extra] === 0) extra += 1
  return bytes.slice(extra - zeros)
}
