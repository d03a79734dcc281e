import { strict as assert } from 'node:assert'
import { after, hour } from '../../../../src/base/clock.js'
import { fromWire } from '../../../../src/money/amounts.js'
import type { Coin } from '../../../../src/money/assets.js'
import type { TestChain } from '../../../simulation/localnet/localnet.js'
import { newWallet, tokenAccountOf, usdc, usdt } from '../../../simulation/localnet/transfers.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { toAmounts } from './collecting.js'
import { merchantOf } from './merchant.js'

/** What wallets expect, in USDC. The fee of a deposit is 0.5 %. */
const expectedCoins = '25'
/** So that refunds can be paid although a fee was charged. */
const fundedCoins = '10'

type Commitment = 'processed' | 'finalized'

const mints = { USDC: usdc, USDT: usdt }

/** `session`: the checkout session that it belongs to, and the session's account at the bank. */
type Wallet = {
  reference: string
  address: string
  session?: { reference: string; virtualAccount: string }
}
type Payment = { reference: string; status: string }

export type Depositor = Awaited<ReturnType<typeof openDepositor>>

/** A merchant with wallets on the chain, and its payers. */
async function openDepositor(world: World) {
  const merchant = merchantOf(world)
  const paymentsInto = async ({ reference }: Wallet): Promise<Payment[]> => {
    const path = `/v1/collections/payments?accountReference=${reference}&limit=100`
    return (await merchant.get(path)).items.toReversed()
  }
  const send = (address: string, amount: string, asset: Coin = 'USDC') =>
    world.outside.deposit({ address, asset, amount: fromWire(amount, asset) })
  const coinsAt = (owner: string, asset: Coin = 'USDC', commitment: Commitment = 'processed') =>
    readCoins(world.outside.chain!, { owner, asset, commitment })

  return {
    ...merchant,
    /** A wallet that only gets what is returned to it. */
    payee: { address: await newWallet() },
    openWallet: (): Promise<Wallet> =>
      merchant.post('/v1/collections/crypto-wallets', {
        merchantReference: 'order-1',
        asset: 'USDC',
        network: 'SOLANA',
        amount: expectedCoins,
        expiresAt: after(world.clock.now(), 23 * hour).toISOString(),
      }),
    openDedicated: (): Promise<Wallet> =>
      merchant.post('/v1/collections/dedicated-crypto-wallets', {
        externalReference: 'customer-1',
        network: 'SOLANA',
      }),
    /** Can be paid with coins or naira. */
    async openSession(): Promise<Wallet> {
      const session = await merchant.post('/v1/checkout/sessions', {
        amount: 500_000,
        description: 'Two loaves of agege bread',
        customer: { name: 'Ada Obi', email: 'ada@example.com' },
        crypto: { asset: 'USDC', network: 'SOLANA', amount: expectedCoins },
        expiresAt: after(world.clock.now(), 23 * hour).toISOString(),
      })
      const { cryptoWallet, crypto } = session
      return { reference: cryptoWallet, address: crypto.address, session }
    },
    send,
    coinsAt,
    /** Waits until the deposit is known and swept. */
    async deposit(wallet: Wallet, amount: string, asset: Coin = 'USDC'): Promise<void> {
      const known = (await paymentsInto(wallet)).length
      // Payments of one millisecond are listed in any order.
      world.clock.advance(1)
      await send(wallet.address, amount, asset)
      await world.untilQuiet(
        async () =>
          (await paymentsInto(wallet)).length > known &&
          (await coinsAt(wallet.address, asset)) === 0n,
      )
    },
    /** Oldest first. */
    paymentsInto,
    resolve: (reference: string, body: object) =>
      merchant.post(`/v1/collections/payments/${reference}/resolve`, body),
    refund: (reference: string, body: object) =>
      merchant.post(`/v1/collections/payments/${reference}/refund`, body),
  }
}

async function readCoins(
  chain: TestChain,
  { owner, asset, commitment }: { owner: string; asset: Coin; commitment: Commitment },
): Promise<bigint> {
  const account = await tokenAccountOf(owner, mints[asset])
  const { result } = await chain.request('getTokenAccountBalance', account, { commitment })
  return BigInt(result?.value.amount ?? 0)
}

