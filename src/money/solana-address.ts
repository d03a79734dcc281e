import { base58 } from '@scure/base'

const addressBytes = 32

/** Base58, in the lengths that 32 bytes can have. */
export const addressPattern = '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
export const addressIssue = 'must be a Solana address: 32 bytes in base58'

/** The bytes of a valid address. Addresses have no checksum, so most typos are valid too. */
export function findAddressBytes(text: string): Uint8Array | undefined {
  if (text.length < 32 || text.length > 44) return undefined
  const bytes = decodeBase58(text)
  return bytes?.length === addressBytes ? bytes : undefined
}

/** Undefined for a text with other characters. */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}
