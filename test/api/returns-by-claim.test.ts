import { afterEach, beforeEach, expect, test } from 'vitest'
import { day } from '../../src/base/clock.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { expireClaims } from '../../src/payouts/claims/end-claims.js'
import { sql } from '../../src/postgres/sql.js'
import { claimMoney, confirm, enter, openPage, ticketIn } from '../payouts/claims/recipient.js'
import { openInvoicedShop } from '../support/invoiced-shop.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, type Desk, keyed, openDesk } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, clock } = service
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(db))

const account = { bankCode: '058', accountNumber: '0123456789' }
const closedAccount = { bankCode: '999', accountNumber: behaves.failing }
const reversingAccount = { bankCode: '999', accountNumber: behaves.reversing }
const masked = { accountNumber: '0123456789', bankCode: '058', masked: true }

let keys = 0
const newKey = () => {
  keys += 1
  return keyed(`by-claim-${keys}`)
}

/** An accepted payment of ₦5,000 whose sender the bank masks, with the fee of ₦50 covered. */
async function accepted() {
  const { accountNumber } = await desk.open()
  const paid = await desk.pay(accountNumber, { amount: 500_000, sender: masked })
  await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000 })
  return paid
}

/** A payment of ₦2,000 that is too small, and held. */
async function held() {
  await desk.setPolicy({ underpayment: 'hold' })
  const { accountNumber } = await desk.open()
  return desk.pay(accountNumber, { amount: 200_000, sender: masked })
}

async function refundByClaim({ reference }: { reference: string }, more: object = {}) {
  const { status, json, text } = await desk.refund(reference, { by: 'claim', ...more }, newKey())
  expect(status, text).toBe(201)
  return json.data
}

async function returnByClaim({ reference }: { reference: string }, more: object = {}) {
  const body = { action: 'return', by: 'claim', ...more }
  const { status, json, text } = await desk.resolve(reference, body, newKey())
  expect(status, text).toBe(200)
  return json.data
}

const readClaim = async (reference: string) => (await desk.get(`/v1/claims/${reference}`)).json.data

const cancel = ({ reference }: { reference: string }) =>
  desk.post(`/v1/claims/${reference}/cancel`, {}, newKey())

const expire = () => expireClaims({ db, follow: followReturns }, clock.now())

test('the payer of a refund says where it goes; only then it is returned', async () => {
  const paid = await accepted()
  const why = { reason: 'requested_by_customer', note: 'Asked by phone' }
  const { claim, ...payment } = await refundByClaim(paid, { ...why, amount: 300_000 })
  expect(payment).toMatchObject({
    status: 'RETURNING',
    amountAccepted: 200_000,
    amountReturning: 300_000,
    refund: { amount: 300_000, ...why },
  })
  expect(claim).toMatchObject({
    status: 'OPEN',
    asset: 'NGN',
    amount: 300_000,
    feeMax: 0,
    payment: paid.reference,
    description: 'Refund of your payment',
    url: expect.stringMatching(/\/claim\/[\w-]{43}$/),
  })
  expect(await desk.sums()).toEqual([200_000, 300_000, 0])
  const open = { kind: 'refund', status: 'SENT', destination: null, claim: claim.reference }
  expect(await desk.returnsOf(paid.reference)).toMatchObject([{ ...open, ...why }])
  // The link is shown once.
  expect(await readClaim(claim.reference)).toEqual({ ...claim, url: null })
  expect(await desk.payment(paid.reference)).not.toHaveProperty('claim')
  await expectAllProofs(db)

  await claimMoney(claim.url, account)
  expect(await desk.sums()).toEqual([200_000, 300_000, 0])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { status: 'SENT', claim: claim.reference, destination: account },
  ])
  expect(await desk.payment(paid.reference)).toMatchObject({ amountReturning: 300_000 })
  await expectAllProofs(db)

  await service.pass(6)
  expect((await openPage(claim.url)).text).toContain('The money has arrived')
  const back = await desk.payment(paid.reference)
  expect(back).toMatchObject({ status: 'ACCEPTED', amountReturned: 300_000, amountReturning: 0 })
  expect(await desk.lastEventData(paid.reference)).toEqual(back)
  expect(await desk.eventTypes(paid.reference)).toEqual(['payment.returning', 'payment.refunded'])
  expect(await desk.eventTypes(claim.reference)).toEqual(['claim.created', 'claim.claimed'])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { status: 'RETURNED', endedAt: expect.any(String), destination: account },
  ])
  expect(await desk.sums()).toEqual([200_000, 0, 0])
  expect(await desk.statement()).toEqual([
    ['payment', 'post', 500_000],
    ['payment_fee', 'post', -5_000],
    ['test_funding', 'post', 5_000],
    ['claim', 'hold', -300_000],
    ['claim', 'release', 300_000],
    ['payment_refund', 'hold', -300_000],
  ])
  // It is a return, and no transfer of the merchant.
  expect((await desk.get('/v1/disbursements/bank-transfer')).json.data.items).toEqual([])
})

