import { strict as assert } from 'node:assert'
import { day } from '../../../../src/base/clock.js'
import type { TestChain } from '../../../simulation/localnet/localnet.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { addTeam } from './members.js'
import { merchantOf } from './merchant.js'
import { checkTreasury, cryptoPath, isAllMinted, newWallet, readCoins, toMicro } from './payouts.js'

const fundedNaira = 50_000_000
/** More than a path pays out: the rail checks the hot wallet before a conversion adds to it. */
const fundedCoins = '1000'
/** Blocks until a transaction is final. */
const blocksToFinality = 40

type Merchant = ReturnType<typeof merchantOf>

async function prepare(world: World) {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', fundedNaira)
  await merchant.fund('USDC', fundedCoins)
  await world.untilQuiet(() => isAllMinted(world))
  return { merchant, wallet: newWallet(), reference: '' }
}

/** Conversions add coins to the hot wallet, which no row of money waits for. */
async function untilMinted(world: World): Promise<void> {
  await world.untilQuiet(() => isAllMinted(world))
  await world.outside.chain!.advance(blocksToFinality)
}

async function prepareTeam(world: World) {
  const prepared = await prepare(world)
  const team = await addTeam(world, { each: 1_000_000, appliesTo: 'console', eachUsdc: '10' })
  return { ...prepared, ...team }
}

const readBalances = async (merchant: Merchant) => {
  const [naira, coins] = [await merchant.balance('NGN'), await merchant.balance('USDC')]
  assert.deepEqual([Number(naira.held), Number(coins.held)], [0, 0])
  return { naira: Number(naira.available), coins: toMicro(String(coins.available)) }
}

/** The payout is confirmed, and its wallet has the coins, once. */
async function checkConfirmed(
  world: World,
  { merchant, wallet, reference }: { merchant: Merchant; wallet: string; reference: string },
  events: string[],
) {
  const payout = await merchant.get(`${cryptoPath}/${reference}`)
  assert.equal(payout.status, 'CONFIRMED')
  assert.deepEqual(
    await merchant.eventTypes(reference),
    events.map((name) => `crypto_transfer.${name}`),
  )
  assert.equal(await readCoins(world, wallet), toMicro(payout.amount))
  await checkTreasury(world, toMicro(payout.amount))
  return payout
}

const toTransfer = (destinationAddress: string, amount: string) => ({
  asset: 'USDC',
  network: 'SOLANA',
  destinationAddress,
  amount,
})

/** It is signed when it is approved: a signature expires after a minute. */
const isApproved = (settings: WorldSettings) =>
  definePath({
    name: 'payout in coins is approved',
    settings,
    prepare: prepareTeam,
    async run(_world, prepared) {
      const { ada, bola, wallet } = prepared
      const { reference, orderHash } = await ada.post(cryptoPath, toTransfer(wallet, '25'))
      prepared.reference = reference
      await bola.post(`/v1/disbursements/${reference}/approve`, { orderHash })
    },
    async check(world, prepared) {
      const events = ['pending', 'submitted', 'confirmed']
      const { totalDebit } = await checkConfirmed(world, prepared, events)
      const coins = toMicro(fundedCoins) - toMicro(totalDebit)
      assert.deepEqual(await readBalances(prepared.merchant), { naira: fundedNaira, coins })
    },
  })

const payWithNaira = (wallet: string) => ({
  ...toTransfer(wallet, '25'),
  fundFrom: { asset: 'NGN', maxRate: '1700' },
})

/** The conversion that paid for a payout. */
async function findConversion(merchant: Merchant, reference: string) {
  const { items } = await merchant.get('/v1/conversions')
  assert.equal(items.length, 1)
  assert.equal(items[0].transferReference, reference)
  return items[0] as { sourceAmount: number; targetAmount: string }
}

const isApprovedWithNaira = (settings: WorldSettings) =>
  definePath({
    name: 'payout in coins that naira pay for is approved',
    settings,
    prepare: prepareTeam,
    async run(world, prepared) {
      const { ada, bola, wallet } = prepared
      const { reference, orderHash } = await ada.post(cryptoPath, payWithNaira(wallet))
      prepared.reference = reference
      await bola.post(`/v1/disbursements/${reference}/approve`, { orderHash })
      await untilMinted(world)
    },
    async check(world, prepared) {
      const { merchant, reference } = prepared
      const events = ['pending', 'submitted', 'confirmed']
      const { totalDebit } = await checkConfirmed(world, prepared, events)
      const { sourceAmount, targetAmount } = await findConversion(merchant, reference)
      assert.equal(toMicro(targetAmount), toMicro(totalDebit))
      assert.deepEqual(await readBalances(merchant), {
        naira: fundedNaira - sourceAmount,
        coins: toMicro(fundedCoins),
      })
    },
  })

