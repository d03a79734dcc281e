import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import type { Secret } from './secret.js'

/** Cryptography with the installation's secret. Each use has its own derived key. */
export type Seal = {
  /** A keyed hash, for values that are looked up but never read back. */
  hash(text: string): Buffer
  seal(text: string): string
  open(sealed: string): string
}

export function createSeal(secret: Secret): Seal {
  // A key object is prepared once; a buffer would be prepared again for every request.
  const hashKey = createSecretKey(derive(secret, 'hash'))
  const sealKey = derive(secret, 'seal')
  return {
    hash: (text) => createHmac('sha256', hashKey).update(text).digest(),
    seal(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
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
