import { getAddressComparator } from '@solana/kit'
import { limits } from '../../../base/limits.js'
import type { Coin } from '../../../money/assets.js'
import { findAddressBytes } from '../../../money/solana-address.js'
import { BoundedMap } from '../../bounded-map.js'
import { bytesOf, deriveTokenAccount, type TokenAddress } from '../addresses.js'
import { isOnCurve } from '../on-curve.js'
import { type Mints, programs } from '../programs.js'

/** What is the same in every payout to a wallet. */
export type WalletRecipient = {
  wallet: { bytes: Uint8Array; address: string }
  /** False for program-derived addresses, which have no private key. */
  isOnCurve: boolean
  tokenAccount: TokenAddress
  /**
   * Where its two addresses stand among the others of a compiled message. Recipients with the same
   * layout share a template (template.ts): kit sorts the addresses of a message as strings, so the
   * recipient's own addresses decide the positions of all.
   */
  layout: string
}

const otherAddresses = [
  programs.system,
  programs.token,
  programs.associatedToken,
  programs.memo,
  programs.computeBudget,
]

/** Cached: deriving a token account takes as long as signing. */
export class Recipients {
  readonly #mints: Mints
  readonly #sources: Record<Coin, TokenAddress>
  readonly #cache = new BoundedMap<string, WalletRecipient>(limits.solana.recipientsCachedMax)
  readonly #compare = getAddressComparator()

  constructor(mints: Mints, sources: Record<Coin, TokenAddress>) {
    this.#mints = mints
    this.#sources = sources
  }

  /** Undefined when the text is not an address. */
  find(coin: Coin, address: string): WalletRecipient | undefined {
    const key = `${coin}:${address}`
    const cached = this.#cache.find(key)
    if (cached) return cached
    const bytes = findAddressBytes(address)
    if (!bytes) return undefined
    const recipient = this.#derive(coin, { address, bytes })
    this.#cache.set(key, recipient)
    return recipient
  }

  #derive(coin: Coin, wallet: WalletRecipient['wallet']): WalletRecipient {
    const { address, bytes } = wallet
    const mint = this.#mints[coin]
    const tokenAccount = deriveTokenAccount(bytes, bytesOf(mint))
    const isBefore = this.#compare(tokenAccount.address, this.#sources[coin].address) < 0
    const position = [mint, ...otherAddresses].filter(
      (other) => this.#compare(other, address) < 0,
    ).length
    return {
      wallet,
      isOnCurve: isOnCurve(bytes),
      tokenAccount,
      layout: `${isBefore ? 'before' : 'after'}:${position}`,
    }
  }
}
