import { decodeBase58 } from './base58.js'

const addressBytes = 32

/** The bytes of a valid address. Addresses have no checksum, so most typos are valid too. */
export function findAddressBytes(text: string): Uint8Array | undefined {
  if (text.length < 32 || text.length > 44) return undefined
  const bytes = decodeBase58(text)
  return bytes?.length === addressBytes ? bytes : undefined
}
