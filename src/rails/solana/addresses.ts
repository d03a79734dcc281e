import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { isOnCurve } from './on-curve.js'
import { programs } from './programs.js'

export const highestBump = 255

export function bytesOf(address: string): Uint8Array {
  return base58.decode(address)
}

export type TokenAddress = { bytes: Uint8Array; address: string; bump: number }

const seedEnd = [bytesOf(programs.associatedToken), Buffer.from('ProgramDerivedAddress')]
const tokenProgram = bytesOf(programs.token)

/** Where a wallet keeps a coin: the first of the derived addresses that nobody has a key of. */
export function deriveTokenAccount(owner: Uint8Array, mint: Uint8Array): TokenAddress {
  const start = Buffer.concat([owner, tokenProgram, mint])
  for (let bump = highestBump; bump >= 0; bump--) {
    const seeds = Buffer.concat([start, Buffer.from([bump]), ...seedEnd])
    const bytes = createHash('sha256').update(seeds).digest()
    if (!isOnCurve(bytes)) return { bytes, address: base58.encode(bytes), bump }
  }
  throw new Error('no bump is left, which has a chance of one in 2^255')
}