type Amounts = { accepted?: string; held?: string; returned?: string; fee?: string }

/** Of a coin that the wallet is not for. */
type OtherDeposit = { asset: string; units: string; reason: string }

type Ending = {
  wallet: string
  walletEvents: string[]
  /** Of each payment, by status: its amounts, and the events of the payment itself. */
  payments: (Amounts & { status: string; events?: string[] })[]
  /** Of USDC, and of USDT if named. */
  balance: { available: string; pending?: string; usdt?: string }
  session?: { status: string; events: string[]; accountEvents: string[] }
  /** What has arrived at the payee, in millionths of USDC. */
  arrivedUnits?: bigint
  otherDeposits?: OtherDeposit[]
}

/** A way of coins into a wallet, and perhaps back. */
type DepositPath = {
  name: string
  /** By default, a wallet that expects `expectedCoins`. */
  open?(depositor: Depositor): Promise<Wallet>
  /** Whether faults strike already while the wallet is opened. */
  opensInRun?: boolean
  run(depositor: Depositor, wallet: Wallet, world: World): Promise<void>
  ends: Ending
}

export function depositPath(chain: TestChain, path: DepositPath): Path {
  const { ends, opensInRun = false, open = (depositor) => depositor.openWallet() } = path
  return definePath({
    name: path.name,
    settings: { bank: 'sandbox', chain },
    async prepare(world) {
      const depositor = await openDepositor(world)
      await depositor.post('/v1/test/balances/fund', { asset: 'USDC', amount: fundedCoins })
      const wallet = opensInRun ? undefined : await open(depositor)
      return { depositor, wallet }
    },
    async run(world, prepared) {
      const { depositor } = prepared
      prepared.wallet ??= await open(depositor)
      await path.run(depositor, prepared.wallet, world)
    },
    async check(_world, { depositor, wallet }) {
      assert(wallet)
      await checkWallet(depositor, wallet, ends)
      await checkSession(depositor, wallet, ends)
      await checkPayments(depositor, wallet, ends)
      await checkBalances(depositor, ends)
      const { address } = depositor.payee
      assert.equal(await depositor.coinsAt(address), ends.arrivedUnits ?? 0n)
    },
  })
}

async function checkSession(depositor: Depositor, { session }: Wallet, ends: Ending) {
  if (!session) return
  const { status } = await depositor.get(`/v1/checkout/sessions/${session.reference}`)
  const events = await depositor.eventTypes(session.reference)
  const accountEvents = await depositor.eventTypes(session.virtualAccount)
  assert.deepEqual({ status, events, accountEvents }, ends.session)
}

async function checkWallet(depositor: Depositor, { reference }: Wallet, ends: Ending) {
  const kind = reference.startsWith('cw_') ? 'crypto-wallets' : 'dedicated-crypto-wallets'
  const shown = await depositor.get(`/v1/collections/${kind}/${reference}`)
  assert.equal(shown.status, ends.wallet)
  assert.deepEqual(await depositor.eventTypes(reference), ends.walletEvents)
  const others = shown.otherDeposits ?? []
  assert.deepEqual(
    others.map(({ asset, units, reason }: OtherDeposit) => ({ asset, units, reason })),
    ends.otherDeposits ?? [],
  )
}

async function checkPayments(depositor: Depositor, wallet: Wallet, { payments }: Ending) {
  // Deposits in blocks of the same second may be judged in either order.
  const found = (await depositor.paymentsInto(wallet)).toSorted((left, right) =>
    left.status.localeCompare(right.status),
  )
  assert.deepEqual(
    found.map(toAmounts),
    payments.map(({ status, accepted = '0', held = '0', returned = '0', fee = '0' }) => ({
      status,
      accepted,
      held,
      returned,
      fee,
      returning: '0',
    })),
  )
  for (const [index, payment] of found.entries())
    assert.deepEqual(await depositor.eventTypes(payment.reference), payments[index]!.events ?? [])
}

async function checkBalances(depositor: Depositor, { balance }: Ending) {
  const { available, pending = '0', usdt: other = '0' } = balance
  assert.deepEqual(await depositor.balance('USDC'), { available, held: '0', pending })
  assert.deepEqual(await depositor.balance('USDT'), { available: other, held: '0', pending: '0' })
}
