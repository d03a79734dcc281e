import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from '../../base/environment.js'
import { Secret } from '../../base/secret.js'

export type KeyKind = 'secret' | 'public'
export type KeyFormat = { kind: KeyKind; mode: Mode }

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const shape = new RegExp(`^(sk|pk)_(test|live)_[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** 190 random bits, and a checksum that catches typing mistakes. */
export function makeKey({ kind, mode }: KeyFormat): Secret {
  const start = `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`
  // Unlike a modulo of random bytes, randomInt makes every character equally likely.
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)])
  const body = start + random.join('')
  return new Secret(body + checksum(body))
}

/** Kind and mode of a key, or undefined for a text that is not one. */
export function parseKey(text: string): KeyFormat | undefined {
  if (!shape.test(text)) return undefined
  if (text.slice(-checksumLength) !== checksum(text.slice(0, -checksumLength))) return undefined
  return {
    kind: text.startsWith('sk') ? 'secret' : 'public',
    mode: text.startsWith('test', 3) ? 'test' : 'live',
  }
}

/** The part of a key that may be shown. Its end is part of the checksum and reveals nothing. */
export function hintOf(key: Secret): string {
  const text = key.reveal()
  return `${text.slice(0, 'sk_test_'.length)}…${text.slice(-4)}`
}

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
