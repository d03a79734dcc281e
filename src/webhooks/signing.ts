import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { Secret } from '../base/secret.js'

/** What an endpoint signs with: shared secrets for `v1`, an Ed25519 key for `v1a`. */
export type SigningKeys = { secrets: Buffer[]; privateKey: KeyObject }

export const secretPrefix = 'whsec_'
const publicPrefix = 'whpk_'

export function makeSecret(): Secret {
  return new Secret(secretPrefix + randomBytes(32).toString('base64'))
}

export function makeSigningKey(): { signingKey: Secret; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  // The last 32 bytes of this form are the bare key, which is what verifiers expect.
  const bare = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const kept = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return { signingKey: new Secret(kept), publicKey: publicPrefix + bare.toString('base64') }
}

export function readSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

export function readSigningKey(kept: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(kept, 'base64'), format: 'der', type: 'pkcs8' })
}

/** A `whpk_…` key as node reads it; merchants do the same on their side. */
export function readPublicKey(text: string): KeyObject {
  const x = Buffer.from(text.slice(publicPrefix.length), 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/**
 * The header of Standard Webhooks: one `v1` for every secret that is valid now, so that a receiver
 * may hold the old or the new one during a rotation, and one `v1a`.
 */
export function signMessage(
  keys: SigningKeys,
  message: { id: string; timestamp: number; body: string },
): string {
  const content = `${message.id}.${message.timestamp}.${message.body}`
  const shared = keys.secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  )
  const own = `v1a,${sign(null, Buffer.from(content), keys.privateKey).toString('base64')}`
  return [...shared, own].join(' ')
}
