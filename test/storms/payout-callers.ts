import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/seed.js'
import type { Answer, Site } from './storm-site.js'

const path = '/v1/disbursements/crypto'
const coins = ['USDC', 'USDT'] as const
const unitsPerCoin = 1_000_000n

/** Enough for every payout of the storm with the highest fee. */
const fundings = 5
const dearest = 52

type TransferRequest = {
  amount: string
  asset: string
  network: 'SOLANA'
  destinationAddress: string
}

/** Not done, or unknown: retry with the same key. */
const passing = new Set([409, 503])

/** Requests and answers of one hot merchant's callers, by key. */
export class Callers {
  readonly requests = new Map<string, TransferRequest>()
  readonly answers = new Map<string, Answer>()
  readonly open = new Set<string>()
  /** Requests that were sent and are not answered yet. */
  underWay = 0
  /** Fundings of the merchant in smallest units, without the demo's own. */
  readonly funded = { USDC: 0n, USDT: 0n }
  readonly #random: Random
  readonly #wallets: string[]

  constructor(random: Random, wallets: string[]) {
    this.#random = random
    this.#wallets = wallets
  }

  async fund({ api }: Site, payouts: number): Promise<void> {
    const each = Math.ceil((payouts * dearest) / fundings)
    for (const asset of coins)
      for (let number = 0; number < fundings; number += 1) {
        const body = { asset, amount: `${each}` }
        const answer = await api.post('/v1/test/balances/fund', `fund ${asset} ${number}`, body)
        assert.equal(answer?.status, 201, answer?.text)
        this.funded[asset] += BigInt(each) * unitsPerCoin
      }
  }

  run(site: Site, connections: number): { stop(): Promise<void> } {
    let isOver = false
    const work = async () => {
      while (!isOver) await this.#pay(site, this.#pick())
    }
    const working = Array.from({ length: connections }, work)
    return {
      async stop() {
        isOver = true
        await Promise.all(working)
      },
    }
  }

  /** The reference of an acknowledged payout to this wallet. */
  async payInto(site: Site, wallet: string): Promise<string> {
    const key = `storm into ${wallet}`
    this.requests.set(key, { ...this.#newRequest(), destinationAddress: wallet })
    while (!this.answers.has(key)) {
      this.open.delete(key)
      await this.#pay(site, key)
    }
    return JSON.parse(this.answers.get(key)!.text).data.reference
  }

  /** Without faults; temporary refusals are retried. */
  async retryOpen(site: Site): Promise<void> {
    while (this.open.size > 0) {
      const [key] = this.open
      this.open.delete(key!)
      await this.#pay(site, key!)
    }
  }

  async #pay({ api }: Site, key: string): Promise<void> {
    this.underWay += 1
    const answer = await api.post(path, key, this.requests.get(key)!)
    this.underWay -= 1
    if (answer?.status === 201) {
      this.answers.set(key, answer)
      return
    }
    assert(!answer || passing.has(answer.status), `no other answer: ${answer?.text}`)
    this.open.add(key)
    await sleep(5)
  }

  /** A new key, or one without an answer, used by one caller at a time. */
  #pick(): string {
    const [old] = this.open
    if (old !== undefined && this.#random.integer(1, 3) === 1) {
      this.open.delete(old)
      return old
    }
    const key = `storm ${this.requests.size}`
    this.requests.set(key, this.#newRequest())
    return key
  }

  #newRequest(): TransferRequest {
    const { integer, pick } = this.#random
    const amount = `${integer(0, 49)}.${integer(1, 999_999).toString().padStart(6, '0')}`
    const destinationAddress = pick(this.#wallets)
    return { amount, asset: pick(coins), network: 'SOLANA', destinationAddress }
  }
}
