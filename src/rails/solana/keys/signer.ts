import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { base58 } from '@scure/base'
import { Secret } from '../../../base/secret.js'
import { privateKeyOf, publicBytesOf, seedBytes } from '../../ed25519.js'

/** Holds the treasury's key, in this process, another one or on another machine. */
export type Signer = {
  readonly address: string
  /** Signatures in the order of the messages. Throws when it cannot sign all of them. */
  sign(messages: Uint8Array[]): Promise<Uint8Array[]>
  stop?(): Promise<void>
}

/** Reads a key file of Solana's tools: a JSON list of 64 bytes, seed and public key. */
export function openKeyFile(path: string): Signer {
  return createKeySigner(new Secret(readFileSync(path, 'utf8')))
}

/**
 * Signs in this process with a secret in base58 (as wallets export it) or in key file format.
 * Throws when it is neither or its two halves do not match, without quoting the secret.
 */
export function createKeySigner(secret: Secret): Signer {
  const bytes = readSecret(secret)
  const seed = bytes.subarray(0, seedBytes)
  const key = privateKeyOf(seed)
  const address = publicBytesOf(key)
  if (!address.equals(bytes.subarray(seedBytes)))
    throw new Error('the treasury key is damaged: its two halves do not match')
  return {
    address: base58.encode(address),
    // On other threads, so that signing does not delay other requests.
    sign: (messages) => Promise.all(messages.map((message) => signAside(message, key))),
  }
}

function signAside(message: Uint8Array, key: crypto.KeyObject): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    crypto.sign(null, message, key, (error, signature) => {
      if (error) reject(error)
      else resolve(signature)
    })
  })
}

function readSecret(secret: Secret): Buffer {
  const bytes = decode(secret.reveal().trim())
  if (bytes?.length !== 2 * seedBytes)
    throw new Error('the treasury key must be 64 bytes, in base58 or as a JSON list')
  return Buffer.from(bytes)
}

/** Swallows errors: their messages would quote the secret. */
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
