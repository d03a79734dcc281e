import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instruction, KeyPairSigner } from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import type { Rpc } from '../simulation/localnet/localnet.js'
import {
  lifetime,
  newPayer,
  sign,
  transferInstructions,
  unchecked,
} from '../simulation/localnet/transfers.js'
import type { Random } from '../support/seed.js'
import { amounts, type Coin, type PlannedWallet } from './deposit-shops.js'
import { type Answer, apiOf, type Site } from './storm-site.js'

type Order = { wallet: PlannedWallet; asset: Coin; amount: string }

/** A part of a running sweep. */
export type Sweeping = { address: string; asset: Coin; amount: string }

const payerCount = 4

/** Not done, or unknown: retry with the same key. */
const isPassing = ({ status }: Answer) => status === 409 || status >= 500

/** Payers that deposit over HTTP, once per key, or directly on the chain. */
export class Payers {
  readonly orders = new Map<string, Order>()
  readonly answers = new Map<string, Answer>()
  readonly open = new Set<string>()
  /** Running sweeps: an equal deposit at this moment is the hardest case. */
  sweeping: Sweeping[] = []
  readonly own: KeyPairSigner[] = []
  #transactions = 0

  constructor(
    private readonly random: Random,
    private readonly wallets: PlannedWallet[],
  ) {}

  async equip(chain: Rpc): Promise<void> {
    for (let number = 0; number < payerCount; number += 1) this.own.push(await newPayer(chain))
  }

  /** Runs until stopped, with a growing quota of HTTP deposits. */
  run(site: Site, { connections, wanted }: { connections: number; wanted: number }) {
    let isOver = false
    const work = async (number: number) => {
      while (!isOver) {
        await sleep(this.random.integer(0, 100))
        if (number < this.own.length) await this.#payAlone(site, this.own[number]!)
        else if (this.answers.size < wanted) await this.#pay(site, this.#pickKey())
      }
    }
    const working = Array.from({ length: connections }, (_, number) => work(number))
    return {
      async stop() {
        isOver = true
        await Promise.all(working)
      },
    }
  }

  /** Without faults. */
  async retryOpen(site: Site): Promise<void> {
    for (const key of [...this.open]) while (!this.answers.has(key)) await this.#pay(site, key)
  }

  /** Keys whose answer differs from the first one. */
  async findChanged(site: Site, count: number): Promise<string[]> {
    const some = this.random.shuffle([...this.answers]).slice(0, count)
    const again = await Promise.all(some.map(([key]) => this.#ask(site, key)))
    return some
      .filter(([, { text }], index) => again[index]?.text !== text || !again[index].isReplayed)
      .map(([key]) => key)
  }

  async #pay(site: Site, key: string): Promise<void> {
    const answer = await this.#ask(site, key)
    if (answer?.status === 201) {
      this.answers.set(key, answer)
      this.open.delete(key)
      return
    }
    assert(!answer || isPassing(answer), `no other answer: ${answer?.text}`)
    this.open.add(key)
    await sleep(5)
  }

  #ask({ baseUrl }: Site, key: string): Promise<Answer | undefined> {
    const { wallet, asset, amount } = this.orders.get(key)!
    const body = { address: wallet.address, asset, amount }
    return apiOf(baseUrl, wallet.shop.secretKey).post('/v1/test/crypto-deposits', key, body)
  }

  /** A new key, or one without an answer, used by one caller at a time. */
  #pickKey(): string {
    const [old] = this.open
    if (old !== undefined && this.random.integer(1, 3) === 1) {
      this.open.delete(old)
      return old
    }
    const key = `deposit ${this.orders.size}`
    this.orders.set(key, this.#choose())
    return key
  }

  #choose(): Order {
    const { integer, pick } = this.random
    if (this.sweeping.length > 0 && integer(1, 3) === 1) {
      const { address, asset, amount } = pick(this.sweeping)
      return { wallet: this.wallets.find((one) => one.address === address)!, asset, amount }
    }
    const wallet = pick(this.wallets)
    const { expected } = wallet
    if (!expected) return { wallet, asset: pick(['USDC', 'USDT']), amount: pick(amounts) }
    const isOther = integer(1, 20) === 1
    const asset = isOther ? (expected.asset === 'USDC' ? 'USDT' : 'USDC') : expected.asset
    return { wallet, asset, amount: integer(1, 4) === 1 ? pick(amounts) : expected.amount }
  }

  /** A transaction to one or two wallets that may never land. */
  async #payAlone({ chain }: Site, payer: KeyPairSigner): Promise<void> {
    if (this.random.integer(1, 8) > 1) return
    const some = this.wallets.filter(({ expected }) => expected?.asset !== 'USDT')
    const receivers = [this.random.pick(some), this.random.pick(some)]
    const many = receivers.slice(0, this.random.integer(1, 2))
    try {
      const instructions = await Promise.all(many.map((wallet) => this.#transfer(payer, wallet)))
      this.#transactions += 1
      const memo = getAddMemoInstruction({ memo: `alone ${this.#transactions}` })
      const signed = await sign(payer, await lifetime(chain), [memo, ...instructions.flat()])
      await chain.call('sendTransaction', signed.wire, unchecked)
    } catch {
      // the chain refused, lost it or was killed
    }
  }

  async #transfer(payer: KeyPairSigner, { address: to }: PlannedWallet): Promise<Instruction[]> {
    return transferInstructions(payer, to, this.random.pick([50_000n, 1_000_000n]))
  }
}
