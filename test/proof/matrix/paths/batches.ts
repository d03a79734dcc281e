import { strict as assert } from 'node:assert'
import { hour } from '../../../../src/base/clock.js'
import { pauseRail, resumeRail } from '../../../../src/payouts/requests/paused-rails.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { addTeam } from './members.js'
import { merchantOf } from './merchant.js'
import { accountNumber, listPaid, magicNumber } from './sandbox-transfers.js'

const funded = 10_000_000
const batchesPath = '/v1/disbursements/batches'
const settings = { bank: 'sandbox' } as const

type Merchant = ReturnType<typeof merchantOf>
type Item = { status: string; amount: number; fee: number; transferReference: string | null }

const toItem = (number: string, amount: number) => ({
  amount,
  bankCode: '058',
  accountNumber: number,
})

async function prepare(world: World) {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', funded)
  return { merchant, reference: '' }
}

/** Members create what has to be approved: for them the rule applies from the first kobo. */
async function prepareTeam(world: World) {
  const prepared = await prepare(world)
  return { ...prepared, ...(await addTeam(world, { each: 100_000, appliesTo: 'console' })) }
}

const create = async (by: Pick<Merchant, 'post'>, items: object[]): Promise<string> =>
  (await by.post(batchesPath, { kind: 'bank_transfer', items })).reference

const read = (merchant: Merchant, reference: string) => merchant.get(`${batchesPath}/${reference}`)

const itemsOf = async (merchant: Merchant, reference: string): Promise<Item[]> =>
  (await merchant.get(`${batchesPath}/${reference}/items?limit=100`)).items

/** The batch has ended as given, and its transfers are those that the bank has paid. */
async function checkBatches(
  world: World,
  merchant: Merchant,
  expected: { reference: string; status: string; items: string[] }[],
): Promise<void> {
  const items: Item[] = []
  for (const { reference, status, items: statuses } of expected) {
    const batch = await read(merchant, reference)
    assert.equal(batch.status, status)
    const own = await itemsOf(merchant, reference)
    assert.deepEqual(
      own.map((item) => item.status),
      statuses,
    )
    const events = status === 'COMPLETED' ? ['batch.completed'] : []
    assert.deepEqual(await merchant.eventTypes(reference), events)
    items.push(...own)
  }
  const paid = items.filter(({ status }) => status === 'COMPLETED')
  assert.deepEqual(
    (await listPaid(world)).toSorted((left, right) => left - right),
    paid.map(({ amount }) => amount).toSorted((left, right) => left - right),
  )
  const spent = paid.reduce((sum, { amount, fee }) => sum + amount + fee, 0)
  assert.deepEqual(await merchant.balance(), { available: funded - spent, held: 0, pending: 0 })
  for (const { status, transferReference } of items) {
    if (transferReference === null) continue
    const last = status === 'COMPLETED' ? 'bank_transfer.completed' : 'bank_transfer.failed'
    const types = await merchant.eventTypes(transferReference)
    assert.deepEqual(types, ['bank_transfer.submitted', last])
  }
}

const paysValidItems = definePath({
  name: 'batch with an invalid item is paid',
  settings,
  prepare,
  async run(world, prepared) {
    const { merchant } = prepared
    prepared.reference = await create(merchant, [
      toItem(accountNumber(1), 50_000),
      toItem(magicNumber(8), 60_000),
      toItem(accountNumber(2), 70_000),
    ])
    await world.untilQuiet()
    await merchant.post(`${batchesPath}/${prepared.reference}/submit`, { skipInvalid: true })
  },
  check: (world, { merchant, reference }) =>
    checkBatches(world, merchant, [
      { reference, status: 'COMPLETED', items: ['COMPLETED', 'INVALID', 'COMPLETED'] },
    ]),
})

const retriesFailedItem = definePath({
  name: 'batch with a failed item is retried',
  settings,
  prepare: async (world) => ({ ...(await prepare(world)), retry: '' }),
  async run(world, prepared) {
    const { merchant } = prepared
    prepared.reference = await create(merchant, [
      toItem(accountNumber(1), 50_000),
      toItem(magicNumber(2), 60_000),
    ])
    await world.untilQuiet()
    await merchant.post(`${batchesPath}/${prepared.reference}/submit`)
    await world.untilQuiet()
    prepared.retry = (await merchant.post(`${batchesPath}/${prepared.reference}/retry`)).reference
    await world.untilQuiet()
    await merchant.post(`${batchesPath}/${prepared.retry}/submit`)
  },
  check: (world, { merchant, reference, retry }) =>
    checkBatches(world, merchant, [
      { reference, status: 'COMPLETED', items: ['COMPLETED', 'FAILED'] },
      { reference: retry, status: 'COMPLETED', items: ['FAILED'] },
    ]),
})

