import * as crypto from 'node:crypto'
import { privateKeyOf, seedBytes } from '../../../rails/ed25519.js'
import { type Key, keyOf } from './keys.js'

/** Signs synchronously: Kit's asynchronous signers cost ten times as much. */
export type Keypair = { key: Key; sign(message: Uint8Array): Buffer }

/** Takes the 64 bytes of a Solana key file. */
export function openKeypair(secret: Buffer): Keypair {
  const key = privateKeyOf(secret.subarray(0, seedBytes))
  return {
    key: keyOf(secret.subarray(seedBytes)),
    sign: (message) => crypto.sign(null, message, key),
  }
}
