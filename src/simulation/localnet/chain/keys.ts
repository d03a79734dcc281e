import { base58 } from '@scure/base'
import { localnetLimits } from '../limits.js'

/**
 * An address, blockhash or signature as a string with one character per byte: a map key without
 * base58, which would take half the time of a transfer.
 */
export type Key = string

export function keyOf(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

export function keyBytesOf(key: Key): Buffer {
  return Buffer.from(key, 'latin1')
}

export function keyFrom(text: string): Key {
  return keyOf(base58.decode(text))
}

const texts = new Map<Key, string>()

/** In base58, cached: mints, programs and treasuries occur in most transactions. */
export function textOf(key: Key): string {
  const known = texts.get(key)
  if (known !== undefined) return known
  if (texts.size >= localnetLimits.namesCachedMax) texts.clear()
  const text = base58.encode(keyBytesOf(key))
  texts.set(key, text)
  return text
}
