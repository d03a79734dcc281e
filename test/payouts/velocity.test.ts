import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hour, minute, second } from '../../src/base/clock.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { exceedsLimit } from '../../src/payouts/controls/velocity.js'
import { sql } from '../../src/postgres/sql.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask, merchant } = service
const key = merchant.test.secret
const accounts = ['0123456789', '0000000001'] as const
const headers = () => ({ 'idempotency-key': randomUUID() })
const post = (path: string, body: object = {}) =>
  ask('POST', path, { key, body, headers: headers() })

await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })

type Limit = {
  per: 'merchant' | 'recipient' | 'key' | 'member'
  window?: 'hour' | 'day' | 'month'
  amount?: number | null
  count?: number | null
  above?: 'approve' | 'refuse'
}

const noLimits = { appliesTo: 'all', NGN: null, USDC: null, USDT: null }
const none = { callback: null, recipients: null, velocity: null, duplicates: null }

/** Each test has an hour of its own, and members whose sessions are new. */
async function setControls(controls: object) {
  clock.advance(31 * 24 * hour)
  const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
  const chidi = await addPerson(service, { role: 'admin', name: 'Chidi Eze' })
  const body = { ...noLimits, controls: { ...none, ...controls } }
  const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
  expect(changed.status, changed.text).toBe(200)
  const { change } = changed.json.data
  if (change) await chidi.ask('POST', `/v1/settings/changes/${change.id}/confirm`)
  clock.advance(2 * second)
  return { ada, chidi }
}

const limit = (given: Limit) => ({
  window: 'hour',
  currency: 'NGN',
  amount: null,
  count: null,
  above: 'refuse',
  ...given,
})

const toBody = (amount: number, account: 0 | 1, more: object = {}) => ({
  amount,
  bankCode: '058',
  accountNumber: accounts[account],
  ...more,
})

async function pay(amount: number, account: 0 | 1 = 0, more: object = {}): Promise<string> {
  const reply = await post('/v1/disbursements/bank-transfer', toBody(amount, account, more))
  return reply.json.reason ?? reply.json.data.status
}

async function receive(amount: number): Promise<string> {
  const order = { amount, merchantReference: randomUUID() }
  const { accountNumber } = (await post('/v1/collections/virtual-accounts', order)).json.data
  return (await post('/v1/test/bank-transfers', { accountNumber, amount })).json.data.reference
}

const refund = (payment: string | undefined, body: object = {}) =>
  post(`/v1/collections/payments/${payment}/refund`, body)

