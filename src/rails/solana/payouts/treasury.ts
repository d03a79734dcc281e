import type { Clock } from '../../../base/clock.js'
import { limits } from '../../../base/limits.js'
import { type Coin, coins } from '../../../money/assets.js'
import type { OpenPayoutList } from '../../../payouts/reconciliation/treasury-books.js'
import {
  type ChainAccount,
  readAccountsAt,
  readTokenFields,
  tokenAccountBytes,
} from '../accounts.js'
import type { TokenAddress } from '../addresses.js'
import { programs } from '../programs.js'
import type { RpcNodes } from '../rpc/nodes.js'
import { findConfirmed } from './find-confirmed.js'

export type Balances = { SOL: bigint } & Record<Coin, bigint>

const noneOpen: OpenPayoutList = { total: 0n, largest: [] }

/** The treasury is the hot wallet: its balances, and the rent of a token account. */
export class SolanaTreasury {
  readonly address: string
  readonly sources: Record<Coin, TokenAddress>
  readonly #nodes: RpcNodes
  readonly #clock: Clock
  #recent: { readAt: number; balances: Balances } | undefined
  #rent: Promise<bigint> | undefined

  constructor(parts: {
    address: string
    sources: Record<Coin, TokenAddress>
    nodes: RpcNodes
    clock: Clock
  }) {
    this.address = parts.address
    this.sources = parts.sources
    this.#nodes = parts.nodes
    this.#clock = parts.clock
  }

  async readBalances(): Promise<Balances> {
    return (await this.#read()).balances
  }

  /** At commitment `confirmed`, with the slot. */
  async #read(): Promise<{ balances: Balances; slot: bigint }> {
    const addresses = [this.address, ...coins.map((coin) => this.sources[coin].address)]
    const { accounts, slot } = await readAccountsAt(this.#nodes, addresses, 'confirmed')
    const [wallet, ...tokenAccounts] = accounts
    const amounts = coins.map((coin, index) => [coin, amountIn(tokenAccounts[index] ?? null)])
    return { balances: { SOL: wallet?.lamports ?? 0n, ...Object.fromEntries(amounts) }, slot }
  }

  /**
   * Balances up to `limits.solana.balanceCacheMs` old. Minus all open payouts they are never too
   * high, and often too low: a payout that was confirmed in the meantime is still open until it is
   * finalized.
   */
  async readRecentBalances(): Promise<Balances> {
    const now = this.#clock.elapsedMs()
    const recent = this.#recent
    if (recent && now - recent.readAt < limits.solana.balanceCacheMs) return recent.balances
    const balances = await this.readBalances()
    this.#recent = { readAt: now, balances }
    return balances
  }

  /**
   * The exact free balance: the confirmed balance minus the open payouts that it does not reflect.
   * It reflects a payout that landed, well or not, in a block up to the balance's slot.
   *
   * The order of the reads matters: the caller lists the open payouts, then we read the balance,
   * then the signature statuses. So a payout that
   *
   * - lands before the balance is read is reflected, and not subtracted;
   * - lands after it is in a newer block, and is subtracted;
   * - is settled in the meantime was listed as open and has landed: not subtracted;
   * - the nodes do not know, or that is not listed, is subtracted to be safe.
   */
  async readFree(open: Partial<Record<Coin, OpenPayoutList>>): Promise<Balances> {
    const { balances, slot } = await this.#read()
    for (const coin of coins) {
      const { total, largest } = open[coin] ?? noneOpen
      const confirmed = await findConfirmed(this.#nodes, largest, slot)
      balances[coin] -= total - confirmed.reduce((sum, { amount }) => sum + amount, 0n)
    }
    return balances
  }

  /** Read from the chain: rent is a chain parameter and can change. */
  rentOfTokenAccount(): Promise<bigint> {
    if (this.#rent) return this.#rent
    const rent = this.#nodes
      .call<number | string>('getMinimumBalanceForRentExemption', tokenAccountBytes)
      .then(BigInt)
    this.#rent = rent
    rent.catch(() => {
      this.#rent = undefined
    })
    return rent
  }
}

function amountIn(account: ChainAccount | null): bigint {
  if (account?.owner !== programs.token) return 0n
  return readTokenFields(account).amount
}
