import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'

/** Node wants a private key in this envelope. */
const envelope = Buffer.from('302e020100300506032b657004220420', 'hex')

export const seedBytes = 32

export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([envelope, seed]), format: 'der', type: 'pkcs8' })
}

/** The last bytes of this form are the bare key, which is what chains know it by. */
export function publicBytesOf(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return spki.subarray(-seedBytes)
}

/** A new key in the 64 bytes that Solana's tools keep: the seed, then the public key. */
export function makeKeyBytes(): Buffer {
  const seed = randomBytes(seedBytes)
  return Buffer.concat([seed, publicBytesOf(privateKeyOf(seed))])
}
