import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from '../base/environment.js'
import { Secret } from '../base/secret.js'

export type KeyKind = 'secret' | 'public'
export type KeyFormat = { kind: KeyKind; mode: Mode }

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6
const shape = new RegExp(`^(sk|pk)_(test|live)_[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** 190 bits that nobody can guess, and a checksum that a typing mistake does not survive. */
export function makeKey({ kind, mode }: KeyFormat): Secret {
  const start = `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`
  // randomInt draws again rather than folding the remainder, so every character is equally likely.
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)])
  const body = start + random.join('')
  return new Secret(body + checksum(body))
}

/** What a key says of itself, or undefined for a text that we cannot have issued. */
export function parseKey(text: string): KeyFormat | undefined {
  if (!shape.test(text)) return undefined
  if (text.slice(-checksumLength) !== checksum(text.slice(0, -checksumLength))) return undefined
  return {
    kind: text.startsWith('sk') ? 'secret' : 'public',
    mode: text.startsWith('test', 3) ? 'test' : 'live',
  }
}

/**
 * What a person may see of a key. The end is part of the checksum: it tells keys apart, no more.
 */
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
