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

/** The wallet's associated token account: the first derived address that is off the curve. */
export function deriveTokenAccount(owner: Uint8Array, mint: Uint8Array): TokenAddress {
  const start = Buffer.concat([owner, tokenProgram, mint])
  for (let bump = highestBump; bump >= 0; bump--) {
    const seeds = Buffer.concat([start, Buffer.from([bump]), ...seedEnd])
    const bytes = createHash('sha256').update(seeds).digest()
    if (!isOnCurve(bytes)) return { bytes, address: base58.encode(bytes), bump }
  }
  throw new Error('no valid bump found')
}
