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
  /** The same for files. */
  sealBytes(bytes: Buffer): Buffer
  openBytes(sealed: Buffer): Buffer
  resealBytes(sealed: Buffer): Buffer | undefined
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
  function openWithOther(sealed: Buffer, error: unknown): Buffer {
    for (const { keys } of others) {
      try {
        return keys.openBytes(sealed)
      } catch {} // sealed with another secret
    }
    throw error
  }
  function openBytes(sealed: Buffer): Buffer {
    try {
      return current.openBytes(sealed)
    } catch (error) {
      return openWithOther(sealed, error)
    }
  }
  function resealBytes(sealed: Buffer): Buffer | undefined {
    try {
      current.openBytes(sealed)
      return undefined
    } catch (error) {
      return current.sealBytes(openWithOther(sealed, error))
    }
  }
  return {
    fingerprint: current.hash('fingerprint'),
    oldFingerprint: old && deriveKeys(old).hash('fingerprint'),
    hash: current.hash,
    otherHashes: (text) => others.map(({ keys, isOld }) => ({ hash: keys.hash(text), isOld })),
    seal: (text) => current.sealBytes(Buffer.from(text)).toString('base64'),
    open: (sealed) => openBytes(Buffer.from(sealed, 'base64')).toString('utf8'),
    reseal: (sealed) => resealBytes(Buffer.from(sealed, 'base64'))?.toString('base64'),
    sealBytes: current.sealBytes,
    openBytes,
    resealBytes,
  }
}

function deriveKeys(secret: Secret) {
  // A key object is prepared once; a buffer would be prepared again for every request.
  const hashKey = createSecretKey(derive(secret, 'hash'))
  const sealKey = derive(secret, 'seal')
  return {
    hash: (text: string) => createHmac('sha256', hashKey).update(text).digest(),
    sealBytes(bytes: Buffer) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      const body = Buffer.concat([cipher.update(bytes), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    openBytes(sealed: Buffer) {
      const cipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, 12))
      cipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([cipher.update(sealed.subarray(28)), cipher.final()])
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
