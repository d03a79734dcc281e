import { getAddressComparator } from '@solana/kit'
import { limits } from '../../base/limits.js'
import type { Coin } from '../../money/assets.js'
import { findAddressBytes } from '../../money/solana-address.js'
import { bytesOf, deriveTokenAccount, type TokenAddress } from './addresses.js'
import { BoundedMap } from './bounded-map.js'
import { isOnCurve } from './on-curve.js'
import { type Mints, programs } from './programs.js'

/** A wallet as far as a payout to it is the same each time. */
export type Recipient = {
  wallet: { bytes: Uint8Array; address: string }
  /** Otherwise it was derived by a program, and nobody can hold its key. */
  isOnCurve: boolean
  tokenAccount: TokenAddress
  /** Where its two addresses stand in a compiled message; kit sorts addresses as texts. */
  layout: string
}

const others = [
  programs.system,
  programs.token,
  programs.associatedToken,
  programs.memo,
  programs.computeBudget,
]

/** Finding a token account costs as much as signing does, so it remembers. */
export class Recipients {
  readonly #mints: Mints
  readonly #sources: Record<Coin, TokenAddress>
  readonly #known = new BoundedMap<string, Recipient>(limits.solana.recipients)
  readonly #compare = getAddressComparator()

  constructor(mints: Mints, sources: Record<Coin, TokenAddress>) {
    this.#mints = mints
    this.#sources = sources
  }

  /** Nothing, if the text is no address. */
  find(coin: Coin, address: string): Recipient | undefined {
    const key = `${coin}:${address}`
    const known = this.#known.find(key)
    if (known) return known
    const bytes = findAddressBytes(address)
    if (!bytes) return undefined
    const recipient = this.#describe(coin, { address, bytes })
    this.#known.set(key, recipient)
    return recipient
  }

  #describe(coin: Coin, wallet: Recipient['wallet']): Recipient {
    const { address, bytes } = wallet
    const mint = this.#mints[coin]
    const tokenAccount = deriveTokenAccount(bytes, bytesOf(mint))
    const isBefore = this.#compare(tokenAccount.address, this.#sources[coin].address) < 0
    const place = [mint, ...others].filter((other) => this.#compare(other, address) < 0).length
    return {
      wallet,
      isOnCurve: isOnCurve(bytes),
      tokenAccount,
      layout: `${isBefore ? 'before' : 'after'}:${place}`,
    }
  }
}