describe('a velocity limit', () => {
  test('of an amount refuses what is above it until its window has passed', async () => {
    await setControls({ velocity: [limit({ per: 'merchant', amount: 500_000 })] })
    expect(await pay(300_000)).toBe('SUBMITTED')
    expect(await pay(200_001)).toBe('velocity_limit')
    expect(await pay(200_000)).toBe('SUBMITTED')
    expect(await pay(10_000)).toBe('velocity_limit')
    clock.advance(hour + second)
    expect(await pay(500_000)).toBe('SUBMITTED')
  })

  test('says which limit it is and when the transfer fits', async () => {
    const { ada } = await setControls({
      velocity: [
        limit({ per: 'merchant', amount: 500_000 }),
        limit({ per: 'merchant', amount: 900_000, window: 'day' }),
        limit({ per: 'member', count: 2, amount: 400_000 }),
      ],
    })
    const refused = async (amount: number): Promise<string> => {
      const body = toBody(amount, 0)
      const { json } = await post('/v1/disbursements/bank-transfer', body)
      expect(json.reason).toBe('velocity_limit')
      return json.message
    }
    const fitsFrom = (message: string) => new Date(/fits from (\S+)\.$/.exec(message)![1]!)
    const advanceTo = (time: Date) => clock.advance(time.getTime() - clock.now().getTime())
    const first = clock.now()
    expect(await pay(100_000)).toBe('SUBMITTED')
    clock.advance(10 * minute)
    const second = clock.now()
    expect(await pay(300_000)).toBe('SUBMITTED')
    // The first one has to leave the window, or both.
    const message = await refused(150_000)
    expect(message).toContain(
      'Your rules allow ₦5,000.00 per merchant in 60 minutes; ₦4,000.00 was sent in 2 transfers. A transfer of ₦1,500.00 fits from',
    )
    expect(fitsFrom(message)).toEqual(new Date(first.getTime() + hour + 1))
    expect(fitsFrom(await refused(250_000))).toEqual(new Date(second.getTime() + hour + 1))
    expect(await refused(500_001)).toContain('A transfer of ₦5,000.01 never fits: send less.')
    advanceTo(new Date(fitsFrom(message).getTime() - 1))
    expect(await refused(150_000)).toBe(message)
    advanceTo(fitsFrom(message))
    expect(await pay(150_000)).toBe('SUBMITTED')
    // 550,000 are sent in the day. Of several limits, that which refuses for longest is named.
    clock.advance(hour)
    const daily = await refused(400_000)
    expect(daily).toContain('₦9,000.00 per merchant in 24 hours')
    expect(fitsFrom(daily)).toEqual(new Date(first.getTime() + 24 * hour + 1))
    // A limit of a number and an amount: the later of the two.
    const payAs = (amount: number) =>
      ada.ask('POST', '/v1/disbursements/bank-transfer', { body: toBody(amount, 1) })
    expect((await payAs(1_000)).status).toBe(201)
    const began = clock.now()
    clock.advance(minute)
    expect((await payAs(2_000)).status).toBe(201)
    const counted = (await payAs(3_000)).json.message
    expect(counted).toContain(
      '₦4,000.00 and 2 transfers per member in 60 minutes; ₦30.00 was sent in 2 transfers.',
    )
    expect(fitsFrom(counted)).toEqual(new Date(began.getTime() + hour + 1))
  })

  test('of a number counts transfers to each recipient alone', async () => {
    await setControls({ velocity: [limit({ per: 'recipient', count: 2, window: 'day' })] })
    expect(await pay(10_000, 0)).toBe('SUBMITTED')
    expect(await pay(20_000, 0)).toBe('SUBMITTED')
    expect(await pay(30_000, 0)).toBe('velocity_limit')
    expect(await pay(30_000, 1)).toBe('SUBMITTED')
    clock.advance(23 * hour)
    expect(await pay(30_000, 0)).toBe('velocity_limit')
    clock.advance(hour + second)
    expect(await pay(30_000, 0)).toBe('SUBMITTED')
  })

  test('that asks for approval lets a transfer wait', async () => {
    await setControls({
      velocity: [limit({ per: 'key', count: 1, above: 'approve', window: 'month' })],
    })
    expect(await pay(10_000)).toBe('SUBMITTED')
    clock.advance(29 * 24 * hour)
    const reply = await post('/v1/disbursements/bank-transfer', toBody(20_000, 0))
    expect(reply.json.data).toMatchObject({
      status: 'PENDING',
      approval: { reasons: ['velocity'], callback: null },
    })
  })

  test('limits an amount or a number', async () => {
    const { ada } = await setControls({ velocity: [limit({ per: 'key', count: 2 })] })
    const before = (await ask('GET', '/v1/settings', { key })).json.data.approvals
    const velocity = [limit({ per: 'key', count: 1 }), limit({ per: 'merchant' })]
    const body = { ...noLimits, controls: { ...none, velocity } }
    const refused = await ada.ask('PATCH', '/v1/settings/approvals', { body })
    expect([refused.status, refused.json.code], refused.text).toEqual([400, 'validation_failed'])
    expect(refused.json.message).toContain('send the most that may be sent, or the most transfers')
    expect(refused.json.details).toMatchObject([{ field: 'controls.velocity.1.amount' }])
    expect((await ask('GET', '/v1/settings', { key })).json.data.approvals).toEqual(before)
  })

  test('of members does not concern API keys, and that of keys does not concern members', async () => {
    const { ada } = await setControls({
      velocity: [limit({ per: 'member', count: 1 }), limit({ per: 'key', count: 2 })],
    })
    const payAs = async () =>
      (await ada.ask('POST', '/v1/disbursements/bank-transfer', { body: toBody(10_000, 1) })).json
    expect(await pay(10_000)).toBe('SUBMITTED')
    expect(await pay(11_000)).toBe('SUBMITTED')
    expect(await pay(12_000)).toBe('velocity_limit')
    expect((await payAs()).data.status).toBe('SUBMITTED')
    expect((await payAs()).reason).toBe('velocity_limit')
  })

  test('does not count transfers that failed', async () => {
    await setControls({ velocity: [limit({ per: 'merchant', count: 1 })] })
    const failing = await post('/v1/disbursements/bank-transfer', toBody(10_000, 0))
    const { reference } = failing.json.data
    expect(await pay(10_000)).toBe('velocity_limit')
    await post(`/v1/test/disbursements/${reference}/settle`, { outcome: 'fail' })
    await settle()
    expect(await pay(10_000)).toBe('SUBMITTED')
  })

  test('holds when many transfers are made at once', async () => {
    await setControls({ velocity: [limit({ per: 'merchant', amount: 500_000 })] })
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => pay(100_000)))
    expect(outcomes.filter((outcome) => outcome === 'SUBMITTED')).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome === 'velocity_limit')).toHaveLength(7)
  })

  test('holds within a batch', async () => {
    await setControls({ velocity: [limit({ per: 'merchant', amount: 500_000 })] })
    const worker = openBatchWorker(service)
    const work = async () => {
      clock.advance(second)
      while ((await runBatches(worker, 'test')) > 0);
    }
    const items = Array.from({ length: 4 }, (_, index) => toBody(200_000 + index, 1))
    const made = await post('/v1/disbursements/batches', { kind: 'bank_transfer', items })
    const path = `/v1/disbursements/batches/${made.json.data.reference}`
    await work()
    await post(`${path}/submit`)
    await work()
    await settle()
    await settle()
    clock.advance(10 * minute)
    await work()
    const shown = (await ask('GET', `${path}/items`, { key })).json.data.items
    const states = shown.map(({ status }: { status: string }) => status)
    expect(states.filter((state: string) => state === 'COMPLETED')).toHaveLength(2)
    expect(states.filter((state: string) => state === 'FAILED')).toHaveLength(2)
    const failed = shown.find(({ status }: { status: string }) => status === 'FAILED')
    expect(JSON.stringify(failed)).toContain('velocity_limit')
  })

  // The money of a payment leaves by a payout of another kind than transfers do.
  test('counts refunds to a destination and by claim, and none to the sender', async () => {
    await setControls({
      velocity: [
        limit({ per: 'merchant', amount: 500_000 }),
        limit({ per: 'recipient', amount: 250_000 }),
      ],
    })
    const [toSender, elsewhere, byClaim, last] = await Promise.all(
      Array.from({ length: 4 }, () => receive(200_000)),
    )
    const to = (account: 0 | 1) => ({ bankCode: '058', accountNumber: accounts[account] })
    expect((await refund(toSender)).json.message).toBe('Refund submitted')
    expect((await refund(elsewhere, { destination: to(0) })).json.message).toBe('Refund submitted')
    expect(await pay(50_001, 0)).toBe('velocity_limit')
    const claimed = await refund(byClaim, { by: 'claim' })
    const { reference } = claimed.json.data.claim
    const paid = await post(`/v1/test/claims/${reference}/claim`, to(1))
    expect(paid.status, paid.text).toBe(200)
    expect(await pay(50_001, 1)).toBe('velocity_limit')
    // 400,000 of 500,000 are sent.
    const refused = await refund(last, { destination: to(0), amount: 100_001 })
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([
      422,
      'payment_action_failed',
      'velocity_limit',
    ])
    expect(await pay(50_000, 1)).toBe('SUBMITTED')
    // They are no transfers: lists and the history of a recipient leave them out.
    const listed = await ask('GET', `/v1/disbursements?q=${accounts[1]}&limit=100`, { key })
    const kinds = listed.json.data.items.map((one: { reference: string }) => one.reference)
    expect(kinds.filter((found: string) => !found.startsWith('bt_'))).toEqual([])
  })

  test('is exactly that of the sums', () => {
    const kobo = fc.integer({ min: 1, max: 1_000 })
    fc.assert(
      fc.property(
        fc.option(kobo),
        fc.option(fc.integer({ min: 1, max: 5 })),
        fc.array(kobo, { maxLength: 8 }),
        kobo,
        (amount, count, sent, next) => {
          const sum = sent.reduce((total, each) => total + each, 0)
          const above = exceedsLimit(
            { currency: 'NGN', amount, count },
            { asset: 'NGN', amount: BigInt(next) },
            { count: sent.length, amount: BigInt(sum) },
          )
          const isOver =
            (amount !== null && sum + next > amount) || (count !== null && sent.length >= count)
          expect(above).toBe(isOver)
        },
      ),
    )
  })
})

