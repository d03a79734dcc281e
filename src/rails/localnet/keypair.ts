import * as crypto from 'node:crypto'
import { type Key, keyOf } from './keys.js'

/** A key that signs at once: kit's signers are promises, and cost ten times as much. */
export type Keypair = { key: Key; sign(message: Uint8Array): Buffer }

/** Node wants a private key in this envelope. */
const envelope = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The 64 bytes that Solana's tools keep: the seed, then the public key. */
export function createKeypair(): { secret: Buffer } {
  const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { secret: Buffer.concat([seed, address]) }
}

export function openKeypair(secret: Buffer): Keypair {
  const key = crypto.createPrivateKey({
    key: Buffer.concat([envelope, secret.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    key: keyOf(secret.subarray(32)),
    sign: (message) => crypto.sign(null, message, key),
  }
}