const isCancelledWhileValidated = definePath({
  name: 'batch is cancelled while it is validated',
  settings,
  prepare,
  async run(_world, prepared) {
    const { merchant } = prepared
    prepared.reference = await create(merchant, [toItem(accountNumber(1), 50_000)])
    await merchant.post(`${batchesPath}/${prepared.reference}/cancel`)
  },
  async check(world, { merchant, reference }) {
    assert.equal((await read(merchant, reference)).status, 'CANCELLED')
    assert.deepEqual(await listPaid(world), [])
    const available = funded
    assert.deepEqual(await merchant.balance(), { available, held: 0, pending: 0 })
  },
})

/** The operator has paused the rail, so that the items wait when the merchant cancels. */
const isCancelledWhilePaid = definePath({
  name: 'batch is cancelled while it is paid, and retried',
  settings,
  prepare: async (world) => ({ ...(await prepare(world)), retry: '' }),
  async run(world, prepared) {
    const { merchant } = prepared
    prepared.reference = await create(merchant, [
      toItem(accountNumber(1), 50_000),
      toItem(accountNumber(2), 60_000),
    ])
    await world.untilQuiet()
    const rail = (await world.current()).opened.sandboxBank!.name
    const pause = { rail, reason: 'proof', pausedBy: 'proof' }
    await world.db.transaction((tx) => pauseRail(tx, world.clock.now(), pause))
    world.clock.advance(1_000)
    await merchant.post(`${batchesPath}/${prepared.reference}/submit`)
    await world.work()
    await merchant.post(`${batchesPath}/${prepared.reference}/cancel`)
    await world.db.transaction((tx) => resumeRail(tx, rail))
    await world.untilQuiet()
    prepared.retry = (await merchant.post(`${batchesPath}/${prepared.reference}/retry`)).reference
    await world.untilQuiet()
    await merchant.post(`${batchesPath}/${prepared.retry}/submit`)
  },
  check: (world, { merchant, reference, retry }) =>
    checkBatches(world, merchant, [
      { reference, status: 'COMPLETED', items: ['FAILED', 'FAILED'] },
      { reference: retry, status: 'COMPLETED', items: ['COMPLETED', 'COMPLETED'] },
    ]),
})

const twoAboveTheRule = [toItem(accountNumber(1), 80_000), toItem(accountNumber(2), 70_000)]

const isApproved = definePath({
  name: 'batch above the rule is approved and paid',
  settings,
  prepare: prepareTeam,
  async run(world, prepared) {
    const { ada, bola } = prepared
    prepared.reference = await create(ada, twoAboveTheRule)
    await world.untilQuiet()
    const { orderHash } = await ada.post(`${batchesPath}/${prepared.reference}/submit`)
    await bola.post(`${batchesPath}/${prepared.reference}/approve`, { orderHash })
  },
  check: (world, { merchant, reference }) =>
    checkBatches(world, merchant, [
      { reference, status: 'COMPLETED', items: ['COMPLETED', 'COMPLETED'] },
    ]),
})

const isRejected = definePath({
  name: 'batch above the rule is rejected',
  settings,
  prepare: prepareTeam,
  async run(world, prepared) {
    const { ada, bola } = prepared
    prepared.reference = await create(ada, twoAboveTheRule)
    await world.untilQuiet()
    await ada.post(`${batchesPath}/${prepared.reference}/submit`)
    await bola.post(`${batchesPath}/${prepared.reference}/reject`, { reason: 'Wrong month' })
  },
  check: (world, { merchant, reference }) =>
    checkBatches(world, merchant, [{ reference, status: 'REJECTED', items: ['VALID', 'VALID'] }]),
})

const approvalExpires = definePath({
  name: 'batch above the rule expires',
  settings,
  prepare: prepareTeam,
  async run(world, prepared) {
    const { merchant, ada } = prepared
    prepared.reference = await create(ada, twoAboveTheRule)
    await world.untilQuiet()
    await ada.post(`${batchesPath}/${prepared.reference}/submit`)
    world.clock.advance(8 * 24 * hour)
    await world.untilQuiet(
      async () => (await read(merchant, prepared.reference)).status === 'EXPIRED',
    )
  },
  check: (world, { merchant, reference }) =>
    checkBatches(world, merchant, [{ reference, status: 'EXPIRED', items: ['VALID', 'VALID'] }]),
})

export const batches: Path[] = [
  paysValidItems,
  retriesFailedItem,
  isCancelledWhileValidated,
  isCancelledWhilePaid,
  isApproved,
  isRejected,
  approvalExpires,
]