test('held money is returned by claim, without touching the balance', async () => {
  const paid = await held()
  expect(await desk.sums()).toEqual([0, 0, 200_000])
  const { claim, ...payment } = await returnByClaim(paid)
  expect(payment).toMatchObject({ status: 'RETURNING', amountHeld: 0, amountReturning: 200_000 })
  expect(await desk.sums()).toEqual([0, 0, 0])
  await expectAllProofs(db)
  await claimMoney(claim.url, account)
  await expectAllProofs(db)
  await service.pass(6)
  expect(await desk.payment(paid.reference)).toMatchObject({
    status: 'RETURNED',
    amountReturned: 200_000,
  })
  expect(await desk.eventTypes(paid.reference)).toEqual([
    'payment.held',
    'payment.returning',
    'payment.returned',
  ])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { kind: 'return', status: 'RETURNED', claim: claim.reference, reason: null },
  ])
  expect(await desk.statement()).toEqual([])
})

test('a payout that fails opens the claim again, and the money stays on its way', async () => {
  for (const [paid, start] of [
    [await accepted(), refundByClaim],
    [await held(), returnByClaim],
  ] as const) {
    const { claim, amountReturning } = await start(paid)
    await claimMoney(claim.url, closedAccount)
    await service.pass(10)
    expect(await readClaim(claim.reference)).toMatchObject({ status: 'OPEN', payout: null })
    expect(await desk.payment(paid.reference)).toMatchObject({ amountReturning })
    expect(await desk.returnsOf(paid.reference)).toMatchObject([
      { status: 'SENT', failureReason: null, endedAt: null, destination: null },
    ])
    await expectAllProofs(db)
    await claimMoney(claim.url, account)
    await service.pass(10)
    expect(await desk.payment(paid.reference)).toMatchObject({
      amountReturning: 0,
      amountReturned: amountReturning,
    })
    expect(await desk.eventTypes(claim.reference)).toEqual([
      'claim.created',
      'claim.claimed',
      'claim.reopened',
      'claim.claimed',
    ])
    await expectAllProofs(db)
  }
})

test.each(['cancelled', 'expired'])(
  'money whose claim is %s is accepted or held again, and can be returned again',
  async (end) => {
    for (const [paid, start, event] of [
      [await accepted(), refundByClaim, 'payment.refund_failed'],
      [await held(), returnByClaim, 'payment.held'],
    ] as const) {
      const before = await desk.payment(paid.reference)
      const sums = await desk.sums()
      const { claim } = await start(paid)
      if (end === 'cancelled') expect((await cancel(claim)).status).toBe(200)
      else {
        clock.advance(31 * day)
        expect(await expire()).toBe(1)
      }
      expect(await desk.payment(paid.reference)).toEqual(before)
      expect(await desk.sums()).toEqual(sums)
      expect((await desk.eventTypes(paid.reference)).at(-1)).toBe(event)
      expect(await desk.returnsOf(paid.reference)).toMatchObject([
        { status: 'FAILED', failureReason: `claim_${end}`, endedAt: expect.any(String) },
      ])
      await expectAllProofs(db)
      const again = await start(paid)
      await claimMoney(again.claim.url, account)
      await service.pass(6)
      expect(await desk.payment(paid.reference)).toMatchObject({ amountReturning: 0 })
      await expectAllProofs(db)
    }
  },
)

