import { strict as assert } from 'node:assert'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { merchantOf } from './merchant.js'
import { accountNumber, listPaid } from './sandbox-transfers.js'

const funded = 10_000_000
const amount = 2_000_000
const settings = { bank: 'sandbox' } as const
const path = '/v1/disbursements/bank-transfer'
const body = { amount, bankCode: '058', accountNumber: accountNumber(1) }

type Merchant = ReturnType<typeof merchantOf>

async function prepareFunded(world: World) {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', funded)
  return { merchant, reference: '' }
}

const payOut = (world: World, key: string, changes: object = {}) =>
  world.call('POST', path, { key, body: { ...body, ...changes } })

/** Exactly one payout exists, it was paid once, and its money is gone once. */
async function checkPaidOnce(world: World, merchant: Merchant, reference: string): Promise<void> {
  const { items } = await merchant.get('/v1/disbursements')
  assert.deepEqual(
    items.map((item: { reference: string; status: string }) => [item.reference, item.status]),
    [[reference, 'COMPLETED']],
  )
  const { fee } = await merchant.get(`${path}/${reference}`)
  assert.deepEqual(await listPaid(world), [amount])
  const available = funded - amount - fee
  assert.deepEqual(await merchant.balance(), { available, held: 0, pending: 0 })
}

const refusalIsRemembered = definePath({
  name: 'refused payout is refused again with its key',
  settings,
  prepare: async (world) => ({ merchant: merchantOf(world), reference: '' }),
  async run(world, prepared) {
    const refused = await payOut(world, 'first')
    assert.equal(refused.json.code, 'insufficient_balance')
    await prepared.merchant.fund('NGN', funded)
    const again = await payOut(world, 'first')
    assert.deepEqual([again.status, again.text], [refused.status, refused.text])
    const paid = await payOut(world, 'second')
    assert.equal(paid.status, 201)
    prepared.reference = paid.json.data.reference
  },
  check: (world, { merchant, reference }) => checkPaidOnce(world, merchant, reference),
})

const otherBodyIsRefused = definePath({
  name: 'key of a payout is used with another body',
  settings,
  prepare: prepareFunded,
  async run(world, prepared) {
    const first = await payOut(world, 'first')
    const other = await payOut(world, 'first', { amount: amount + 1 })
    assert.equal(other.json.reason, 'idempotency_key_reused')
    const again = await payOut(world, 'first')
    assert.deepEqual([again.status, again.text], [201, first.text])
    prepared.reference = first.json.data.reference
  },
  check: (world, { merchant, reference }) => checkPaidOnce(world, merchant, reference),
})

const sameCallsAtOnce = definePath({
  name: 'two calls at once have one key',
  settings,
  prepare: prepareFunded,
  async run(world, prepared) {
    const replies = await Promise.all([payOut(world, 'first'), payOut(world, 'first')])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201],
    )
    assert.equal(replies[0].text, replies[1].text)
    prepared.reference = replies[0].json.data.reference
  },
  check: (world, { merchant, reference }) => checkPaidOnce(world, merchant, reference),
})

const referenceIsUsedOnce = definePath({
  name: 'reference of a payout is used again with another key',
  settings,
  prepare: prepareFunded,
  async run(world, prepared) {
    const first = await payOut(world, 'first', { merchantReference: 'salary-1' })
    const second = await payOut(world, 'second', { merchantReference: 'salary-1' })
    assert.deepEqual([first.status, second.json.reason], [201, 'duplicate_reference'])
    prepared.reference = first.json.data.reference
  },
  check: (world, { merchant, reference }) => checkPaidOnce(world, merchant, reference),
})

const feeIsNotCovered = definePath({
  name: 'payout whose fee is not covered is refused',
  settings,
  async prepare(world) {
    const merchant = merchantOf(world)
    await merchant.fund('NGN', amount)
    return { merchant }
  },
  async run(world) {
    const { json } = await payOut(world, 'first')
    assert.equal(json.code, 'insufficient_balance')
  },
  async check(world, { merchant }) {
    assert.deepEqual(await listPaid(world), [])
    assert.deepEqual(await merchant.balance(), { available: amount, held: 0, pending: 0 })
  },
})

/**
 * Those that arrive while the first is committed share a transaction. Around the end of a tier of
 * the fee, so that each has to be priced by its own amount.
 */
const atOnce = [
  { amount: 499_998, fee: 1_000 },
  { amount: 499_999, fee: 1_000 },
  { amount: 500_000, fee: 1_000 },
  { amount: 500_001, fee: 2_500 },
]

const eachCallHasItsAnswer = definePath({
  name: 'payouts of different amounts are made at once',
  settings,
  prepare: prepareFunded,
  async run(world) {
    const replies = await Promise.all(
      atOnce.map((wanted) => payOut(world, `of ${wanted.amount}`, { amount: wanted.amount })),
    )
    assert.deepEqual(
      replies.map(({ json }) => ({ amount: json.data.amount, fee: json.data.fee })),
      atOnce,
    )
  },
  async check(world, { merchant }) {
    assert.deepEqual(
      (await listPaid(world)).toSorted((left, right) => left - right),
      atOnce.map((paid) => paid.amount),
    )
    const spent = atOnce.reduce((sum, paid) => sum + paid.amount + paid.fee, 0)
    assert.deepEqual(await merchant.balance(), { available: funded - spent, held: 0, pending: 0 })
  },
})

export const idempotency: Path[] = [
  feeIsNotCovered,
  eachCallHasItsAnswer,
  refusalIsRemembered,
  otherBodyIsRefused,
  sameCallsAtOnce,
  referenceIsUsedOnce,
]
