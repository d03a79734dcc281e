import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { findAddressBytes } from '../../money/solana-address.js'

export const solanaAddress = Type.String({
  maxLength: 100,
  description: 'A Solana wallet. There is no checksum: half of all typing errors are valid too.',
  examples: ['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
})

/** Thirty-two bytes in base58; what they stand for is for the chain to say. */
export function readAddress(text: string, field: string): string {
  if (findAddressBytes(text)) return text
  const issue = 'must be a Solana address: 32 bytes in base58'
  throw new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}
