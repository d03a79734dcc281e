import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import type { Secret } from './secret.js'

/**
 * Cryptography with the installation's secret. Each use has its own derived key. While the secret
 * is rotated, values of the other secret can be found and opened, too.
 */
export type Seal = {
  /** Identifies the secret without revealing it. */
  fingerprint: Buffer
  /** Undefined when no secret is being replaced. */
  oldFingerprint: Buffer | undefined
  /** A keyed hash, for values that are looked up but never read back. */
  hash(text: string): Buffer
  /** The same with the other secrets of a rotation; empty without one. */
  otherHashes(text: string): OtherHash[]
  seal(text: string): string
  open(sealed: string): string
  /** Seals a value again that another secret sealed; undefined if it needs no change. */
  reseal(sealed: string): string | undefined
}

export type OtherHash = {
  hash: Buffer
  /** Whether it is to be replaced. A hash with the next secret is not. */
  isOld: boolean
}

/** `next` is accepted before it is used, `old` until nothing depends on it. */
export type OtherSecrets = { old?: Secret | undefined; next?: Secret | undefined }

export function createSeal(secret: Secret, { old, next }: OtherSecrets = {}): Seal {
  const current = deriveKeys(secret)
  const others = [
    ...(next ? [{ keys: deriveKeys(next), isOld: false }] : []),
    ...(old ? [{ keys: deriveKeys(old), isOld: true }] : []),
  ]
  function openWithOther(sealed: string, error: unknown): string {
    for (const { keys } of others) {
      try {
        return keys.open(sealed)
      } catch {} // sealed with another secret
    }
    throw error
  }
  return {
    fingerprint: current.hash('fingerprint'),
    oldFingerprint: old && deriveKeys(old).hash('fingerprint'),
    hash: current.hash,
    otherHashes: (text) => others.map(({ keys, isOld }) => ({ hash: keys.hash(text), isOld })),
    seal: current.seal,
    open(sealed) {
      try {
        return current.open(sealed)
      } catch (error) {
        return openWithOther(sealed, error)
      }
    },
    reseal(sealed) {
      try {
        current.open(sealed)
        return undefined
      } catch (error) {
        return current.seal(openWithOther(sealed, error))
      }
    },
  }
}

function deriveKeys(secret: Secret) {
  // A key object is prepared once; a buffer would be prepared again for every request.
  const hashKey = createSecretKey(derive(secret, 'hash'))
  const sealKey = derive(secret, 'seal')
  return {
    hash: (text: string) => createHmac('sha256', hashKey).update(text).digest(),
    seal(text: string) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed: string) {
      const bytes = Buffer.from(sealed, 'base64')
      const cipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, 12))
      cipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8')
    },
  }
}

/** The key with which the sandbox bank of this installation signs its notices. */
export function deriveNoticeKey(secret: Secret): Buffer {
  return derive(secret, 'sandbox notices')
}

function derive(secret: Secret, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret.reveal(), '', `manilla ${use}`, 32))
}
