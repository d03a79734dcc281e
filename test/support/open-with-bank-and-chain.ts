import { randomBytes } from 'node:crypto'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { expireAccounts } from '../../src/collections/accounts/end-accounts.js'
import { judgeDueNotices } from '../../src/collections/notices/judge-due-notices.js'
import { createJudgingLane } from '../../src/collections/notices/notice-lanes.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import type { Database } from '../../src/postgres/database.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { createSeedSigner, makeMnemonic } from '../../src/rails/solana/keys/seed.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import type { Screening } from '../../src/screening/ports.js'
import {
  createCoinMint,
  createLocalnetPayers,
  giveLamports,
} from '../../src/simulation/embedded-chain.js'
import { magicRules } from '../../src/simulation/magic-wallets.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from '../../src/simulation/sandbox-bank/simulated-bank.js'
import { findOurAddresses } from '../../src/wallets/store-wallets.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { watchWallets } from '../../src/wallets/watch-wallets.js'
import { newSecret, noOpenPayouts } from '../rails/solana/rail.js'
import { openChain } from '../simulation/localnet/localnet.js'
import { manualClock } from './clock.js'
import { freshDatabase } from './database.js'
import { inTestMode, type Merchant, openManilla, whenDone } from './open-manilla.js'

/** Blocks until finality. */
const untilFinal = 33

type Options = {
  hasWallets?: boolean
  hasPayouts?: boolean
  /** Blocks carry real time, by which the lateness of deposits is judged. */
  startsAt?: Date
  /** Absent: nothing is screened. */
  screening?: Screening | undefined
}

/**
 * A service with the sandbox bank and a chain with deposit wallets. The test produces blocks and runs
 * the workers.
 */
export async function openWithBankAndChain({
  hasWallets = true,
  hasPayouts,
  startsAt = new Date(),
  screening,
}: Options = {}) {
  const db = await freshDatabase()
  const clock = manualClock(startsAt)
  const logger = createLogger('silent')
  const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
  const { chain, rail, mint } = await openRail(db, clock)
  const wallets = rail.wallets!
  const untilSent = followSends([bank, rail])
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({
      test: {
        payoutBank: bank,
        collectBank: bank,
        chain: rail,
        ...(hasWallets && { wallets }),
      },
    }),
    simulatedRails: [createSimulatedBank(bank)],
    sandboxPayers: bank,
    ...(screening && { screening }),
    ...(hasPayouts && { mint }),
    localnetPayers: createLocalnetPayers(chain.url, { waitsForBlock: false }),
    watched: {
      solana: { test: rail, live: undefined },
      rails: inTestMode(bank),
      treasuries: [{ mode: 'test', rail, floors: {} }],
      floats: [{ bank, floatMin: 0n }],
      chainUrl: chain.url,
    },
  })
  bank.sendNoticesTo(`${service.url}/rails/${bank.name}/notices/test`)
  const lane = createJudgingLane({
    connect: () => connect(db.url, 'test payments'),
    clock,
    rails: new Map([[bank.name, bank]]),
  })
  whenDone(async () => {
    await bank.stop()
    await rail.stop()
    await lane.close()
  })

  /** Runs every worker once. */
  async function work(): Promise<void> {
    const now = clock.now()
    await expireAccounts(db, now)
    await watchWallets({ db, rail: wallets, mode: 'test', lane, clock, logger }, now)
    for (const one of [bank, rail]) {
      await judgeDueNotices({ db, rail: one.name, lane, logger }, now)
      await sendReturns({ db, rail: one, clock, logger }, now)
      await pollPayouts({ db, rail: one, clock, logger, follow: followReturns }, now)
    }
  }

  /** Makes everything on the chain final and polls it. */
  async function settle(): Promise<void> {
    await untilSent()
    await chain.advance(untilFinal)
    clock.advance(2_000)
    await work()
  }

  const sweep = () => sweepWallets({ db, rail: wallets, clock, logger }, clock.now())
  return { ...service, chain, bank, rail, mint, wallets, lane, work, settle, sweep }
}

