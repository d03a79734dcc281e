import { randomBytes } from 'node:crypto'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { expireAccounts } from '../../src/collections/accounts/end-accounts.js'
import { judgeDueNotices } from '../../src/collections/notices/judge-due-notices.js'
import { createJudgingLane } from '../../src/collections/notices/notice-lanes.js'
import type { WalletRail } from '../../src/collections/ports.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { rescreenPayments } from '../../src/collections/screening/rescreen-payments.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { createSeedSigner, makeMnemonic } from '../../src/rails/solana/keys/seed.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import type { WalletSigner } from '../../src/rails/solana/keys/wallet-signer.js'
import { createSolanaRail, type SolanaRail } from '../../src/rails/solana/rail.js'
import type { Screening } from '../../src/screening/ports.js'
import {
  createCoinMint,
  createLocalnetPayers,
  giveLamports,
} from '../../src/simulation/embedded-chain.js'
import { concludeSweeps } from '../../src/wallets/conclude-sweeps.js'
import { findOurAddresses } from '../../src/wallets/store-wallets.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { watchWallets } from '../../src/wallets/watch-wallets.js'
import { newSecret, noOpenPayouts } from '../rails/solana/rail.js'
import { openChain, type TestChain } from '../simulation/localnet/localnet.js'
import { manualClock } from './clock.js'
import { freshDatabase } from './database.js'
import { type Merchant, openManilla, whenDone } from './open-manilla.js'

/** Longer than a lease and than the poll interval while payments are expected. */
const aWhileMs = 90_000

/** Blocks until finality. */
const untilFinal = 33

type WalletSetup = {
  /** Nodes that the rail uses; by default, the chain's first. */
  endpoints?: (chain: TestChain) => Promise<string[]>
  /** Replaces the payout rail of the service, not that of the worker. */
  served?: (rail: SolanaRail) => PayoutRail
  screening?: Screening
}

/** A service with deposit wallets, shared by a file. The test produces blocks and runs the workers. */
export async function openWithWallets(setup: WalletSetup = {}) {
  const db = await freshDatabase()
  const chain = await openChain()
  // Blocks carry real time, by which lateness is judged.
  const clock = manualClock(new Date())
  const log: string[] = []
  const logger = createLogger('debug', { write: (line) => log.push(line) })
  const signer = createKeySigner(newSecret())
  await giveLamports(chain.url, signer.address)
  const endpoints = (await setup.endpoints?.(chain)) ?? [chain.url]
  const openRail = async (walletSigner: WalletSigner) => {
    const opened = await createSolanaRail({
      nodeUrls: endpoints,
      signer,
      walletSigner,
      clock,
      logger,
      isEmbedded: true,
      network: 'not-mainnet',
      findOurAddresses: (rail, addresses) => findOurAddresses(db, rail, addresses),
      openPayouts: noOpenPayouts,
    })
    whenDone(() => opened.stop())
    return opened
  }
  const rail = await openRail(createSeedSigner(makeMnemonic()))
  const served = setup.served?.(rail) ?? rail
  const wallets = rail.wallets!
  const mint = createCoinMint(chain.url, rail)
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({ test: { chain: served, wallets } }),
    localnetPayers: createLocalnetPayers(chain.url, { waitsForBlock: false }),
    mint,
    ...(setup.screening && { screening: setup.screening }),
  })
  const lane = createJudgingLane({
    connect: () => connect(db.url, 'test deposits'),
    clock,
    rails: new Map(),
    db,
    screening: setup.screening,
  })
  whenDone(() => lane.close())

  const watching = { db, mode: 'test', lane, clock, logger } as const
  const watch = (by: WalletRail = wallets) => watchWallets({ ...watching, rail: by }, clock.now())
  const watchTroubled = (by: WalletRail = wallets) =>
    watchWallets({ ...watching, rail: by, isTroubled: true }, clock.now())
  const sweep = async () => {
    const swept = await sweepWallets({ db, rail: wallets, clock, logger }, clock.now())
    await chain.advance(untilFinal)
    clock.advance(aWhileMs)
    await concludeSweeps({ db, rail: wallets, clock, logger }, clock.now())
    return swept
  }

  return {
    ...service,
    chain,
    clock,
    rail,
    signer,
    openRail,
    wallets,
    lane,
    log,
    logger,
    watch,
    sweep,
    watchTroubled,

    /** Makes everything final and runs every worker. */
    async settle() {
      await chain.advance(untilFinal)
      clock.advance(aWhileMs)
      const now = clock.now()
      await expireAccounts(db, now)
      await watch()
      await judgeDueNotices({ db, rail: wallets.name, lane, logger }, now)
      await rescreenPayments(
        { db, clock, logger, mode: 'test', rails: new Map(), screening: setup.screening },
        now,
      )
      await sendReturns({ db, rail, clock, logger }, now)
      await pollPayouts({ db, rail, clock, logger, follow: followReturns }, now)
    },
  }
}

export type ServiceWithWallets = Awaited<ReturnType<typeof openWithWallets>>

/** A merchant's HTTP calls in test mode. */
export function shopOf({ ask }: ServiceWithWallets, { test }: Merchant) {
  const key = test.secret
  const post = (path: string, body: object, headers = {}) =>
    ask('POST', path, { key, body, headers })
  const get = async (path: string) => (await ask('GET', path, { key })).json.data
  return {
    post,
    get,
    open: async (change: object = {}) =>
      post('/v1/collections/crypto-wallets', {
        merchantReference: 'order-1',
        asset: 'USDC',
        network: 'SOLANA',
        amount: '25',
        ...change,
      }),
    openDedicated: async (externalReference: string) =>
      post('/v1/collections/dedicated-crypto-wallets', { externalReference, network: 'SOLANA' }),
    deposit: (address: string, amount: string, change: object = {}) =>
      post('/v1/test/crypto-deposits', { address, asset: 'USDC', amount, ...change }),
    verify: (reference: string) => get(`/v1/collections/crypto-wallets/${reference}`),
    paymentsOf: async (reference: string) =>
      (await get(`/v1/collections/payments?accountReference=${reference}`)).items,
    eventsOf: async (reference: string): Promise<string[]> => {
      const { items } = await get(`/v1/events?resource=${reference}&limit=100`)
      const events: { type: string; sequence: number }[] = items
      return events.toSorted((one, other) => one.sequence - other.sequence).map(({ type }) => type)
    },
    balance: async (
      asset = 'USDC',
    ): Promise<{ available: string; held: string; pending: string }> => {
      const { items } = await get('/v1/balances')
      return items.find((item: { asset: string }) => item.asset === asset)
    },
  }
}
