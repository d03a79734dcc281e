import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import type {
  HistoryRange,
  LiveSweep,
  SweepRequest,
  TokenHistory,
  TokenTransaction,
  Wallet,
  WalletRail,
} from '../../../src/collections/ports.js'
import type { Coin } from '../../../src/money/assets.js'
import type {
  AttemptFinding,
  Destination,
  LiveAttempt,
  PayoutInstruction,
  PayoutRail,
  PreparedAttempt,
} from '../../../src/payouts/ports.js'
import type { CoinMint } from '../../../src/simulation/test-funding.js'
import { type Draws, drawsFor } from './draws.js'
import type { Faults } from './faults.js'
import { createReach, type Life, type Reach } from './outside.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

const second = 1_000
const blockMs = 400

/** Blocks after which a block cannot be replaced. */
const blocksToFinality = 32

/** Blocks in which a signed transaction can land. */
const validBlocks = 150

type Effect =
  | { kind: 'payout'; reference: string; asset: string; amount: bigint; address: string }
  | { kind: 'sweep'; reference: string; parts: { tokenAccount: string; amount: bigint }[] }
  | { kind: 'deposit'; tokenAccount: string; amount: bigint; sender: string }

type Transaction = {
  token: string
  effect: Effect
  /** Null: it does not expire. */
  validUntil: number | null
  /** Height of its block; null: it is in none. */
  height: number | null
  /** Height at which a fork removes its block; null: no fork does. */
  forkedAt: number | null
  state: 'open' | 'landed' | 'failed'
  /** It will fail when it lands. */
  isDoomed: boolean
}

export type Deposit = {
  /** As the service names the payment. */
  id: string
  wallet: string
  asset: Coin
  amount: bigint
  receivedAt: Date
}

export type ChainPayout = Extract<Effect, { kind: 'payout' }> & { token: string }

type ChainDependencies = {
  seed: number
  time: VirtualTime
  faults: Faults
  violations: Violations
}

/**
 * A chain in memory, seen through a rail that believes the majority of three nodes. Blocks can be
 * replaced until they are final. It keeps what really happened, and every effect once.
 */
export class SimulatedChain {
  readonly deposits = new Map<string, Deposit>()
  /** Landed payouts by our reference. */
  readonly payouts = new Map<string, ChainPayout>()
  /** Payouts by our reference of which an attempt landed and failed. */
  readonly failedPayouts = new Set<string>()
  /** Coins that were minted to the treasury, by the key of the mint. */
  readonly minted = new Map<string, { asset: string; amount: bigint }>()
  /** What the treasury has of each coin. */
  readonly treasury = new Map<string, bigint>()
  readonly mints: Record<Coin, string> = {
    USDC: addressOf('mint USDC'),
    USDT: addressOf('mint USDT'),
  }
  readonly #transactions = new Map<string, Transaction>()
  readonly #open = new Set<Transaction>()
  readonly #histories = new Map<string, TokenTransaction[]>()
  /** Wallet and coin of each token account. */
  readonly #owners = new Map<string, { wallet: string; asset: Coin }>()
  readonly #dependencies: ChainDependencies
  readonly #draws: Draws
  #signatures = 0

  constructor(dependencies: ChainDependencies) {
    this.#dependencies = dependencies
    this.#draws = drawsFor(dependencies.seed, 'chain')
  }

