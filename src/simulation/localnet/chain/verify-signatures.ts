import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { localnetLimits } from '../limits.js'
import type { Wire } from '../server/wire.js'
import { type Key, keyBytesOf } from './keys.js'

const publicKeys = new Map<Key, KeyObject>()

/**
 * Verifies all required signatures off the main thread; in the VM this would take nearly half the
 * time of a transfer.
 */
export async function verifySignatures(transaction: Wire): Promise<boolean> {
  const { bytes, messageOffset, signatureCount, keys } = transaction
  const message = bytes.subarray(messageOffset)
  const first = messageOffset - 64 * signatureCount
  const checks = Array.from({ length: signatureCount }, (_, index) => {
    const start = first + 64 * index
    return verifyOne(message, keys[index]!, bytes.subarray(start, start + 64))
  })
  return (await Promise.all(checks)).every((isValid) => isValid)
}

function verifyOne(message: Buffer, signer: Key, signature: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    verify(null, message, publicKeyOf(signer), signature, (error, isValid) => {
      resolve(!error && isValid)
    })
  })
}

function publicKeyOf(signer: Key): KeyObject {
  const known = publicKeys.get(signer)
  if (known) return known
  const x = keyBytesOf(signer).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  if (publicKeys.size >= localnetLimits.namesCachedMax) publicKeys.clear()
  publicKeys.set(signer, key)
  return key
}
