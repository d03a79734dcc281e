import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { type Coin, coins } from '../../money/assets.js'
import type { OpenPayouts } from '../../payouts/treasury-books.js'
import {
  type ChainAccount,
  readAccountsAt,
  readTokenFields,
  tokenAccountBytes,
} from './accounts.js'
import type { TokenAddress } from './addresses.js'
import type { Endpoints } from './endpoints.js'
import { findLanded } from './find-landed.js'
import { programs } from './programs.js'

/** In lamports and in the smallest units of the coins. */
export type Balances = { SOL: bigint } & Record<Coin, bigint>

const noneOpen: OpenPayouts = { total: 0n, largest: [] }

/** The hot wallet: what it holds, and what a new token account costs it. */
export class SolanaTreasury {
  readonly address: string
  readonly sources: Record<Coin, TokenAddress>
  readonly #endpoints: Endpoints
  readonly #clock: Clock
  #recent: { readAt: number; balances: Balances } | undefined
  #rent: Promise<bigint> | undefined

  constructor(parts: {
    address: string
    sources: Record<Coin, TokenAddress>
    endpoints: Endpoints
    clock: Clock
  }) {
    this.address = parts.address
    this.sources = parts.sources
    this.#endpoints = parts.endpoints
    this.#clock = parts.clock
  }

  async readBalances(): Promise<Balances> {
    return (await this.#read()).balances
  }

  /** Confirmed, and as of which slot. */
  async #read(): Promise<{ balances: Balances; slot: bigint }> {
    const addresses = [this.address, ...coins.map((coin) => this.sources[coin].address)]
    const { accounts, slot } = await readAccountsAt(this.#endpoints, addresses, 'confirmed')
    const [wallet, ...held] = accounts
    const amounts = coins.map((coin, index) => [coin, amountIn(held[index] ?? null)])
    return { balances: { SOL: wallet?.lamports ?? 0n, ...Object.fromEntries(amounts) }, slot }
  }

  /**
   * What was there a moment ago. A payout that landed meanwhile is still open, as it takes longer
   * to be final: less all that is open, this is never too much, and often too little.
   */
  async findRecent(): Promise<Balances> {
    const now = this.#clock.elapsedMs()
    const known = this.#recent
    if (known && now - known.readAt < limits.solana.balancesMs) return known.balances
    const balances = await this.readBalances()
    this.#recent = { readAt: now, balances }
    return balances
  }

  /**
   * What is free to the last unit: the confirmed balance, less those open payouts that are not in
   * it. One that has landed is in it if the block in which it did is not newer than the balance,
   * whether it is final or not, settled in the books or not yet. What it did there is done: one
   * that failed took nothing, and takes nothing any more.
   *
   * Open payouts are given as they were before; the balance is read next, and what landed last:
   *
   * - a payout lands before the balance is read: it is in the balance, and is not taken off;
   * - it lands after: it is not in the balance, its block is newer, and it is taken off;
   * - it is settled meanwhile: it was given as open, has landed, and is not taken off;
   * - the nodes do not know it, or not all that are open were given: it is taken off, to be sure;
   * - coins arrive: they count from the moment they are confirmed, never before.
   */
  async readFree(open: Partial<Record<Coin, OpenPayouts>>): Promise<Balances> {
    const { balances, slot } = await this.#read()
    for (const coin of coins) {
      const { total, largest } = open[coin] ?? noneOpen
      const landed = await findLanded(this.#endpoints, largest, slot)
      balances[coin] -= total - landed.reduce((sum, { amount }) => sum + amount, 0n)
    }
    return balances
  }

  /** Asked of the node, never assumed: it is a parameter of the chain, and may be lowered. */
  rentOfTokenAccount(): Promise<bigint> {
    if (this.#rent) return this.#rent
    const asked = this.#endpoints
      .call<number | string>('getMinimumBalanceForRentExemption', tokenAccountBytes)
      .then(BigInt)
    this.#rent = asked
    asked.catch(() => {
      this.#rent = undefined
    })
    return asked
  }
}

function amountIn(account: ChainAccount | null): bigint {
  if (account?.owner !== programs.token) return 0n
  return readTokenFields(account).amount
}
