import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'

export const seedBytes = 32

/** Node wants a public key beside the private one, and makes its own all the same. */
const x = Buffer.alloc(seedBytes).toString('base64url')

/** In this form, as reading any other takes twelve times as long. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  const d = Buffer.from(seed).toString('base64url')
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

/** The bare key, which is what chains know it by; of all forms this is by far the fastest. */
export function publicBytesOf(privateKey: KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url')
}

/** A new key in the 64 bytes that Solana's tools keep: the seed, then the public key. */
export function makeKeyBytes(): Buffer {
  const seed = randomBytes(seedBytes)
  return Buffer.concat([seed, publicBytesOf(privateKeyOf(seed))])
}
