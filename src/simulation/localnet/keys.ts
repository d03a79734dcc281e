import { base58 } from '@scure/base'
import { localnetLimits } from './limits.js'

/**
 * An address, a blockhash or a signature as a string with one character per byte: it serves as the
 * key of a map without the cost of base58, which would be half of what a transfer takes.
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

/** As people write it. Mints, programs and treasuries come again and again, so it remembers. */
export function textOf(key: Key): string {
  const known = texts.get(key)
  if (known !== undefined) return known
  if (texts.size >= localnetLimits.namesRemembered) texts.clear()
  const text = base58.encode(keyBytesOf(key))
  texts.set(key, text)
  return text
}