/** The API answers before it has sent what it committed; a worker that polls earlier finds nothing. */
function followSends(rails: PayoutRail[]): () => Promise<void> {
  const open = new Set<Promise<void>>()
  for (const rail of rails) {
    const send = rail.send.bind(rail)
    rail.send = async (attempts) => {
      const sending = send(attempts)
      open.add(sending)
      await sending.finally(() => open.delete(sending))
    }
  }
  return async () => {
    while (open.size > 0) await Promise.allSettled(open)
  }
}

export type ServiceWithBankAndChain = Awaited<ReturnType<typeof openWithBankAndChain>>

async function openRail(db: Database, clock: ReturnType<typeof manualClock>) {
  const chain = await openChain({ rules: magicRules() })
  const logger = createLogger('silent')
  const signer = createKeySigner(newSecret())
  await giveLamports(chain.url, signer.address)
  const rail = await createSolanaRail({
    nodeUrls: [chain.url],
    signer,
    walletSigner: createSeedSigner(makeMnemonic()),
    clock,
    logger,
    isEmbedded: true,
    network: 'not-mainnet',
    findOurAddresses: (rail, addresses) => findOurAddresses(db, rail, addresses),
    openPayouts: noOpenPayouts,
  })
  const mint = createCoinMint(chain.url, { treasuryAddress: signer.address })
  return { chain, rail, mint }
}

export const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
  crypto: { asset: 'USDC', network: 'SOLANA', amount: '3.20' },
}

/** HTTP calls of a merchant and its payers in test mode. */
export function twoWayShopOf({ ask, clock }: ServiceWithBankAndChain, { test }: Merchant) {
  const key = test.secret
  const post = (path: string, body: object, headers = {}) =>
    ask('POST', path, { key, body, headers })
  const get = async (path: string) => (await ask('GET', path, { key })).json.data
  const look = async (reference: string) =>
    (await ask('GET', `/public/checkout/${reference}`)).json.data
  const soon = () => new Date(clock.now().getTime() + 60_000).toISOString()
  return {
    post,
    get,
    look,
    soon,
    patch: (path: string, body: object) => ask('PATCH', path, { key, body }),
    create: (change: object = {}) => post('/v1/checkout/sessions', { ...order, ...change }),
    /** A session with its payment details. */
    async open(change: object = {}) {
      const { data } = (await post('/v1/checkout/sessions', { ...order, ...change })).json
      const { bankTransfer, crypto } = await look(data.reference)
      const { reference, url, virtualAccount, cryptoWallet } = data
      const { accountNumber: number } = bankTransfer
      const { address } = crypto ?? {}
      return { reference, url, virtualAccount, cryptoWallet, number, address }
    },
    pay: (accountNumber: string, change: object = {}) =>
      post('/v1/test/bank-transfers', { accountNumber, amount: order.amount, ...change }),
    send: (address: string, amount = '3.20', change: object = {}) =>
      post('/v1/test/crypto-deposits', { address, asset: 'USDC', amount, ...change }),
    cancel: (reference: string) => post(`/v1/checkout/sessions/${reference}/cancel`, {}),
    status: async (reference: string): Promise<string> =>
      (await get(`/v1/checkout/sessions/${reference}`)).status,
    account: (reference: string) => get(`/v1/collections/virtual-accounts/${reference}`),
    wallet: (reference: string) => get(`/v1/collections/crypto-wallets/${reference}`),
    paymentsOf: async (reference: string) =>
      (await get(`/v1/collections/payments?accountReference=${reference}`)).items,
    /** Events of a session, oldest first. */
    eventTypesOf: async (reference: string): Promise<string[]> => {
      const { items } = await get('/v1/events?type=checkout.session.*&limit=100')
      const own = items.filter(({ data }: EmittedEvent) => data.reference === reference)
      return inOrder(own)
    },
    eventsOf: async (reference: string): Promise<string[]> => {
      const { items } = await get(`/v1/events?resource=${reference}&limit=100`)
      return inOrder(items)
    },
  }
}

type EmittedEvent = { type: string; sequence: number; data: { reference: string } }

/** Events of one moment are listed in any order. */
function inOrder(events: EmittedEvent[]): string[] {
  return events.toSorted((one, other) => one.sequence - other.sequence).map(({ type }) => type)
}

export type Opened = Awaited<ReturnType<ReturnType<typeof twoWayShopOf>['open']>>
