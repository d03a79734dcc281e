import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noFaults } from '../../emulators/faults.js'
import { after, day, hour } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { deleteOldHints, listRejected } from '../../src/collections/notices/store-hints.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithProviders } from '../support/open-with-providers.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithProviders('paystack')
const { db, clock, emulators, bank, work, post, get } = service
const { paystack } = emulators

beforeEach(() => {
  Object.assign(paystack.faults, noFaults())
})
afterEach(() => expectAllProofs(db))

let count = 0

async function openAccount(): Promise<{ reference: string; accountNumber: string }> {
  count += 1
  const body = { merchantReference: `order-${count}`, amount: 500_000 }
  return (await post('/v1/collections/virtual-accounts', body)).json.data
}

const statusOf = async (reference: string) =>
  (await get(`/v1/collections/virtual-accounts/${reference}`)).json.data.status

type Row = { id: string; state: string; reason: string | null; attempts: number; dueAt: Date }

/** Hints about a payment, or all. */
const hintsOf = (paymentId: string) =>
  db.rows(sql<Row>`
    select id, state, reason, attempts, due_at from notice_hints
    where id like ${`%/${paymentId}/%`} order by id`)

const isEnded = async (paymentId: string) => {
  const hints = await hintsOf(paymentId)
  return hints.length > 0 && hints.every(({ state }) => state !== 'OPEN')
}

/** A notice as Paystack signs it. */
function postNotice(notice: object) {
  const body = JSON.stringify(notice)
  const key = paystack.variables.PAYSTACK_SECRET_KEY!
  const signature = createHmac('sha512', key).update(body).digest('hex')
  return service.ask('POST', service.noticesPathOf('paystack'), {
    body,
    headers: { 'content-type': 'application/json', 'x-paystack-signature': signature },
  })
}

const chargeNotice = (id: string, amount = 500_000) => ({
  event: 'charge.success',
  data: { id: Number(id), status: 'success', channel: 'bank_transfer', amount },
})

test('copies of a notice are confirmed as one payment', async () => {
  const { reference, accountNumber } = await openAccount()
  const paid = await paystack.pay({ accountNumber, amount: 500_000n, copies: 3 })
  await paystack.drainNotices()
  await until(() => isEnded(paid!.id))
  expect(await hintsOf(paid!.id)).toMatchObject([{ state: 'CONFIRMED', reason: null }])
  expect(await statusOf(reference)).toBe('PAID')
})

test('the amount of a notice is not trusted, though its signature is right', async () => {
  const { reference, accountNumber } = await openAccount()
  const paid = await paystack.pay({ accountNumber, amount: 500_000n, isSilent: true })
  expect((await postNotice(chargeNotice(paid!.id, 900_000_000))).status).toBe(200)
  await until(() => isEnded(paid!.id))
  const { json } = await get(`/v1/collections/virtual-accounts/${reference}`)
  expect(json.data).toMatchObject({ status: 'PAID', amountReceived: 500_000 })
})

test('a wrong signature stores nothing', async () => {
  const reply = await service.ask('POST', service.noticesPathOf('paystack'), {
    body: chargeNotice('424242'),
    headers: { 'x-paystack-signature': 'a'.repeat(128) },
  })
  expect(reply.status).toBe(401)
  expect(await hintsOf('424242')).toEqual([])
})

// The bank may know a payment later than its notice says, or be down.
test('a payment that the bank does not know is retried less and less often, then dropped', async () => {
  await postNotice(chargeNotice('777'))
  await until(async () => (await hintsOf('777'))[0]!.dueAt < after(clock.now(), 5_000))
  const pauses: number[] = []
  for (let attempt = 0; attempt < limits.banks.hintAttemptsMax; attempt += 1) {
    const [before] = await hintsOf('777')
    clock.advance(before!.dueAt.getTime() - clock.now().getTime())
    expect(await work()).toBe(1)
    const [hint] = await hintsOf('777')
    pauses.push(hint!.dueAt.getTime() - clock.now().getTime())
  }
  const [dropped] = await hintsOf('777')
  expect(dropped).toMatchObject({ state: 'DROPPED', reason: 'not confirmed by the bank' })
  const open = pauses.slice(0, -1)
  expect(open).toEqual(open.toSorted((one, other) => one - other))
  expect(Math.max(...open)).toBe(hour)

  // Another copy of the notice opens it again.
  await postNotice(chargeNotice('777'))
  expect(await hintsOf('777')).toMatchObject([{ state: 'OPEN', reason: null, attempts: 0 }])
  await db.rows(sql`delete from notice_hints where id like '%/777/%'`)
})

