import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { Secret } from '../../base/secret.js'

/** The keys of an endpoint: shared secrets for `v1`, an Ed25519 key for `v1a`. */
export type SigningKeys = { secrets: Buffer[]; privateKey: KeyObject }

export const secretPrefix = 'whsec_'
const publicPrefix = 'whpk_'

export function makeSecret(): Secret {
  return new Secret(secretPrefix + randomBytes(32).toString('base64'))
}

export function makeSigningKey(): { signingKey: Secret; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  // The last 32 bytes of the SPKI form are the raw key, which is what verifiers expect.
  const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const stored = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return { signingKey: new Secret(stored), publicKey: publicPrefix + rawKey.toString('base64') }
}

export function readSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

export function readSigningKey(stored: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' })
}

/** A sealed secret that was rotated, and until when it still signs. */
export type PreviousSecret = { secret: string; until: string }

/** The previous secrets that are still valid, from their stored JSON. */
export function readPreviousSecrets(stored: string, now: Date): PreviousSecret[] {
  if (stored === '[]') return []
  const list = JSON.parse(stored) as PreviousSecret[]
  return list.filter(({ until }) => new Date(until) > now)
}

/** Parses a `whpk_…` key, as merchants do on their side. */
export function readPublicKey(text: string): KeyObject {
  const x = Buffer.from(text.slice(publicPrefix.length), 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/**
 * The Standard Webhooks signature header: a `v1` for every valid secret, so that receivers may have
 * the old or the new one during a rotation, and a `v1a`.
 */
export function signMessage(
  keys: SigningKeys,
  message: { id: string; timestamp: number; body: string },
): string {
  const content = `${message.id}.${message.timestamp}.${message.body}`
  const shared = keys.secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  )
  const asymmetric = `v1a,${sign(null, Buffer.from(content), keys.privateKey).toString('base64')}`
  return [...shared, asymmetric].join(' ')
}
