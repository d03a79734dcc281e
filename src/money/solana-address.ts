import { base58 } from '@scure/base'

const addressBytes = 32

/** The bytes of a valid address. Addresses have no checksum, so most typos are valid too. */
export function findAddressBytes(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined
  const bytes = base58.decode(text)
  return bytes.length === addressBytes ? bytes : undefined
}
