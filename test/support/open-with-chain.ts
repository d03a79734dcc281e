import { randomBytes } from 'node:crypto'
import { createSolanaRpc } from '@solana/kit'
import { newId } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { type CollectionAccount, noAmounts } from '../../src/collections/accounts/account.js'
import {
  insertCollectionAccounts,
  updateCollectionAccounts,
} from '../../src/collections/accounts/store-accounts.js'
import { insertNotices, updateNotices } from '../../src/collections/notices/store-notices.js'
import { type Payment, paymentReference } from '../../src/collections/payments/payment.js'
import { insertPayments } from '../../src/collections/payments/store-payments.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { formatDecimal, parseDecimal } from '../../src/money/amounts.js'
import type { Coin } from '../../src/money/assets.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { createOpenPayoutTotals } from '../../src/payouts/reconciliation/treasury-books.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { magicRules } from '../../src/simulation/magic-wallets.js'
import { SimulatedChain } from '../../src/simulation/simulated-chain.js'
import { createPendingMint } from '../../src/simulation/test-funding.js'
import { findOurAddresses, insertWallets, type NewWallet } from '../../src/wallets/store-wallets.js'
import { newSecret } from '../rails/solana/rail.js'
import { openChain } from '../simulation/localnet/localnet.js'
import { newWallet, tokenAccountOf, usdc, usdt } from '../simulation/localnet/transfers.js'
import { manualClock } from './clock.js'
import { freshDatabase } from './database.js'
import { type Merchant, openManilla, whenDone } from './open-manilla.js'

export const mints = { USDC: usdc, USDT: usdt }

/**
 * A service on the embedded chain that pays out coins. The test produces blocks, advances the clock
 * and runs the workers.
 */
export async function openWithChain() {
  const db = await freshDatabase()
  const clock = manualClock()
  const logger = createLogger('silent')
  const chain = await openChain({ rules: magicRules() })
  const signer = createKeySigner(newSecret())
  await giveLamports(chain.url, signer.address)
  await chain.advance(40)
  const mint = createCoinMint(chain.url, { treasuryAddress: signer.address })
  const rail = await createSolanaRail({
    nodeUrls: [chain.url],
    signer,
    clock,
    logger,
    isEmbedded: true,
    network: 'not-mainnet',
    findOurAddresses: (rail, addresses) => findOurAddresses(db, rail, addresses),
    openPayouts: createOpenPayoutTotals(db, 'test'),
    mintPending: createPendingMint({ db, mint, logger }),
  })
  whenDone(() => rail.stop())
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({ test: { chain: rail } }),
    simulatedRails: [new SimulatedChain(chain.url, rail)],
    mint,
  })

  /** Runs every worker once. */
  async function work(): Promise<void> {
    await sendReturns({ db, rail, clock, logger }, clock.now())
    await pollPayouts({ db, rail, clock, logger, follow: followReturns }, clock.now())
  }

  /** Advances chain and clock and runs the workers. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.advance(1_000)
      await chain.advance(10)
      await work()
    }
  }

  /** Public history and balance of a wallet. */
  async function readWallet(wallet: string, asset: Coin = 'USDC') {
    const rpc = createSolanaRpc(chain.url)
    const account = await tokenAccountOf(wallet, mints[asset])
    const lines = await rpc.getSignaturesForAddress(account).send()
    const balance = await rpc
      .getTokenAccountBalance(account)
      .send()
      .catch(() => undefined)
    return {
      landings: lines.map(({ err, memo }) => ({ err, memo })),
      balance: balance?.value.uiAmountString ?? '0',
    }
  }

  return { ...service, chain, rail, work, pass, readWallet }
}

export type ServiceWithChain = Awaited<ReturnType<typeof openWithChain>>

export type Deposit = {
  asset?: Coin
  /** A decimal string. */
  accepted?: string
  held?: string
  sender?: string | null
  rail?: string
}

/**
 * Inserts a judged deposit: account, payment, notice and ledger rows. Returns the reference of the
 * payment.
 */
export async function deposit(
  service: ServiceWithChain,
  { environments }: Merchant,
  { asset = 'USDC', sender = null, ...sent }: Deposit,
): Promise<string> {
  const at = service.clock.now()
  const units = (text = '0') => (text === '0' ? 0n : (parseDecimal(text, asset) as bigint))
  const places = {
    ...noAmounts,
    amountAccepted: units(sent.accepted),
    amountHeld: units(sent.held),
  }
  const amount = places.amountAccepted + places.amountHeld
  const names = { environmentId: environments.test.id, rail: sent.rail ?? service.rail.name, asset }
  const account = walletOf(at, { ...names, number: await newWallet(), amount })
  const payment: Payment = {
    ...names,
    ...places,
    id: newId(at),
    accountId: account.id,
    source: account.kind,
    railId: `${account.number}:1`,
    amount,
    fee: 0n,
    variance: 'UNDERPAID',
    heldFor: null,
    sender: { address: sender },
    bankSessionId: null,
    splitId: null,
    customerId: null,
    invoiceId: null,
    narration: null,
    eventSequence: 0,
    receivedAt: at,
    createdAt: at,
  }
  await service.db.transaction(async (tx) => {
    await moveAll(tx, at, [toMovement(payment)])
    insertWallets(tx, at, [await toWallet(account)])
    insertCollectionAccounts(tx, new Map(), [account])
    updateCollectionAccounts(tx, [{ ...account, ...places, amountReceived: amount }])
    insertPayments(tx, [payment])
    takeNotice(tx, account, payment)
  })
  return paymentReference(payment)
}