test('a payout that fails after the time of its claim ends the return', async () => {
  const paid = await accepted()
  const expiresAt = new Date(clock.now().getTime() + day).toISOString()
  const { claim } = await refundByClaim(paid, { claim: { expiresAt } })
  clock.advance(day - 1_000)
  await claimMoney(claim.url, closedAccount)
  await service.pass(10)
  expect(await readClaim(claim.reference)).toMatchObject({ status: 'EXPIRED' })
  expect(await desk.payment(paid.reference)).toEqual(paid)
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { status: 'FAILED', failureReason: 'claim_expired' },
  ])
})

test('a payout that the bank reverses gives the money back to the payment', async () => {
  for (const [paid, start] of [
    [await accepted(), refundByClaim],
    [await held(), returnByClaim],
  ] as const) {
    const before = await desk.payment(paid.reference)
    const { claim } = await start(paid)
    await claimMoney(claim.url, reversingAccount)
    await service.pass(30)
    expect(await desk.returnsOf(paid.reference)).toMatchObject([{ status: 'REVERSED' }])
    expect(await desk.payment(paid.reference)).toEqual(before)
    expect(await readClaim(claim.reference)).toMatchObject({ status: 'CLAIMED' })
    await expectAllProofs(db)
  }
})

test('refunds by claim in parts, beside others, never exceed what was accepted', async () => {
  const paid = await accepted()
  const first = await refundByClaim(paid, { amount: 200_000 })
  const second = await refundByClaim(paid, { amount: 200_000 })
  const { json } = await desk.refund(paid.reference, { by: 'claim', amount: 100_001 }, newKey())
  expect(json).toMatchObject({ code: 'payment_action_failed', reason: 'amount_too_large' })
  expect((await desk.refund(paid.reference, { amount: 100_000 })).status).toBe(201)
  await cancel(first.claim)
  await claimMoney(second.claim.url, account)
  await service.pass(6)
  expect(await desk.payment(paid.reference)).toMatchObject({
    amountAccepted: 200_000,
    amountReturning: 0,
    amountReturned: 300_000,
  })
  expect(await desk.sums()).toEqual([200_000, 0, 0])
})

