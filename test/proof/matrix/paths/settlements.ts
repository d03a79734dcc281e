import { strict as assert } from 'node:assert'
import { day, hour } from '../../../../src/base/clock.js'
import { addBankAccount, makePrimary } from '../../../../src/merchants/settings/bank-accounts.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { merchantOf } from './merchant.js'
import { accountNumber, listPaid, magicNumber } from './sandbox-transfers.js'

const funded = 50_000_000
const reserve = 1_000_000
const settings = { bank: 'sandbox' } as const

type Merchant = ReturnType<typeof merchantOf>
type Settlement = {
  reference: string
  status: string
  amount: number
  fee: number
  report: { opening: number; credits: number; closing: number }
}

async function prepareFor(world: World, settledTo: string, balance = funded) {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', balance)
  const account = {
    environmentId: world.merchant.environments.test.id,
    bankCode: '058',
    accountNumber: settledTo,
    accountName: 'Ada Stores',
  }
  await world.db.transaction(async (tx) =>
    makePrimary(tx, await addBankAccount(tx, world.clock.now(), account), null),
  )
  await merchant.patch('/v1/settings', { settlement: { reserve } })
  return { merchant }
}

const listSettlements = async (merchant: Merchant): Promise<Settlement[]> =>
  (await merchant.get('/v1/settlements')).items.toReversed()

/** Waits for a schedule, which is no open row. */
const untilSettled = (world: World, merchant: Merchant, count: number) =>
  world.untilQuiet(async () => (await listSettlements(merchant)).length === count)

/** Everything above the reserve was paid to the merchant, once, and reports join without gaps. */
async function checkPaid(world: World, merchant: Merchant, count: number): Promise<void> {
  const settlements = await listSettlements(merchant)
  assert.deepEqual(
    settlements.map(({ status }) => status),
    Array.from({ length: count }, () => 'PAID'),
  )
  assert.deepEqual(
    await listPaid(world),
    settlements.map(({ amount }) => amount),
  )
  let closing = 0
  for (const { reference, report, amount, fee } of settlements) {
    assert.equal(report.opening, closing)
    assert.equal(report.opening + report.credits, amount + fee + report.closing)
    const types = ['settlement.created', 'settlement.paid']
    assert.deepEqual(await merchant.eventTypes(reference), types)
    closing = report.closing
  }
  assert.deepEqual(await merchant.balance(), { available: closing, held: 0, pending: 0 })
}

const onRequest = definePath({
  name: 'settlement on request',
  settings,
  prepare: (world) => prepareFor(world, accountNumber(1)),
  async run(_world, { merchant }) {
    await merchant.post('/v1/settlements')
  },
  async check(world, { merchant }) {
    await checkPaid(world, merchant, 1)
    assert.equal((await merchant.balance()).available, reserve)
  },
})

const bySchedule = definePath({
  name: 'settlement by schedule',
  settings,
  prepare: (world) => prepareFor(world, accountNumber(1)),
  async run(world, { merchant }) {
    await merchant.patch('/v1/settings', { settlement: { schedule: 'daily', time: '06:00' } })
    world.clock.advance(day)
    await untilSettled(world, merchant, 1)
  },
  async check(world, { merchant }) {
    await checkPaid(world, merchant, 1)
    assert.equal((await merchant.balance()).available, reserve)
  },
})

/** One transfer carries at most ₦10,000,000: workers settle the rest. */
const inParts = definePath({
  name: 'settlement on request in two transfers',
  settings,
  prepare: (world) => prepareFor(world, accountNumber(1), 1_500_000_000),
  async run(world, { merchant }) {
    await merchant.post('/v1/settlements')
    await untilSettled(world, merchant, 2)
  },
  async check(world, { merchant }) {
    await checkPaid(world, merchant, 2)
    assert.equal((await merchant.balance()).available, reserve)
  },
})

const fails = definePath({
  name: 'settlement to a closed account fails',
  settings,
  prepare: (world) => prepareFor(world, magicNumber(2)),
  async run(_world, { merchant }) {
    await merchant.post('/v1/settlements')
  },
  async check(world, { merchant }) {
    const [settlement, ...others] = await listSettlements(merchant)
    assert.deepEqual([settlement?.status, others.length], ['FAILED', 0])
    assert.deepEqual(await listPaid(world), [])
    assert.deepEqual(await merchant.balance(), { available: funded, held: 0, pending: 0 })
    const types = ['settlement.created', 'settlement.failed']
    assert.deepEqual(await merchant.eventTypes(settlement!.reference), types)
  },
})

const isReversed = definePath({
  name: 'settlement is reversed',
  settings,
  prepare: (world) => prepareFor(world, magicNumber(3)),
  async run(world, { merchant }) {
    await merchant.post('/v1/settlements')
    world.clock.advance(hour)
    await world.untilQuiet(async () => (await listSettlements(merchant))[0]?.status === 'REVERSED')
  },
  async check(_world, { merchant }) {
    const [settlement, ...others] = await listSettlements(merchant)
    assert.deepEqual([settlement?.status, others.length], ['REVERSED', 0])
    const { available, held } = await merchant.balance()
    assert.deepEqual([available, held], [funded, 0])
    assert.deepEqual(await merchant.eventTypes(settlement!.reference), [
      'settlement.created',
      'settlement.paid',
      'settlement.reversed',
    ])
  },
})

export const settlements: Path[] = [onRequest, bySchedule, inParts, fails, isReversed]
