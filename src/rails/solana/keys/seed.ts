import { strict as assert } from 'node:assert'
import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { base58 } from '@scure/base'
import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Secret } from '../../../base/secret.js'
import { privateKeyOf, publicBytesOf } from '../../ed25519.js'
import type { WalletSigner } from './wallet-signer.js'

type ExtendedKey = { key: Buffer; chainCode: Buffer }

const keyBytes = 32
const entropyBits = 256
const firstHardened = 0x80000000
/** m/44'/501', the common prefix of all wallets. */
const commonPath = [44, 501]

export function makeMnemonic(): Secret {
  return new Secret(generateMnemonic(wordlist, entropyBits))
}

export function openSeedFile(path: string): WalletSigner {
  return createSeedSigner(new Secret(readFileSync(path, 'utf8')))
}

/**
 * Signs in this process with keys derived from a mnemonic: SLIP-0010, m/44'/501'/n'/0'. Throws when
 * the mnemonic is invalid, without quoting it.
 */
export function createSeedSigner(mnemonic: Secret): WalletSigner {
  const common = new Secret(toHex(deriveCommon(mnemonic)))
  const keyOf = (number: number) => {
    assert(
      Number.isInteger(number) && number >= 0 && number < firstHardened,
      'a wallet number is between 0 and 2^31 - 1',
    )
    return privateKeyOf([number, 0].reduce(deriveHardened, fromHex(common.reveal())).key)
  }
  const addressOf = (key: crypto.KeyObject) => base58.encode(publicBytesOf(key))
  return {
    deriveAddresses: async (numbers) => numbers.map((number) => addressOf(keyOf(number))),
    sign: async (requests) =>
      requests.map(({ number, wallet, message }) => {
        const key = keyOf(number)
        if (addressOf(key) !== wallet)
          throw new Error(
            `the seed derives another address than ${wallet} for wallet number ${number}`,
          )
        return crypto.sign(null, message, key)
      }),
  }
}

function deriveCommon(mnemonic: Secret): ExtendedKey {
  const words = mnemonic.reveal().trim().toLowerCase().split(/\s+/).join(' ')
  // Do not pass on the library's error: it would quote the words.
  if (!validateMnemonic(words, wordlist))
    throw new Error('the wallet seed must be a BIP-39 mnemonic of 12 to 24 English words')
  // BIP-39 without a passphrase. The JavaScript implementation would add 100 ms to every start.
  const seed = crypto.pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512')
  const root = derive('ed25519 seed', seed)
  return commonPath.reduce(deriveHardened, root)
}

function deriveHardened({ key, chainCode }: ExtendedKey, number: number): ExtendedKey {
  const data = Buffer.alloc(1 + keyBytes + 4)
  data.set(key, 1)
  data.writeUInt32BE(firstHardened + number, 1 + keyBytes)
  return derive(chainCode, data)
}

function derive(chainCode: string | Buffer, data: Uint8Array): ExtendedKey {
  return split(crypto.createHmac('sha512', chainCode).update(data).digest())
}

function split(bytes: Buffer): ExtendedKey {
  return { key: bytes.subarray(0, keyBytes), chainCode: bytes.subarray(keyBytes) }
}

function toHex({ key, chainCode }: ExtendedKey): string {
  return Buffer.concat([key, chainCode]).toString('hex')
}

function fromHex(hex: string): ExtendedKey {
  return split(Buffer.from(hex, 'hex'))
}
