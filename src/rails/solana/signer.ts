import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { base58 } from '@scure/base'
import { Secret } from '../../base/secret.js'
import { privateKeyOf, publicBytesOf, seedBytes } from '../ed25519.js'

/** Holds the key of the treasury. May be another process, or another machine. */
export type Signer = {
  readonly address: string
  /** One signature per message, in their order. Throws when it cannot sign all of them. */
  sign(messages: Uint8Array[]): Promise<Uint8Array[]>
  stop?(): Promise<void>
}

/** A key file of Solana's tools: 64 numbers, the seed and then the public key. */
export function openKeyFile(path: string): Signer {
  return createKeySigner(new Secret(readFileSync(path, 'utf8')))
}

/**
 * Signs in this process, with a secret as wallets export it: base58, or the list of a key file.
 * Throws without a word of the secret when it is neither, or when its two halves do not match.
 */
export function createKeySigner(secret: Secret): Signer {
  const bytes = readSecret(secret)
  const seed = bytes.subarray(0, seedBytes)
  const key = privateKeyOf(seed)
  const address = publicBytesOf(key)
  if (!address.equals(bytes.subarray(seedBytes)))
    throw new Error('the key of the treasury is damaged: its two halves do not match')
  return {
    address: base58.encode(address),
    sign: async (messages) => messages.map((message) => crypto.sign(null, message, key)),
  }
}

function readSecret(secret: Secret): Buffer {
  const bytes = decode(secret.reveal().trim())
  const isSound = bytes?.length === 2 * seedBytes
  if (!isSound) throw new Error('the key of the treasury must be 64 bytes, in base58 or as a list')
  return Buffer.from(bytes)
}

/** Whatever goes wrong here must not be told: the message would quote the secret. */
function decode(text: string): ArrayLike<number> | undefined {
  try {
    if (!text.startsWith('[')) return base58.decode(text)
    const list: unknown = JSON.parse(text)
    const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >>> 8 === 0
    return Array.isArray(list) && list.every(isByte) ? list : undefined
  } catch {
    return undefined
  }
}
