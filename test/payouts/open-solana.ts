import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import { createOpenPayoutTotals } from '../../src/payouts/reconciliation/treasury-books.js'
import { Database } from '../../src/postgres/database.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail, type SolanaRail } from '../../src/rails/solana/rail.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import {
  type CoinMint,
  createPendingMint,
  mintBackings,
} from '../../src/simulation/test-funding.js'
import { findOurAddresses } from '../../src/wallets/store-wallets.js'
import { noOpenPayouts } from '../rails/solana/rail.js'
import { type Rpc, rpcAt, startChain, type TestChain } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet, tokenAccountOf } from '../simulation/localnet/transfers.js'
import { manualClock } from '../support/clock.js'
import { openManilla } from '../support/open-manilla.js'
import { expectAllProofs } from '../support/sound-books.js'

/** The service on the localnet, with a worker that polls only when a test calls `poll`. */

const path = '/v1/disbursements/crypto'
const silent = createLogger('silent')

export type Line = { signature: string; err: unknown; memo: string | null }

/** Longer than a lease, so that every claimed attempt is due again. */
export const aWhileMs = 10 * 60_000

/** Blocks until a landed transaction is final. */
export const untilFinal = 33
/** Blocks until a transaction signed now can no longer land, and every node knows. */
export const untilGone = 150 + 2 * untilFinal

export type Options = {
  slotMs?: number
  /** Nodes that the rail uses; by default, the chain's first. */
  endpoints?: (chain: TestChain) => Promise<string[]>
  /** Counts open payouts against the treasury. Needs a database of its own. */
  isCounting?: boolean
  /** Mints nothing before `mintFunding`. */
  mintsLate?: boolean
  /** Replaces the rail of the service, not that of the worker. */
  served?: (rail: SolanaRail) => PayoutRail
}

export const brokenMint: CoinMint = {
  mintAll: () => Promise.reject(new Error('the mint is closed')),
}

/** Everything but the database belongs to the test and is closed with it. */
export async function openSolanaService(db: Database, options: Options = {}) {
  const chain = await startChain({ slotMs: options.slotMs ?? 0 })
  const clock = manualClock()
  const signer = createKeySigner(new Secret(makeKey()))
  await giveLamports(chain.url, signer.address)
  const endpoints = (await options.endpoints?.(chain)) ?? [chain.url]
  const log: string[] = []
  const logger = createLogger('debug', { write: (line) => log.push(line) })
  const treasury = { treasuryAddress: signer.address }
  const mint = createCoinMint(chain.url, treasury, { waitsForBlock: Boolean(options.slotMs) })
  const serviceMint = options.mintsLate ? brokenMint : mint
  const openRail = (urls: string[]) =>
    createSolanaRail({
      nodeUrls: urls,
      signer,
      clock,
      logger,
      isEmbedded: true,
      network: 'not-mainnet',
      findOurAddresses: (rail, addresses) => findOurAddresses(db, rail, addresses),
      openPayouts: options.isCounting ? createOpenPayoutTotals(db, 'test') : noOpenPayouts,
      mintPending: createPendingMint({ db, mint: serviceMint, logger }),
    })
  const rail = await openRail(endpoints)
  onTestFinished(() => rail.stop())
  const served = options.served?.(rail) ?? rail
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({ test: { chain: served } }),
    mint: serviceMint,
  })
  const key = service.merchant.test.secret
  let count = 0

  const get = async (where: string) => (await service.ask('GET', where, { key })).json.data
  const find = (reference: string) => get(`${path}/${reference}`)

  return {
    chain,
    clock,
    rail,
    service,
    log,
    openRail,
    find,

    async fund(amount: string, asset = 'USDC') {
      return service.ask('POST', '/v1/test/balances/fund', { key, body: { asset, amount } })
    },

    /** Mints what was funded; it counts after another block. */
    async mintFunding() {
      await mintBackings({ db, mint })
      await chain.advance()
    },

    /** A minute later, when what the rail caches has expired. */
    async pay(wallet: string, change: object = {}, idempotencyKey = `key ${count++}`) {
      clock.advance(60_000)
      const headers = { 'idempotency-key': idempotencyKey }
      const body = {
        amount: '25.50',
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: wallet,
        ...change,
      }
      return service.ask('POST', path, { key, headers, body })
    },

    /** What a worker does, with every open payout due. */
    async poll(tools: { db?: Database; rail?: PayoutRail } = {}) {
      clock.advance(aWhileMs)
      return pollPayouts({ db, rail, clock, logger: silent, ...tools }, clock.now())
    },

    async balances(asset = 'USDC'): Promise<{ available: string; held: string }> {
      const { items } = await get('/v1/balances')
      return items.find((item: { asset: string }) => item.asset === asset)
    },

    async eventsOf(reference: string): Promise<string[]> {
      const { items } = await get(`/v1/events?resource=${reference}`)
      return items.map(({ type }: { type: string }) => type).toReversed()
    },

    landings: (reference: string) => landingsOf(chain, rail, reference),

    /** The payout is confirmed, and happened once on the chain, in the books and in the events. */
    async expectPaidOnce(reference: string, wallet: string, balance: { available: string }) {
      const { status, transactionSignature } = await find(reference)
      expect(status).toBe('CONFIRMED')
      expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
      const landed = await landingsOf(chain, rail, reference)
      expect(landed).toMatchObject([{ signature: transactionSignature, err: null }])
      expect(await this.balances()).toMatchObject({ ...balance, held: '0' })
      const types = ['crypto_transfer.submitted', 'crypto_transfer.confirmed']
      expect(await this.eventsOf(reference)).toEqual(types)
      await expectAllProofs(db)
    },

    /** The payout failed: nothing arrived, and all money was released once. */
    async expectNotPaid(reference: string, wallet: string, balance: { available: string }) {
      expect((await find(reference)).status).toBe('FAILED')
      expect(await balanceOf(chain, wallet)).toBe(0n)
      const landed = await landingsOf(chain, rail, reference)
      expect(landed.filter(({ err }) => err === null)).toEqual([])
      expect(await this.balances()).toMatchObject({ ...balance, held: '0' })
      const types = ['crypto_transfer.submitted', 'crypto_transfer.failed']
      expect(await this.eventsOf(reference)).toEqual(types)
      await expectAllProofs(db)
    },
  }
}

/** With 100 USDC in the books and in the treasury, and a wallet to pay. */
export async function openFundedService(db: Database, options?: Options) {
  const solana = await openSolanaService(db, options)
  await solana.fund('100')
  await solana.mintFunding()
  return { ...solana, wallet: (await newWallet()) as string }
}

/** Transactions that moved the treasury's coins with the reference of the payout. */
async function landingsOf(chain: Rpc, rail: SolanaRail, reference: string): Promise<Line[]> {
  const account = await tokenAccountOf(rail.treasuryAddress)
  const lines = await chain.call<Line[]>('getSignaturesForAddress', account, {
    commitment: 'confirmed',
  })
  return lines.filter(({ memo }) => memo?.includes(reference))
}

/** The pool of another worker. */
export function openPool(db: Database): Database {
  const pool = new Database(db.url, () => {})
  onTestFinished(() => pool.close())
  return pool
}

/** Opens another node of the chain, with faults of its own. */
export async function openNode(chain: TestChain, ...rules: object[]): Promise<Rpc> {
  const { url } = await chain.call<{ url: string }>('localnet_openNode', { rules })
  return rpcAt(url)
}

/** As Solana's tools store keys: the bare keys are the last bytes of these encodings. */
function makeKey(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return JSON.stringify([...seed, ...address])
}
