import { strict as assert } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { limits } from '../../base/limits.js'
import { assets, type Coin } from '../../money/assets.js'
import { highestBump, type TokenAddress } from './addresses.js'
import { BoundedMap } from './bounded-map.js'
import { compilePayout } from './compile.js'
import type { Mints } from './programs.js'
import type { Recipient } from './recipients.js'

type Template = {
  message: Buffer
  wallet: number
  tokenAccount: number
  blockhash: number
  amount: number
  units: number
  memo: number
}

export type Payable = {
  coin: Coin
  recipient: Recipient
  amount: bigint
  memo: string
  blockhash: Uint8Array
}

export type Payer = {
  treasury: string
  sources: Record<Coin, TokenAddress>
  mints: Mints
  microLamports: bigint
}

/** No field of a message has these values by chance, so they show where the fields are. */
const marks = { amount: 0x1f2e3d4c5b6a7988n, units: 0xa1b2c3d4 }

/** What a payout takes without creating an account, or with one whose address is found at once. */
const baseUnits = 32_000
const unitsPerTry = 1_500

/** The program that creates the account searches its address again, and every try costs units. */
export function unitsFor(bump: number): number {
  return baseUnits + unitsPerTry * (highestBump - bump)
}

/**
 * Writes payouts into copies of messages that kit compiled once: equal to what kit would build,
 * byte for byte, in a hundredth of the time.
 */
export class Templates {
  readonly #payer: Payer
  readonly #known = new BoundedMap<string, Template>(limits.solana.templates)

  constructor(payer: Payer) {
    this.#payer = payer
  }

  write({ coin, recipient, amount, memo, blockhash }: Payable): Buffer {
    const memoBytes = Buffer.byteLength(memo)
    assert(memoBytes > 0 && memoBytes <= limits.solana.memoBytes, 'the memo has a bounded length')
    const template = this.#templateFor(coin, recipient, memoBytes)
    const message = Buffer.from(template.message)
    message.set(recipient.wallet.bytes, template.wallet)
    message.set(recipient.tokenAccount.bytes, template.tokenAccount)
    message.set(blockhash, template.blockhash)
    message.writeBigUInt64LE(amount, template.amount)
    message.writeUInt32LE(unitsFor(recipient.tokenAccount.bump), template.units)
    message.write(memo, template.memo)
    return message
  }

  #templateFor(coin: Coin, recipient: Recipient, memoBytes: number): Template {
    const key = `${coin}:${recipient.layout}:${memoBytes}`
    const known = this.#known.find(key)
    if (known) return known
    const template = this.#compile(coin, recipient, memoBytes)
    this.#known.set(key, template)
    return template
  }

  #compile(coin: Coin, { wallet, tokenAccount }: Recipient, memoBytes: number): Template {
    const { treasury, sources, mints, microLamports } = this.#payer
    const blockhash = randomBytes(32)
    const memo = randomBytes(memoBytes).toString('hex').slice(0, memoBytes)
    const transfer = {
      treasury,
      source: sources[coin].address,
      mint: mints[coin],
      microLamports,
      memo,
      wallet: wallet.address,
      tokenAccount: tokenAccount.address,
      decimals: assets[coin].decimals,
      ...marks,
    }
    const message = compilePayout(transfer, base58.encode(blockhash))
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(marks.amount)
    const units = Buffer.alloc(4)
    units.writeUInt32LE(marks.units)
    return {
      message,
      wallet: findOnly(message, wallet.bytes),
      tokenAccount: findOnly(message, tokenAccount.bytes),
      blockhash: findOnly(message, blockhash),
      amount: findOnly(message, amount),
      units: findOnly(message, units),
      memo: message.lastIndexOf(memo),
    }
  }
}

function findOnly(message: Buffer, part: Uint8Array): number {
  const offset = message.indexOf(part)
  assert(offset >= 0 && message.indexOf(part, offset + 1) < 0, 'a field has one place')
  return offset
}
