import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { pollPayouts } from '../../src/payouts/poll-payouts.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import { openCommitments } from '../../src/payouts/treasury-books.js'
import { Database } from '../../src/postgres/database.js'
import { createSolanaRail, type SolanaRail } from '../../src/rails/solana/rail.js'
import { createKeySigner } from '../../src/rails/solana/signer.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { type CoinMint, createFilling, mintBackings } from '../../src/simulation/test-funding.js'
import { nothingPromised } from '../rails/solana/rail.js'
import { type Rpc, rpcAt, startChain, type TestChain } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet, tokenAccountOf } from '../simulation/localnet/transfers.js'
import { manualClock } from '../support/clock.js'
import { openHouse } from '../support/house.js'
import { expectSoundBooks } from '../support/sound-books.js'

/** The service on the embedded chain, with a worker that looks only when a test says so. */

const path = '/v1/disbursements/crypto'
const silent = createLogger('silent')

export type Line = { signature: string; err: unknown; memo: string | null }

/** Longer than a lease, so that whatever was claimed before is due again. */
export const aWhileMs = 10 * 60_000

/** After so many blocks, what landed is final. */
export const untilFinal = 33
/** After so many, what was signed now can never land, and everybody knows. */
export const untilGone = 150 + 2 * untilFinal

export type Options = {
  slotMs?: number
  /** Which nodes the rail talks to; of its own choice, the chain's first. */
  endpoints?: (chain: TestChain) => Promise<string[]>
  /** Whether open payouts count against the treasury: only where the database is the test's own. */
  isCounting?: boolean
  /** Nothing is minted before `back`. */
  mintsLate?: boolean
  /** What the service has in the place of the rail, as one that dies has. */
  served?: (rail: SolanaRail) => PayoutRail
}

export const brokenMint: CoinMint = {
  mintAll: () => Promise.reject(new Error('the mint is closed')),
}

/** Everything but the database is the test's own, and ends with it. */
export async function openSolanaHouse(db: Database, options: Options = {}) {
  const chain = await startChain({ slotMs: options.slotMs ?? 0 })
  const clock = manualClock()
  const signer = createKeySigner(new Secret(makeKey()))
  await giveLamports(chain.url, signer.address)
  const endpoints = (await options.endpoints?.(chain)) ?? [chain.url]
  const log: string[] = []
  const logger = createLogger('debug', { write: (line) => log.push(line) })
  const treasury = { treasuryAddress: signer.address }
  const mint = createCoinMint(chain.url, treasury, { waitsForBlock: Boolean(options.slotMs) })
  const mintOfHouse = options.mintsLate ? brokenMint : mint
  const openRail = (urls: string[]) =>
    createSolanaRail({
      endpoints: urls,
      signer,
      clock,
      logger,
      isEmbedded: true,
      network: 'not-mainnet',
      promised: options.isCounting ? openCommitments(db, 'test') : nothingPromised,
      fill: createFilling({ db, mint: mintOfHouse, logger }),
    })
  const rail = await openRail(endpoints)
  onTestFinished(() => rail.stop())
  const served = options.served?.(rail) ?? rail
  const house = await openHouse({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: { test: { crypto_transfer: served }, live: {} },
    mint: mintOfHouse,
  })
  const key = house.merchant.test.secret
  let count = 0

  const get = async (where: string) => (await house.ask('GET', where, { key })).json.data
  const find = (reference: string) => get(`${path}/${reference}`)

  return {
    chain,
    clock,
    rail,
    house,
    log,
    openRail,
    find,

    async fund(amount: string, asset = 'USDC') {
      return house.ask('POST', '/v1/test/balances/fund', { key, body: { asset, amount } })
    },

    /** What was minted counts once another block has followed. */
    async back() {
      await mintBackings({ db, mint })
      await chain.advance()
    },

    /** A moment later, so that what the rail remembers for a moment is asked anew. */
    async pay(wallet: string, change: object = {}, idempotencyKey = `key ${count++}`) {
      clock.advance(60_000)
      const headers = { 'idempotency-key': idempotencyKey }
      const wish = { amount: '25.50', asset: 'USDC', network: 'SOLANA' }
      const body = { ...wish, destinationAddress: wallet, ...change }
      return house.ask('POST', path, { key, headers, body })
    },

    /** What a worker does, with everything open due. */
    async look(tools: { db?: Database; rail?: PayoutRail } = {}) {
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

    /** It is confirmed, and everything that anybody can see of it happened exactly once. */
    async expectPaidOnce(reference: string, wallet: string, money: { left: string }) {
      const { status, transactionSignature } = await find(reference)
      expect(status).toBe('CONFIRMED')
      expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
      const landed = await landingsOf(chain, rail, reference)
      expect(landed).toMatchObject([{ signature: transactionSignature, err: null }])
      expect(await this.balances()).toMatchObject({ available: money.left, held: '0' })
      const types = ['crypto_transfer.submitted', 'crypto_transfer.confirmed']
      expect(await this.eventsOf(reference)).toEqual(types)
      await expectSoundBooks(db)
    },

    /** It failed for certain: nothing came, and everything was given back, once. */
    async expectNotPaid(reference: string, wallet: string, money: { left: string }) {
      expect((await find(reference)).status).toBe('FAILED')
      expect(await balanceOf(chain, wallet)).toBe(0n)
      const landed = await landingsOf(chain, rail, reference)
      expect(landed.filter(({ err }) => err === null)).toEqual([])
      expect(await this.balances()).toMatchObject({ available: money.left, held: '0' })
      const types = ['crypto_transfer.submitted', 'crypto_transfer.failed']
      expect(await this.eventsOf(reference)).toEqual(types)
      await expectSoundBooks(db)
    },
  }
}

/** A house with a hundred dollars in the books and in the treasury, and somebody to pay. */
export async function openFundedHouse(db: Database, options?: Options) {
  const world = await openSolanaHouse(db, options)
  await world.fund('100')
  await world.back()
  return { ...world, wallet: (await newWallet()) as string }
}

/** What the chain knows of a payout: all that moved the treasury's coins with its name on it. */
async function landingsOf(chain: Rpc, rail: SolanaRail, reference: string): Promise<Line[]> {
  const account = await tokenAccountOf(rail.treasuryAddress)
  const lines = await chain.call<Line[]>('getSignaturesForAddress', account, {
    commitment: 'confirmed',
  })
  return lines.filter(({ memo }) => memo?.includes(reference))
}

/** Another worker's pool. */
export function openPool(db: Database): Database {
  const pool = new Database(db.url, () => {})
  onTestFinished(() => pool.close())
  return pool
}

/** Opens a node beside the chain's first, with faults of its own. */
export async function openNode(chain: TestChain, ...rules: object[]): Promise<Rpc> {
  const { url } = await chain.call<{ url: string }>('localnet_openNode', { rules })
  return rpcAt(url)
}

/** The last bytes of these forms are the bare keys, which is what Solana's tools keep. */
function makeKey(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return JSON.stringify([...seed, ...address])
}
