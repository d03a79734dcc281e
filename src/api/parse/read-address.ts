import Type from 'typebox'
import { invalidField } from '../../base/refusal.js'
import { addressIssue, addressPattern, findAddressBytes } from '../../money/solana-address.js'

export const solanaAddress = Type.String({
  pattern: addressPattern,
  description: 'Solana wallet address. It has no checksum: many mistyped addresses are valid too.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

/** Checks the format only; the rail checks what the address is. */
export function readAddress(text: string, field: string): string {
  if (findAddressBytes(text)) return text
  throw invalidField(field, addressIssue)
}