test('a repeat with the same key gets the same link, and returns money once', async () => {
  const paid = await accepted()
  const body = { by: 'claim', amount: 100_000, claim: { email: 'ada@example.com' } }
  const key = newKey()
  const first = await desk.refund(paid.reference, body, key)
  const again = await desk.refund(paid.reference, body, key)
  expect([first.status, again.text]).toEqual([201, first.text])
  expect(await desk.payment(paid.reference)).toMatchObject({ amountReturning: 100_000 })
  const { items } = (await desk.get('/v1/mails?kind=claim')).json.data
  expect(items).toMatchObject([{ subject: 'Test: ₦1,000.00 from Ada' }])
  const token = first.json.data.claim.url.split('/').at(-1)
  const tables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`)
  for (const { name } of tables) {
    const found = await db.rows(sql`
      select from ${sql.raw(name)} r where r::text like ${`%${token}%`} limit 1`)
    expect(found, name).toEqual([])
  }
})

test.each([
  ['Idempotency-Key', { by: 'claim' }, {}],
  ['destination', { by: 'claim', destination: account }, keyed('x-1')],
  ['claim', { claim: { email: 'ada@example.com' } }, keyed('x-2')],
  ['claim.secretWord', { by: 'claim', claim: { secretWord: ' abc ' } }, keyed('x-3')],
  ['claim.expiresAt', { by: 'claim', claim: { expiresAt: '2020-01-01' } }, keyed('x-4')],
  ['by', { by: 'mail' }, keyed('x-5')],
])('%s is refused if it is wrong', async (field, body, headers) => {
  const paid = await accepted()
  const { status, json, text } = await desk.refund(paid.reference, body, headers)
  expect([status, json.details?.[0]?.field], text).toEqual([400, field])
  expect(await desk.payment(paid.reference)).toEqual(paid)
})

test('money that is not there cannot be returned by claim', async () => {
  const paid = await held()
  const refund = await desk.refund(paid.reference, { by: 'claim' }, newKey())
  expect(refund.json).toMatchObject({ code: 'payment_action_failed', reason: 'invalid_state' })
  await returnByClaim(paid)
  const body = { action: 'return', by: 'claim' }
  const again = await desk.resolve(paid.reference, body, newKey())
  expect(again.json).toMatchObject({ code: 'payment_action_failed', reason: 'invalid_state' })
  const spent = await accepted()
  const { available } = await desk.naira()
  const out = { amount: available - 100_000, ...account }
  expect((await desk.post('/v1/disbursements/bank-transfer', out, newKey())).status).toBe(201)
  const late = await desk.refund(spent.reference, { by: 'claim' }, newKey())
  expect([late.status, late.json.code]).toEqual([402, 'insufficient_balance'])
})

// Requests of the payer and of the merchant at once: one of them wins, and the books follow.
test('claiming, cancelling and expiring at once ends the return one way', async () => {
  for (const start of [refundByClaim, returnByClaim]) {
    const paid = start === refundByClaim ? await accepted() : await held()
    const before = await desk.payment(paid.reference)
    const expiresAt = new Date(clock.now().getTime() + day).toISOString()
    const { claim } = await start(paid, { claim: { expiresAt } })
    const ticket = ticketIn(await enter(claim.url, account))
    await Promise.all([
      confirm(claim.url, ticket),
      cancel(claim),
      confirm(claim.url, ticket),
      cancel(claim),
    ])
    await service.pass(6)
    const { status } = await readClaim(claim.reference)
    const after = await desk.payment(paid.reference)
    if (status === 'CLAIMED')
      expect(after.amountReturned).toBe(before.amountAccepted + before.amountHeld)
    else expect([status, after]).toEqual(['CANCELLED', before])
    await expectAllProofs(db)
  }
})

test('the approval rule applies when the money is claimed, and a rejection ends the return', async () => {
  const { reference: merchant } = desk.merchant
  const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi', merchant })
  const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade', merchant })
  await ada.ask('PATCH', '/v1/settings/approvals', {
    body: { appliesTo: 'console', NGN: { each: 100_000, perDay: null }, USDC: null, USDT: null },
  })
  const decide = async (paid: { reference: string }, verdict: 'approve' | 'reject') => {
    const path = `/v1/collections/payments/${paid.reference}/refund`
    const { json, text } = await ada.ask('POST', path, { body: { by: 'claim' } })
    expect(json.data, text).toMatchObject({ status: 'RETURNING' })
    await claimMoney(json.data.claim.url, account)
    expect((await openPage(json.data.claim.url)).text).toContain('Waiting for approval')
    const [waiting] = await desk.returnsOf(paid.reference)
    expect(waiting).toMatchObject({ status: 'PENDING', destination: account })
    const { payout } = await readClaim(json.data.claim.reference)
    const shown = await bola.ask('GET', `/v1/disbursements/${payout}`)
    expect(shown.json.data, shown.text).toMatchObject({ payment: paid.reference })
    expect((await bola.ask('GET', `/v1/timeline/${payout}`)).status).toBe(200)
    await expectAllProofs(db)
    const body = verdict === 'approve' ? { orderHash: waiting.orderHash } : { reason: 'Wrong' }
    const own = await ada.ask('POST', `/v1/disbursements/${payout}/approve`, {
      body: { orderHash: waiting.orderHash },
    })
    expect(own.json.reason).toBe('own_payout')
    const decided = await bola.ask('POST', `/v1/disbursements/${payout}/${verdict}`, { body })
    expect(decided.status, decided.text).toBe(200)
    await service.pass(6)
  }
  const approved = await accepted()
  await decide(approved, 'approve')
  expect(await desk.payment(approved.reference)).toMatchObject({ amountReturned: 500_000 })
  await expectAllProofs(db)
  const rejected = await accepted()
  await decide(rejected, 'reject')
  expect(await desk.payment(rejected.reference)).toEqual(rejected)
  expect(await desk.returnsOf(rejected.reference)).toMatchObject([
    { status: 'FAILED', failureReason: 'claim_cancelled' },
  ])
})

test('it needs the permission to decide on payments and the one to pay out', async () => {
  const paid = await accepted()
  const keyWith = (permissions: ('payments.decide' | 'payouts.create')[]) =>
    db.transaction(async (tx) => {
      const { key } = await issueKey(tx, clock.now(), {
        seal: service.seal,
        environment: desk.merchant.environments.test,
        kind: 'secret',
        name: 'Desk',
        expiresAt: null,
        allowedAddresses: [],
        permissions,
      })
      return key.reveal()
    })
  const decides = await keyWith(['payments.decide'])
  const pays = await keyWith(['payouts.create'])
  const both = await keyWith(['payments.decide', 'payouts.create'])
  const ask = (key: string, path: string, body: object) =>
    service.ask('POST', path, { key, body, headers: newKey() })
  const path = `/v1/collections/payments/${paid.reference}/refund`
  for (const key of [decides, pays])
    expect((await ask(key, path, { by: 'claim' })).json).toMatchObject({
      code: 'forbidden',
      reason: 'key_permission',
    })
  expect(await desk.payment(paid.reference)).toEqual(paid)
  const made = await ask(both, path, { by: 'claim' })
  expect(made.status, made.text).toBe(201)
  const end = `/v1/claims/${made.json.data.claim.reference}/cancel`
  expect((await ask(pays, end, {})).json).toMatchObject({ code: 'forbidden' })
  expect((await ask(both, end, {})).status).toBe(200)
  expect(await desk.payment(paid.reference)).toEqual(paid)
})

// An ordinary refund of the same payment is the measure: books of customers must not differ.
test('invoices and credit follow a refund by claim as an ordinary one', async () => {
  const shop = await openInvoicedShop(service)
  const invoice = await shop.invoice(300_000)
  const payment = await shop.pay(500_000)
  await shop.ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const path = `/v1/collections/payments/${payment.reference}`
  const state = async () => {
    const { status, amountPaid, amountDue, amountRefunded } = await shop.read(invoice)
    const { items } = await shop.ask('GET', `${path}/allocations`)
    return { status, amountPaid, amountDue, amountRefunded, items, credit: await shop.credit() }
  }
  const before = await state()
  const body = { amount: 350_000 }
  await shop.ask('POST', `${path}/refund`, { ...body, destination: closedAccount })
  const refunded = await state()
  expect(refunded).not.toEqual(before)
  await service.pass(10)
  const failed = await state()
  const { claim } = await shop.ask('POST', `${path}/refund`, { ...body, by: 'claim' })
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, one) => (key === 'items' ? one.length : one)))
  expect(withoutIds(await state())).toEqual(withoutIds(refunded))
  await expectAllProofs(db)
  await shop.ask('POST', `/v1/claims/${claim.reference}/cancel`)
  expect(withoutIds(await state())).toEqual(withoutIds(failed))
  await expectAllProofs(db)
  const again = await shop.ask('POST', `${path}/refund`, { ...body, by: 'claim' })
  await claimMoney(again.claim.url, account)
  await service.pass(10)
  expect(withoutIds(await state())).toEqual(withoutIds(refunded))
})