describe('a transfer that looks like one before it', () => {
  test('is refused until the caller confirms it', async () => {
    await setControls({ duplicates: { minutes: 30, requires: 'confirmation' } })
    expect(await pay(10_000, 0)).toBe('SUBMITTED')
    expect(await pay(10_000, 0)).toBe('possible_duplicate')
    expect(await pay(10_000, 0, { confirmDuplicate: false })).toBe('possible_duplicate')
    expect(await pay(10_001, 0)).toBe('SUBMITTED')
    expect(await pay(10_000, 1)).toBe('SUBMITTED')
    expect(await pay(10_000, 0, { confirmDuplicate: true })).toBe('SUBMITTED')
    clock.advance(30 * minute + second)
    expect(await pay(10_000, 0)).toBe('SUBMITTED')
  })

  test('waits if the rule says so, whatever the caller says', async () => {
    await setControls({ duplicates: { minutes: 30, requires: 'approval' } })
    expect(await pay(10_000, 0)).toBe('SUBMITTED')
    const body = toBody(10_000, 0, { confirmDuplicate: true })
    const reply = await post('/v1/disbursements/bank-transfer', body)
    expect(reply.json.data).toMatchObject({
      status: 'PENDING',
      approval: { reasons: ['duplicate'] },
    })
  })

  test('may be a refund by claim, or come before one', async () => {
    await setControls({ duplicates: { minutes: 30, requires: 'confirmation' } })
    const [one, other] = [await receive(10_000), await receive(20_000)]
    const claim = async (reference: string) => {
      const { json } = await refund(reference, { by: 'claim' })
      const to = { bankCode: '058', accountNumber: accounts[1] }
      const paid = await post(`/v1/test/claims/${json.data.claim.reference}/claim`, to)
      expect(paid.status, paid.text).toBe(200)
      return (await ask('GET', `/v1/claims/${json.data.claim.reference}`, { key })).json.data.payout
    }
    await claim(one)
    expect(await pay(10_000, 1)).toBe('possible_duplicate')
    expect(await pay(20_000, 1)).toBe('SUBMITTED')
    const [row] = await db.rows(sql<{ reasons: string[] }>`
      select reasons from payout_checks
      where payout_id = ${fromReference(prefixes.paymentReturn, await claim(other))!}`)
    expect(row).toEqual({ reasons: ['duplicate'] })
  })

  test('passes once of many at once', async () => {
    await setControls({ duplicates: { minutes: 30, requires: 'confirmation' } })
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => pay(40_000)))
    expect(outcomes.filter((outcome) => outcome === 'SUBMITTED')).toHaveLength(1)
  })
})

test('all books are right afterwards', async () => {
  await settle()
  await expectAllProofs(db)
})
