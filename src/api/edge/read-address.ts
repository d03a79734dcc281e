import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { findAddressBytes } from '../../money/solana-address.js'

export const solanaAddress = Type.String({
  maxLength: 100,
  description: 'Solana wallet address. It has no checksum: many mistyped addresses are valid too.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

/** Checks the format only; the rail checks what the address is. */
export function readAddress(text: string, field: string): string {
  if (findAddressBytes(text)) return text
  const issue = 'must be a Solana address: 32 bytes in base58'
  throw new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}
