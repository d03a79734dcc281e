import { strict as assert } from 'node:assert'
import { hour } from '../../../../src/base/clock.js'
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

async function prepare(world: World) {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', funded)
  const team = await addTeam(world, { each: 1_000_000, appliesTo: 'all' })
  return { merchant, ...team, reference: '' }
}

const read = (merchant: Merchant, reference: string) =>
  merchant.get(`${transfersPath}/${reference}`)

async function checkPaid(world: World, merchant: Merchant, reference: string): Promise<void> {
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

async function checkUnpaid(
  world: World,
  { merchant, reference, reason }: { merchant: Merchant; reference: string; reason: string },
): Promise<void> {
  const { status, failureReason } = await read(merchant, reference)
  assert.deepEqual([status, failureReason], ['FAILED', reason])
  assert.deepEqual(await listPaid(world), [])
  assert.deepEqual(await merchant.balance(), { available: funded, held: 0, pending: 0 })
  const types = ['bank_transfer.pending', 'bank_transfer.failed']
  assert.deepEqual(await merchant.eventTypes(reference), types)
}

const oneApproves = definePath({
  name: 'payout of a member is approved by another',
  settings,
  prepare,
  async run(_world, prepared) {
    const { ada, bola } = prepared
    const { reference, orderHash } = await ada.post(transfersPath, body)
    prepared.reference = reference
    await bola.post(`/v1/disbursements/${reference}/approve`, { orderHash })
  },
  check: (world, { merchant, reference }) => checkPaid(world, merchant, reference),
})

/** No member made the key, so that any one member could have both created and approved it. */
const twoApprove = definePath({
  name: 'payout of an API key is approved by two',
  settings,
  prepare,
  async run(_world, prepared) {
    const { merchant, bola, chidi } = prepared
    const { reference, orderHash } = await merchant.post(transfersPath, body)
    prepared.reference = reference
    await bola.post(`/v1/disbursements/${reference}/approve`, { orderHash })
    await chidi.post(`/v1/disbursements/${reference}/approve`, { orderHash })
  },
  check: (world, { merchant, reference }) => checkPaid(world, merchant, reference),
})

/** Both see that one approval is missing, and one of them comes too late. */
const twoApproveAtOnce = definePath({
  name: 'payout is approved by two members at once',
  settings,
  prepare,
  async run(_world, prepared) {
    const { ada, bola, chidi } = prepared
    const { reference, orderHash } = await ada.post(transfersPath, body)
    prepared.reference = reference
    const replies = await Promise.all(
      [bola, chidi].map((member) =>
        member.ask('POST', `/v1/disbursements/${reference}/approve`, { orderHash }),
      ),
    )
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 409])
  },
  check: (world, { merchant, reference }) => checkPaid(world, merchant, reference),
})

const isRejected = definePath({
  name: 'payout is rejected',
  settings,
  prepare,
  async run(_world, prepared) {
    const { ada, bola } = prepared
    const { reference } = await ada.post(transfersPath, body)
    prepared.reference = reference
    await bola.post(`/v1/disbursements/${reference}/reject`, { reason: 'Paid already' })
  },
  check: (world, { merchant, reference }) =>
    checkUnpaid(world, { merchant, reference, reason: 'approval_rejected' }),
})

const isRejectedAfterOneApproval = definePath({
  name: 'payout with one of two approvals is rejected',
  settings,
  prepare,
  async run(_world, prepared) {
    const { merchant, bola, chidi } = prepared
    const { reference, orderHash } = await merchant.post(transfersPath, body)
    prepared.reference = reference
    await bola.post(`/v1/disbursements/${reference}/approve`, { orderHash })
    await chidi.post(`/v1/disbursements/${reference}/reject`, { reason: 'Paid already' })
  },
  check: (world, { merchant, reference }) =>
    checkUnpaid(world, { merchant, reference, reason: 'approval_rejected' }),
})

const expires = definePath({
  name: 'payout expires without an approval',
  settings,
  prepare,
  async run(world, prepared) {
    const { merchant, ada } = prepared
    const { reference } = await ada.post(transfersPath, body)
    prepared.reference = reference
    world.clock.advance(8 * 24 * hour)
    await world.untilQuiet(async () => (await read(merchant, reference)).status === 'FAILED')
  },
  check: (world, { merchant, reference }) =>
    checkUnpaid(world, { merchant, reference, reason: 'approval_expired' }),
})

export const approvals: Path[] = [
  oneApproves,
  twoApprove,
  twoApproveAtOnce,
  isRejected,
  isRejectedAfterOneApproval,
  expires,
]
