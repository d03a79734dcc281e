import { strict as assert } from 'node:assert'
import * as crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { base58 } from '@scure/base'
import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Secret } from '../../base/secret.js'
import { privateKeyOf, publicBytesOf } from '../ed25519.js'
import type { WalletSigner } from './wallet-signer.js'

/** A node of the tree of keys: the key, and what its children are mixed with. */
type Branch = { key: Buffer; chainCode: Buffer }

const keyBytes = 32
const entropyBits = 256
const firstHardened = 0x80000000
/** The way of all wallets of this chain, as far as it is the same for each of them. */
const commonPath = [44, 501]

/** Twenty-four words that nobody has seen before. */
export function makeMnemonic(): Secret {
  return new Secret(generateMnemonic(wordlist, entropyBits))
}

/** A file with the words of a seed. */
export function openSeedFile(path: string): WalletSigner {
  return createSeedSigner(new Secret(readFileSync(path, 'utf8')))
}

/**
 * Signs in this process, with the keys that wallets derive from the words: SLIP-0010, all hardened,
 * m/44'/501'/n'/0'. Throws without a word of them when they are no mnemonic.
 */
export function createSeedSigner(mnemonic: Secret): WalletSigner {
  const common = new Secret(toText(deriveCommon(mnemonic)))
  const keyOf = (number: number) => {
    assert(Number.isInteger(number) && number >= 0 && number < firstHardened, 'a number of a key')
    return privateKeyOf([number, 0].reduce(deriveHardened, toBranch(common.reveal())).key)
  }
  const addressOf = (key: crypto.KeyObject) => base58.encode(publicBytesOf(key))
  return {
    deriveAddresses: async (numbers) => numbers.map((number) => addressOf(keyOf(number))),
    sign: async (orders) =>
      orders.map(({ number, wallet, message }) => {
        const key = keyOf(number)
        if (addressOf(key) !== wallet)
          throw new Error(`the seed derives another wallet than ${wallet} as number ${number}`)
        return crypto.sign(null, message, key)
      }),
  }
}

function deriveCommon(mnemonic: Secret): Branch {
  const words = mnemonic.reveal().trim().toLowerCase().split(/\s+/).join(' ')
  // What goes wrong is not passed on: the message would quote the words.
  if (!validateMnemonic(words, wordlist))
    throw new Error('the seed of the wallets must be a BIP-39 mnemonic of 12 to 24 English words')
  // As BIP-39 has it, without a passphrase. JavaScript took a tenth of a second of every start.
  const seed = crypto.pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512')
  const root = mixIn('ed25519 seed', seed)
  return commonPath.reduce(deriveHardened, root)
}

function deriveHardened({ key, chainCode }: Branch, number: number): Branch {
  const data = Buffer.alloc(1 + keyBytes + 4)
  data.set(key, 1)
  data.writeUInt32BE(firstHardened + number, 1 + keyBytes)
  return mixIn(chainCode, data)
}

function mixIn(chainCode: string | Buffer, data: Uint8Array): Branch {
  return cut(crypto.createHmac('sha512', chainCode).update(data).digest())
}

function cut(bytes: Buffer): Branch {
  return { key: bytes.subarray(0, keyBytes), chainCode: bytes.subarray(keyBytes) }
}

function toText({ key, chainCode }: Branch): string {
  return Buffer.concat([key, chainCode]).toString('hex')
}

function toBranch(text: string): Branch {
  return cut(Buffer.from(text, 'hex'))
}