test('a worker confirms what the API could not, once the bank answers again', async () => {
  const { reference, accountNumber } = await openAccount()
  const paid = await paystack.pay({ accountNumber, amount: 500_000n, isSilent: true })
  paystack.faults.down = 'refused'
  await postNotice(chargeNotice(paid!.id))
  await until(async () => (await hintsOf(paid!.id))[0]!.dueAt < after(clock.now(), 5_000))
  expect(await statusOf(reference)).toBe('ACTIVE')
  paystack.faults.down = 'no'
  clock.advance(limits.banks.hintRetryMs)
  expect(await work()).toBe(1)
  expect(await statusOf(reference)).toBe('PAID')
})

test('a payment that the bank sent back is listed, and books nothing', async () => {
  const { reference, accountNumber } = await openAccount()
  const sent = await paystack.pay({ accountNumber, amount: 400_000n })
  expect(sent!.result).toBe('rejected')
  await paystack.drainNotices()
  await until(async () => (await listRejected(db, 10)).length > 0)
  const [rejected] = await listRejected(db, 10)
  expect(rejected).toMatchObject({
    rail: bank.name,
    mode: 'test',
    reason: '₦4,000.00: INCORRECT_AMOUNT',
    merchant: expect.stringMatching(/^mer_/),
    account: reference,
    merchantReference: `order-${count}`,
  })
  expect(await statusOf(reference)).toBe('ACTIVE')
})

// The list of reversals covers three days.
test('a reversal that comes after days is booked once its notice is confirmed', async () => {
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 2_000_000 })
  const path = '/v1/disbursements/bank-transfer'
  const body = { bankCode: '058', accountNumber: '0123456789', amount: 500_000 }
  const { reference } = (await post(path, body)).json.data
  const statusNow = async () => (await get(`${path}/${reference}`)).json.data.status
  await until(async () => {
    clock.advance(1_000)
    await work()
    return (await statusNow()) === 'COMPLETED'
  })
  const spelled = reference.replace('_', '-')
  const notice = (id: number) => ({
    event: 'transfer.reversed',
    data: { id, status: 'reversed', reference: spelled },
  })

  // A notice alone reverses nothing.
  await postNotice(notice(1))
  await until(() => isEnded('1'))
  expect(await statusNow()).toBe('COMPLETED')

  clock.advance(5 * day)
  paystack.faults.notices = 'lost'
  paystack.reverse(spelled)
  expect((await bank.findReversed(0n)).references).toEqual([])
  paystack.faults.down = 'refused'
  await postNotice(notice(2))
  await until(async () => (await hintsOf('2'))[0]!.dueAt < after(clock.now(), 5_000))
  expect(await statusNow()).toBe('COMPLETED')
  paystack.faults.down = 'no'
  clock.advance(limits.banks.hintRetryMs)
  await work()
  expect(await statusNow()).toBe('REVERSED')
  await postNotice(notice(3))
  await until(() => isEnded('3'))
  expect(await statusNow()).toBe('REVERSED')
})

test('hints are deleted after their retention, unless open', async () => {
  await postNotice(chargeNotice('888'))
  await until(async () => (await hintsOf('888'))[0]!.dueAt < after(clock.now(), 5_000))
  const [before] = await db.rows(sql<{ ended: number }>`
    select count(*)::int as ended from notice_hints where state <> 'OPEN'`)
  const late = after(clock.now(), limits.banks.hintRetentionMs)
  expect(await deleteOldHints(db, late)).toBe(before!.ended)
  expect(await hintsOf('888')).toHaveLength(1)
})
