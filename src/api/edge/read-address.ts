import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { findAddressBytes } from '../../money/solana-address.js'

/** Base58, in the lengths that 32 bytes can have. */
export const addressPattern = '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
export const addressIssue = 'must be a Solana address: 32 bytes in base58'

export const solanaAddress = Type.String({
  pattern: addressPattern,
  description: 'Solana wallet address. It has no checksum: many mistyped addresses are valid too.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

/** Checks the format only; the rail checks what the address is. */
export function readAddress(text: string, field: string): string {
  if (findAddressBytes(text)) return text
  throw new Refusal('validation_failed', {
    message: `${field} ${addressIssue}.`,
    details: [{ field, issue: addressIssue }],
  })
}