/** What was converted stays converted: the merchant has the coins. */
const isRejectedWithNaira = (settings: WorldSettings) =>
  definePath({
    name: 'payout in coins that naira pay for is rejected',
    settings,
    prepare: prepareTeam,
    async run(world, prepared) {
      const { ada, bola, wallet } = prepared
      const { reference } = await ada.post(cryptoPath, payWithNaira(wallet))
      prepared.reference = reference
      await bola.post(`/v1/disbursements/${reference}/reject`, { reason: 'Paid already' })
      await untilMinted(world)
    },
    async check(world, { merchant, reference, wallet }) {
      const { status, failureReason } = await merchant.get(`${cryptoPath}/${reference}`)
      assert.deepEqual([status, failureReason], ['FAILED', 'approval_rejected'])
      const { sourceAmount, targetAmount } = await findConversion(merchant, reference)
      assert.deepEqual(await readBalances(merchant), {
        naira: fundedNaira - sourceAmount,
        coins: toMicro(fundedCoins) + toMicro(targetAmount),
      })
      assert.equal(await readCoins(world, wallet), 0)
      await checkTreasury(world, 0)
    },
  })

type Settlement = {
  reference: string
  status: string
  amount: number
  fee: number
  assetAmount: string
  transferReference: string
}

const listSettlements = async (merchant: Merchant): Promise<Settlement[]> =>
  (await merchant.get('/v1/settlements')).items

/** All naira were converted and paid to the wallet, once. */
async function checkSettled(
  world: World,
  { merchant, wallet }: { merchant: Merchant; wallet: string },
): Promise<void> {
  const [settlement, ...others] = await listSettlements(merchant)
  assert(settlement && others.length === 0, `${others.length + 1} settlements`)
  const { reference, status, amount, fee, assetAmount, transferReference } = settlement
  assert.equal(status, 'PAID')
  assert.equal(amount + fee, fundedNaira)
  const types = ['settlement.created', 'settlement.paid']
  assert.deepEqual(await merchant.eventTypes(reference), types)
  await findConversion(merchant, transferReference)
  assert.equal(await readCoins(world, wallet), toMicro(assetAmount))
  await checkTreasury(world, toMicro(assetAmount))
  assert.deepEqual(await readBalances(merchant), { naira: 0, coins: toMicro(fundedCoins) })
}

async function prepareWallet(world: World) {
  const prepared = await prepare(world)
  const { merchant, wallet } = prepared
  const settlement = { payTo: 'wallet', asset: 'USDC', walletAddress: wallet, reserve: 0 }
  await merchant.patch('/v1/settings', { settlement })
  return prepared
}

const settlesOnRequest = (settings: WorldSettings) =>
  definePath({
    name: 'settlement to a wallet on request',
    settings,
    prepare: prepareWallet,
    async run(world, { merchant }) {
      await merchant.post('/v1/settlements')
      await untilMinted(world)
    },
    check: checkSettled,
  })

const settlesBySchedule = (settings: WorldSettings) =>
  definePath({
    name: 'settlement to a wallet by schedule',
    settings,
    prepare: prepareWallet,
    async run(world, { merchant }) {
      await merchant.patch('/v1/settings', { settlement: { schedule: 'daily', time: '06:00' } })
      world.clock.advance(day)
      await world.untilQuiet(async () => (await listSettlements(merchant)).length === 1)
      await untilMinted(world)
    },
    check: checkSettled,
  })

/** The second item waits until the first has created the token account of their wallet. */
const paysBatch = (settings: WorldSettings) =>
  definePath({
    name: 'batch of two payouts to one new wallet',
    settings,
    prepare,
    async run(world, prepared) {
      const { merchant, wallet } = prepared
      const items = ['2.5', '3.5'].map((amount) => ({ amount, destinationAddress: wallet }))
      const body = { kind: 'crypto_transfer', asset: 'USDC', items }
      const { reference } = await merchant.post('/v1/disbursements/batches', body)
      prepared.reference = reference
      await world.untilQuiet()
      await merchant.post(`/v1/disbursements/batches/${reference}/submit`)
    },
    async check(world, { merchant, wallet, reference }) {
      const batch = await merchant.get(`/v1/disbursements/batches/${reference}`)
      assert.equal(batch.status, 'COMPLETED')
      assert.deepEqual([batch.paid.amount, batch.paid.count], ['6', 2])
      assert.equal(await readCoins(world, wallet), toMicro('6'))
      await checkTreasury(world, toMicro('6'))
      const coins = toMicro(fundedCoins) - toMicro('6') - toMicro(batch.paid.fee)
      assert.deepEqual(await readBalances(merchant), { naira: fundedNaira, coins })
      assert.deepEqual(await merchant.eventTypes(reference), ['batch.completed'])
    },
  })

export function coinControl(chain: TestChain): Path[] {
  const settings: WorldSettings = { bank: 'sandbox', chain }
  return [
    isApproved(settings),
    isApprovedWithNaira(settings),
    isRejectedWithNaira(settings),
    settlesOnRequest(settings),
    settlesBySchedule(settings),
    paysBatch(settings),
  ]
}
