import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { base58 } from '@scure/base'

const callers = 8
const pauseMs = { from: 20, to: 200 }
const sandboxBankCode = '058'

/**
 * Callers that write without end: payouts on both rails, and virtual accounts that are paid. Each
 * retries a write until it is acknowledged, and every acknowledgement is recorded.
 */
export class Load {
  /** Every attempt: when it was sent and ended, its status and reason. */
  attempts = []
  /** Acknowledged writes: kind, key, request, first answer and when it was sent and answered. */
  writes = []
  /** Writes that were refused or answered in an unexpected way. */
  refused = []
  #api
  #random
  #kinds
  #wallets
  #count = 0
  #isOver = false
  #working = []

  /** `kinds` name what is written; see `#operations`. */
  constructor(merchant, random, kinds = ['crypto', 'bank', 'payment']) {
    this.#api = merchant.api(({ text: _, ...attempt }) => this.attempts.push(attempt))
    this.#random = random
    this.#kinds = kinds
    this.#wallets = Array.from({ length: 5 }, makeWallet)
  }

  start() {
    this.#working = Array.from({ length: callers }, () => this.#work())
  }

  /** Resolves when every caller has its last write acknowledged. */
  async stop() {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  /** Sends a recorded write again with its key. */
  async replay({ path, key, body }) {
    return this.#api.write(path, key, body)
  }

  writesOf(kind) {
    return this.writes.filter((write) => write.kind === kind)
  }

  async #work() {
    while (!this.#isOver) {
      const kind = this.#random.pick(this.#kinds)
      try {
        await this.#operations[kind](this.#random.integer(1, 999_999))
      } catch (error) {
        this.refused.push(error.message)
      }
      await sleep(this.#random.integer(pauseMs.from, pauseMs.to))
    }
  }

  #operations = {
    crypto: (units) =>
      this.#write('crypto', '/v1/disbursements/crypto', {
        amount: `0.${`${units}`.padStart(6, '0')}`,
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: this.#random.pick(this.#wallets),
      }),
    bank: (amount) =>
      this.#write('bank', '/v1/disbursements/bank-transfer', {
        amount,
        bankCode: sandboxBankCode,
        accountNumber: '0123456789',
      }),
    payment: async (amount) => {
      const merchantReference = `order ${this.#count + 1}`
      const opened = await this.#write('account', '/v1/collections/virtual-accounts', {
        merchantReference,
        amount,
        // Late payments are returned; the drill is about failover, not about lateness.
        expiresAt: new Date(Date.now() + 6 * 3_600_000).toISOString(),
      })
      const { accountNumber } = opened.data
      await this.#write('payment', '/v1/test/bank-transfers', { accountNumber, amount })
    },
    wallet: () =>
      this.#write('wallet', '/v1/collections/crypto-wallets', {
        merchantReference: `wallet ${this.#count + 1}`,
        asset: 'USDC',
        network: 'SOLANA',
        amount: '1',
      }),
  }

  async #write(kind, path, body) {
    this.#count += 1
    const key = `drill ${this.#count}`
    const firstSent = Date.now()
    const { text, endedAt, endTimestamp } = await this.#api.write(path, key, body)
    const { data } = JSON.parse(text)
    const write = { kind, path, key, body, text, data, firstSent, endedAt, endTimestamp }
    this.writes.push(write)
    return write
  }
}

function makeWallet() {
  const { publicKey } = generateKeyPairSync('ed25519')
  return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
}
