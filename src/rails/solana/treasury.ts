import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import {
  type Account,
  type Commitment,
  readAccounts,
  readTokenFields,
  tokenAccountBytes,
} from './accounts.js'
import type { TokenAccount } from './addresses.js'
import type { Endpoints } from './endpoints.js'
import { type Coin, coins, programs } from './programs.js'

/** In lamports and in the smallest units of the coins. */
export type Balances = { SOL: bigint } & Record<Coin, bigint>

/** The hot wallet: what it holds, and what a new token account costs it. */
export class Treasury {
  readonly address: string
  readonly sources: Record<Coin, TokenAccount>
  readonly #endpoints: Endpoints
  readonly #clock: Clock
  #balances: { readAt: number; balances: Balances } | undefined
  #rent: Promise<bigint> | undefined

  constructor(parts: {
    address: string
    sources: Record<Coin, TokenAccount>
    endpoints: Endpoints
    clock: Clock
  }) {
    this.address = parts.address
    this.sources = parts.sources
    this.#endpoints = parts.endpoints
    this.#clock = parts.clock
  }

  async readBalances(commitment: Commitment = 'confirmed'): Promise<Balances> {
    const accounts = coins.map((coin) => this.sources[coin].address)
    const found = await readAccounts(this.#endpoints, [this.address, ...accounts], commitment)
    const [wallet, ...held] = found
    const amounts = coins.map((coin, index) => [coin, amountIn(held[index] ?? null)])
    return { SOL: wallet?.lamports ?? 0n, ...Object.fromEntries(amounts) }
  }

  /**
   * What is there for certain, before what is open is taken off. A payout that has landed is gone
   * from the confirmed balance while it still counts as open; the finalized one has it a little
   * longer. Both are too low at worst, so the larger one is taken.
   */
  async findSpendable(isFresh: boolean): Promise<Balances> {
    const now = this.#clock.elapsedMs()
    const known = this.#balances
    if (known && !isFresh && now - known.readAt < limits.solana.balancesMs) return known.balances
    const [confirmed, finalized] = await Promise.all([
      this.readBalances('confirmed'),
      this.readBalances('finalized'),
    ])
    const larger = (coin: Coin) =>
      finalized[coin] > confirmed[coin] ? finalized[coin] : confirmed[coin]
    const balances = { SOL: confirmed.SOL, USDC: larger('USDC'), USDT: larger('USDT') }
    this.#balances = { readAt: now, balances }
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

function amountIn(account: Account | null): bigint {
  if (account?.owner !== programs.token) return 0n
  return readTokenFields(account).amount
}
