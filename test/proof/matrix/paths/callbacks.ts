import { strict as assert } from 'node:assert'
import { minute } from '../../../../src/base/clock.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { addTeam } from './members.js'
import { merchantOf } from './merchant.js'
import { accountNumber, listPaid } from './sandbox-transfers.js'

const funded = 10_000_000
const amount = 2_000_000
const settings = { bank: 'sandbox' } as const
const transfersPath = '/v1/disbursements/bank-transfer'
const body = { amount, bankCode: '058', accountNumber: accountNumber(1) }

type Merchant = ReturnType<typeof merchantOf>

const prepareWith =
  ({ each }: { each: number | null }) =>
  async (world: World) => {
    const merchant = merchantOf(world)
    await merchant.fund('NGN', funded)
    const team = await addTeam(world, { each, appliesTo: 'all', asksCallback: true })
    // A process keeps a key, and whether a rule applies to it, for a second.
    world.clock.advance(2_000)
    return { merchant, ...team, reference: '' }
  }

type Prepared = Awaited<ReturnType<ReturnType<typeof prepareWith>>>

const read = (merchant: Merchant, reference: string) =>
  merchant.get(`${transfersPath}/${reference}`)

async function create(prepared: Prepared): Promise<{ reference: string; orderHash: string }> {
  const made = await prepared.merchant.post(transfersPath, body)
  prepared.reference = made.reference
  return made
}

const untilEnded = (world: World, { merchant, reference }: Prepared) =>
  world.untilQuiet(async () => {
    const { status } = await read(merchant, reference)
    return status !== 'PENDING' && status !== 'SUBMITTED'
  })

async function checkPaid(world: World, { merchant, reference }: Prepared): Promise<void> {
  const { status, fee } = await read(merchant, reference)
  assert.equal(status, 'COMPLETED')
  assert.deepEqual(await listPaid(world), [amount])
  const available = funded - amount - fee
  assert.deepEqual(await merchant.balance(), { available, held: 0, pending: 0 })
  assert.deepEqual(await merchant.eventTypes(reference), [
    'bank_transfer.pending',
    'bank_transfer.submitted',
    'bank_transfer.completed',
  ])
}

const approves = definePath({
  name: 'payout is approved by the callback',
  settings,
  prepare: prepareWith({ each: null }),
  async run(world, prepared) {
    await create(prepared)
    await untilEnded(world, prepared)
  },
  check: checkPaid,
})

const rejects = definePath({
  name: 'payout is rejected by the callback',
  settings,
  prepare: prepareWith({ each: null }),
  async run(world, prepared) {
    world.callback.answerWith(() => ({ decision: 'reject', reason: 'No such order' }))
    await create(prepared)
    await untilEnded(world, prepared)
  },
  async check(world, { merchant, reference }) {
    const { status, failureReason } = await read(merchant, reference)
    assert.deepEqual([status, failureReason], ['FAILED', 'callback_rejected'])
    assert.deepEqual(await listPaid(world), [])
    assert.deepEqual(await merchant.balance(), { available: funded, held: 0, pending: 0 })
    const types = ['bank_transfer.pending', 'bank_transfer.failed']
    assert.deepEqual(await merchant.eventTypes(reference), types)
  },
})

/** Silence pays nothing: two (simulated) members decide in its place. */
const isSilent = definePath({
  name: 'payout is approved by members, because the callback is silent',
  settings,
  prepare: prepareWith({ each: null }),
  async run(world, prepared) {
    world.callback.answerWith(() => undefined)
    const { merchant } = prepared
    const { reference } = await create(prepared)
    world.clock.advance(11 * minute)
    await world.untilQuiet(
      async () => (await read(merchant, reference)).approval.callback.status === 'SILENT',
    )
    assert.deepEqual(await listPaid(world), [])
    const decidePath = `/v1/test/disbursements/${reference}/decide`
    await merchant.post(decidePath, { decision: 'approve' })
    await merchant.post(decidePath, { decision: 'approve' })
  },
  check: checkPaid,
})

/** It is sent once, whether a member or the callback approves last. */
const bothAgree = definePath({
  name: 'payout is approved by two members while the callback is asked',
  settings,
  prepare: prepareWith({ each: 1_000_000 }),
  async run(world, prepared) {
    const { bola, chidi } = prepared
    const { reference, orderHash } = await create(prepared)
    const path = `/v1/disbursements/${reference}/approve`
    await bola.post(path, { orderHash })
    await Promise.all([chidi.post(path, { orderHash }), world.work()])
    await untilEnded(world, prepared)
  },
  check: checkPaid,
})

export const callbacks: Path[] = [approves, rejects, isSilent, bothAgree]
