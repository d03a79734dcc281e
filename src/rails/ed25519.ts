import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'

export const seedBytes = 32

/** Placeholder: Node requires a public key here, but derives its own. */
const x = Buffer.alloc(seedBytes).toString('base64url')

/** Uses JWK: importing any other format takes twelve times as long. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  const d = Buffer.from(seed).toString('base64url')
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

/** The raw 32 bytes. JWK is by far the fastest export format. */
export function publicBytesOf(privateKey: KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url')
}

/** A new key in the 64-byte format of Solana's tools: the seed, then the public key. */
export function makeKeyBytes(): Buffer {
  const seed = randomBytes(seedBytes)
  return Buffer.concat([seed, publicBytesOf(privateKeyOf(seed))])
}