type Wallet = Pick<CollectionAccount, 'environmentId' | 'rail' | 'number'> & {
  asset: Coin
  amount: bigint
}

function walletOf(at: Date, { amount, ...names }: Wallet): CollectionAccount {
  return {
    ...names,
    ...noAmounts,
    railAccount: names.number,
    id: newId(at),
    kind: 'crypto_wallet',
    accountName: '',
    bankCode: '',
    bankName: '',
    amount: 2n * amount,
    merchantReference: 'order-1',
    requestedAmount: formatDecimal(2n * amount, names.asset),
    metadata: toJson({}),
    status: 'ACTIVE',
    variance: 'UNDERPAID',
    amountReceived: 0n,
    eventSequence: 0,
    sessionId: null,
    splitId: null,
    customerId: null,
    invoiceId: null,
    paidAt: null,
    endedAt: null,
    cancellationReason: null,
    customer: null,
    createdAt: at,
    expiresAt: new Date(at.getTime() + 86_400_000),
  }
}

let wallets = 0

async function toWallet({
  rail,
  number: address,
  asset,
  createdAt,
}: CollectionAccount): Promise<NewWallet> {
  const tokenAccounts = {
    USDC: await tokenAccountOf(address, mints.USDC),
    USDT: await tokenAccountOf(address, mints.USDT),
  }
  const names = { rail, number: ++wallets, reference: address, address, tokenAccounts }
  return { ...names, asset: asset as Coin, busyUntil: createdAt }
}

function toMovement({ environmentId, asset, id, ...places }: Payment): Movement {
  const debit = 'deposits' as const
  const lines: Movement['lines'] = [
    { debit, credit: 'available', amount: places.amountAccepted, purpose: 'payment' },
    { debit, credit: 'suspense', amount: places.amountHeld, purpose: 'payment_held' },
  ]
  const moved = lines.filter(({ amount }) => amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: moved }
}

function takeNotice(
  tx: Parameters<typeof insertNotices>[0],
  { railAccount }: CollectionAccount,
  { rail, railId: id, asset, amount, receivedAt }: Payment,
): void {
  const payment = {
    id,
    railAccount,
    amount,
    currency: asset,
    sender: null,
    bankSessionId: null,
    splitId: null,
    customerId: null,
    invoiceId: null,
    narration: null,
    receivedAt,
  }
  const name = { rail, mode: 'test' as const, id }
  insertNotices(tx, { now: receivedAt, dueAt: receivedAt }, [
    { ...name, reported: payment, body: null },
  ])
  updateNotices(tx, [{ ...name, state: 'BOOKED', reason: null, dueAt: receivedAt }])
}

/** A separate merchant with helpers about its coins. */
export async function openCoinDesk(service: ServiceWithChain) {
  const merchant = await service.addMerchant('Ada')
  const key = merchant.test.secret
  const get = async (path: string) => (await service.ask('GET', path, { key })).json.data
  const post = (path: string, body: object, headers = {}) =>
    service.ask('POST', path, { key, body, headers })
  const act = (verb: string) => (reference: string, body: object, headers?: object) =>
    post(`/v1/collections/payments/${reference}/${verb}`, body, headers)
  type Event = { type: string; sequence: number; data: object }
  return {
    merchant,
    post,
    deposit: (change: Deposit) => deposit(service, merchant, change),
    /** Funds the merchant, so that the treasury has coins. */
    fund: (amount: string, asset: Coin = 'USDC') =>
      post('/v1/test/balances/fund', { asset, amount }),
    resolve: act('resolve'),
    refund: act('refund'),
    payment: (reference: string) => get(`/v1/collections/payments/${reference}`),
    returnsOf: async (reference: string) =>
      (await get(`/v1/collections/payments/${reference}/returns`)).items,
    search: async (text: string) => (await get(`/v1/search?q=${text}`)).items,
    events: async (reference: string): Promise<Event[]> => {
      const { items } = await get(`/v1/events?resource=${reference}&limit=100`)
      return items.toSorted((one: Event, other: Event) => one.sequence - other.sequence)
    },
    /** Available, held, pending. */
    sums: async (asset: Coin = 'USDC'): Promise<[string, string, string]> => {
      const { items } = await get('/v1/balances')
      const { available, held, pending } = items.find((one: { asset: Coin }) => one.asset === asset)
      return [available, held, pending]
    },
  }
}

export type CoinDesk = Awaited<ReturnType<typeof openCoinDesk>>