  get #height(): number {
    return this.#heightAt(this.#dependencies.time.nowMs)
  }

  #heightAt(ms: number): number {
    return Math.floor((ms - this.#dependencies.time.startedAt.getTime()) / blockMs) + 1_000
  }

  #timeOf(height: number): Date {
    return new Date(this.#dependencies.time.startedAt.getTime() + (height - 1_000) * blockMs)
  }

  /** Whether transactions are in blocks that are not final. */
  get isBusy(): boolean {
    this.#progress()
    return [...this.#open].some(({ height }) => height !== null)
  }

  prepare(effect: Effect): PreparedAttempt {
    this.#signatures += 1
    const seed = `${this.#dependencies.seed} signature ${this.#signatures}`
    const token = base58.encode(createHash('sha512').update(seed).digest())
    const validUntil = this.#height + validBlocks
    return {
      token,
      wire: Buffer.from(writeEffect(effect)),
      validUntil: BigInt(validUntil),
      signedSlot: BigInt(this.#height),
    }
  }

  /** A transaction lands at most once, however often it is sent. */
  receive({ token, wire, validUntil }: PreparedAttempt): void {
    this.#progress()
    const known = this.#transactions.get(token)
    const transaction = known ?? {
      token,
      effect: readEffect(wire.toString()),
      validUntil: Number(validUntil),
      height: null,
      forkedAt: null,
      state: 'open',
      isDoomed: this.#draws.chance(0.03),
    }
    if (writeEffect(transaction.effect) !== wire.toString())
      this.#dependencies.violations.report(`chain: ${token} was sent with another content`)
    this.#transactions.set(token, transaction)
    // Nodes drop some transactions without a word.
    if (transaction.state === 'open' && transaction.height === null && !this.#draws.chance(0.03))
      this.#include(transaction, this.#drawDelay())
  }

  /** Some wait with a node almost until they expire; no block shows them before. */
  #drawDelay(): number {
    return this.#draws.integer(1, this.#draws.chance(0.1) ? validBlocks : 8)
  }

  /** Puts a transaction into a block, if it is still valid there. */
  #include(transaction: Transaction, delayBlocks: number): void {
    const { faults } = this.#dependencies
    const height = this.#height + delayBlocks
    if (transaction.validUntil !== null && height > transaction.validUntil) return
    transaction.height = height
    transaction.forkedAt = faults.strikes('chain forked')
      ? height + this.#draws.integer(1, blocksToFinality - 1)
      : null
    this.#open.add(transaction)
  }

  /** Removes what forks removed, then makes final what is old enough, in the order of the blocks. */
  #progress(): void {
    const height = this.#height
    for (const transaction of this.#open) {
      if (transaction.forkedAt === null || transaction.forkedAt > height) continue
      transaction.height = null
      transaction.forkedAt = null
      this.#open.delete(transaction)
      // The payer's wallet sends a deposit again; so do the nodes with some other transactions.
      if (transaction.effect.kind === 'deposit' || this.#draws.chance(0.5))
        this.#include(transaction, this.#drawDelay())
    }
    const final = [...this.#open]
      .filter((transaction) => transaction.height! + blocksToFinality <= height)
      .sort((one, other) => one.height! - other.height!)
    for (const transaction of final) {
      this.#open.delete(transaction)
      this.#conclude(transaction)
    }
  }

  #conclude(transaction: Transaction): void {
    const { effect, token } = transaction
    const height = transaction.height!
    if (effect.kind === 'deposit') {
      this.#move(transaction, effect.tokenAccount, effect.amount, effect.sender)
      const { wallet, asset } = this.#owners.get(effect.tokenAccount)!
      const id = `${token}:${effect.tokenAccount}`
      const { amount } = effect
      this.deposits.set(id, { id, wallet, asset, amount, receivedAt: this.#timeOf(height) })
      transaction.state = 'landed'
      return
    }
    const isShort =
      effect.kind === 'sweep' &&
      effect.parts.some(({ tokenAccount, amount }) => this.balanceOf(tokenAccount) < amount)
    transaction.state = transaction.isDoomed || isShort ? 'failed' : 'landed'
    if (effect.kind === 'payout') this.#pay(transaction, effect)
    else if (transaction.state === 'landed')
      for (const { tokenAccount, amount } of effect.parts) {
        this.#move(transaction, tokenAccount, -amount, null)
        this.#addToTreasury(this.#owners.get(tokenAccount)!.asset, amount)
      }
  }

  #pay({ token, state }: Transaction, effect: Extract<Effect, { kind: 'payout' }>): void {
    const { reference } = effect
    if (state === 'failed') {
      this.failedPayouts.add(reference)
      return
    }
    if (this.payouts.has(reference) || this.failedPayouts.has(reference))
      this.#dependencies.violations.report(`chain: ${reference} was paid after it had ended`)
    this.payouts.set(reference, { ...effect, token })
    this.#addToTreasury(effect.asset, -effect.amount)
  }

  #addToTreasury(asset: string, amount: bigint): void {
    this.treasury.set(asset, (this.treasury.get(asset) ?? 0n) + amount)
  }

  #move(
    { token, height }: Transaction,
    tokenAccount: string,
    change: bigint,
    sender: string | null,
  ): void {
    const history = this.#histories.get(tokenAccount) ?? []
    this.#histories.set(tokenAccount, history)
    history.push({
      signature: token,
      slot: BigInt(height!),
      at: this.#timeOf(height!),
      change,
      left: this.balanceOf(tokenAccount) + change,
      sender,
      memo: null,
    })
  }

  balanceOf(tokenAccount: string): bigint {
    return this.#histories.get(tokenAccount)?.at(-1)?.left ?? 0n
  }

  find({ token, validUntil }: PreparedAttempt): AttemptFinding {
    this.#progress()
    const transaction = this.#transactions.get(token)
    const disputedBy = this.#dependencies.faults.strikes('node lying') ? ['node-3'] : []
    if (transaction?.state === 'landed') return { state: 'landed', disputedBy }
    if (transaction?.state === 'failed')
      return { state: 'failed', reason: 'chain_error', disputedBy }
    const isInBlock = transaction?.height != null && transaction.height <= this.#height
    if (isInBlock) return { state: 'pending', disputedBy }
    const isExpired = this.#height - blocksToFinality > Number(validUntil)
    return { state: isExpired ? 'gone' : 'unseen', disputedBy }
  }

  deriveWallet(number: number): Wallet {
    const wallet = addressOf(`${this.#dependencies.seed} wallet ${number}`)
    const tokenAccounts = { USDC: addressOf(`${wallet} USDC`), USDT: addressOf(`${wallet} USDT`) }
    for (const asset of ['USDC', 'USDT'] as const)
      this.#owners.set(tokenAccounts[asset], { wallet, asset })
    return { address: wallet, tokenAccounts }
  }

  /** A payer sends coins. They count when their block is final. */
  deposit(wallet: string, asset: Coin, amount: bigint): void {
    this.#signatures += 1
    const token = base58.encode(
      createHash('sha512')
        .update(`${this.#dependencies.seed} deposit ${this.#signatures}`)
        .digest(),
    )
    const transaction: Transaction = {
      token,
      effect: {
        kind: 'deposit',
        tokenAccount: addressOf(`${wallet} ${asset}`),
        amount,
        sender: addressOf('payer'),
      },
      validUntil: null,
      height: null,
      forkedAt: null,
      state: 'open',
      isDoomed: false,
    }
    this.#transactions.set(token, transaction)
    this.#include(transaction, 1)
  }

  /** A node that lags or lies hides the newest transactions, and the rail notices that. */
  readHistory({ tokenAccount, after, afterSlot, since }: HistoryRange): TokenHistory | Error {
    this.#progress()
    const history = this.#histories.get(tokenAccount) ?? []
    const { faults } = this.#dependencies
    const known = history.findIndex(({ signature }) => signature === after)
    const bySlot = history.findIndex(({ slot }) => slot > (afterSlot ?? -1n))
    const afterKnown = known >= 0 ? known + 1 : bySlot < 0 ? history.length : bySlot
    const recent = history.findIndex(({ at }) => since !== undefined && at! >= since)
    const first = recent >= 0 ? Math.min(recent, afterKnown) : afterKnown
    if (!faults.strikes('node lying')) return { moves: history.slice(first), unreadable: [] }
    const isUnreadable = faults.drawsOf('node lying').chance(0.3)
    if (isUnreadable) return new Error('the nodes do not agree')
    return { moves: history.slice(first, -1), unreadable: [], isPartial: true }
  }

  pollAmount({ address, amount }: { address: string; amount: bigint }): bigint | null {
    this.#progress()
    const { faults } = this.#dependencies
    if (!faults.strikes('node lying')) return this.balanceOf(address)
    return faults.drawsOf('node lying').chance(0.5) ? amount : null
  }

  readAmount(tokenAccount: string): bigint | null {
    this.#progress()
    return this.#dependencies.faults.strikes('node lying') ? null : this.balanceOf(tokenAccount)
  }

  /** Once for each key. */
  mint({ key, asset, amount }: { key: string; asset: string; amount: bigint }): void {
    const known = this.minted.get(key)
    if (known && (known.amount !== amount || known.asset !== asset))
      this.#dependencies.violations.report(`chain: ${key} was minted with two amounts`)
    if (known) return
    this.minted.set(key, { asset, amount })
    this.#addToTreasury(asset, amount)
  }

  /** Coins in deposit wallets. No deposit is so small that it stays there. */
  listUnswept(): { wallet: string; asset: Coin; amount: bigint }[] {
    return [...this.#histories.keys()]
      .map((tokenAccount) => ({
        ...this.#owners.get(tokenAccount)!,
        amount: this.balanceOf(tokenAccount),
      }))
      .filter(({ amount }) => amount > 0n)
  }

  /** The chain as one process reaches it. */
  connect(life: Life) {
    const { faults, time } = this.#dependencies
    const reach = createReach(life, faults, time)
    return {
      payoutRail: toPayoutRail(this, reach),
      walletRail: toWalletRail(this, reach),
      coinMint: toCoinMint(this, reach),
    }
  }
}

export function addressOf(name: string): string {
  return base58.encode(createHash('sha256').update(name).digest())
}

/** Paying these costs the creation of a token account. */
export function needsTokenAccount(address: string): boolean {
  return address.charCodeAt(0) % 2 === 0
}

const name = 'simulated-chain'

function toPayoutRail(chain: SimulatedChain, reach: Reach): PayoutRail {
  return {
    name,
    takesBatches: true,
    checkAfterMs: 15 * second,
    inspect: async (targets) =>
      targets.map(({ destination }) => ({
        destination,
        extraFees: needsTokenAccount(addressIn(destination)) ? ['crypto_account_creation'] : [],
      })),
    prepare: async (instructions) =>
      instructions.map((instruction) => chain.prepare(toPayout(instruction))),
    async send(attempts: LiveAttempt[]) {
      for (const attempt of attempts) await reach(() => chain.receive(attempt))
    },
    check: (attempts) => reach(() => attempts.map((attempt) => chain.find(attempt))),
  }
}

function toPayout({ reference, asset, amount, destination }: PayoutInstruction): Effect {
  return { kind: 'payout', reference, asset, amount, address: addressIn(destination) }
}

function addressIn(destination: Destination): string {
  if (destination.kind !== 'wallet') throw new Error('the chain pays to wallets')
  return destination.address
}

function toWalletRail(chain: SimulatedChain, reach: Reach): WalletRail {
  return {
    name,
    mints: chain.mints,
    partsPerSweep: 5,
    isChainKnown: async () => true,
    deriveWallets: async (numbers) => numbers.map((number) => chain.deriveWallet(number)),
    pollAmounts: (accounts) => reach(() => accounts.map((account) => chain.pollAmount(account))),
    readAmounts: (accounts) => reach(() => accounts.map((account) => chain.readAmount(account))),
    readMoves: (ranges) => reach(() => ranges.map((range) => chain.readHistory(range))),
    findStrayTokens: async () => [],
    prepareSweeps: async (requests) => requests.map((request) => chain.prepare(toSweep(request))),
    async sendSweeps(sweeps: LiveSweep[]) {
      for (const sweep of sweeps) await reach(() => chain.receive(sweep))
    },
    checkSweeps: (sweeps) => reach(() => sweeps.map((sweep) => chain.find(sweep))),
  }
}

function toCoinMint(chain: SimulatedChain, reach: Reach): CoinMint {
  return {
    mintAll: (backings) =>
      reach(() => {
        for (const backing of backings) chain.mint(backing)
      }),
  }
}

function toSweep({ reference, parts }: SweepRequest): Effect {
  const moved = parts.map(({ tokenAccount, amount }) => ({ tokenAccount, amount }))
  return { kind: 'sweep', reference, parts: moved }
}

function writeEffect(effect: Effect): string {
  return JSON.stringify(effect, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

function readEffect(text: string): Effect {
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  )
}
