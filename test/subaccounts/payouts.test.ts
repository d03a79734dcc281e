import { describe, expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { addVatRate } from '../../src/ledger/vat-rates.js'
import { addLevy } from '../../src/payouts/levies/store-levies.js'
import { startOf } from '../../src/reports/calendar.js'
import { readFeesOfMerchants } from '../../src/reports/fees-of-merchants.js'
import { type Margin, readMargins } from '../../src/reports/margins.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'
import { accounts, openMarket } from './shop.js'

const { db, clock, service, openShop, pass } = await openMarket()
const path = '/v1/disbursements/bank-transfer'

type Shop = Awaited<ReturnType<typeof openShop>>

const verify = (shop: Shop, { reference }: { reference: string }) =>
  shop.get(`${path}/${reference}`)

const feesOf = async (shop: Shop) => (await shop.get('/v1/reports/fees')).total

/** Everything that a summary names must explain the change of the balance. */
async function expectSummary(shop: Shop, expected: object) {
  const summary = await shop.get('/v1/balance-entries/summary?asset=NGN')
  const { opening, received, added, converted, moved, refunded, paidOut, fees } = summary
  const sum = opening + received + added + converted - moved - refunded - paidOut - fees
  expect(sum - summary.setAside).toBe(summary.closing)
  expect(summary).toMatchObject(expected)
}

describe('a payout from a sub-account', () => {
  test('holds and spends the money of the sub-account only', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const { status, json } = await shop.payOut({ from: ada.reference })
    expect([status, json.data.from]).toEqual([201, ada.reference])
    const { fee } = json.data
    expect(fee).toBeGreaterThan(0)
    const held = 300_000 + fee
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000 - held, held })
    expect(await shop.balance()).toMatchObject({ available: 0, held: 0 })
    await expectAllProofs(db)
    await pass(5)
    expect(await verify(shop, json.data)).toMatchObject({
      status: 'COMPLETED',
      from: ada.reference,
    })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000 - held, held: 0 })
    const { items } = await shop.get(`/v1/events?resource=${json.data.reference}`)
    expect(items.map(({ data }: { data: { from: string } }) => data.from)).toEqual([
      ada.reference,
      ada.reference,
    ])
    // What sub-accounts pay is neither paid out nor charged on the merchant's statement.
    await expectSummary(shop, { added: 1_000_000, moved: 1_000_000, paidOut: 0, fees: 0 })
    expect(await feesOf(shop)).toMatchObject({ charged: fee, released: 0, kept: fee })
    await expectAllProofs(db)
  })

  test('gives the money back to the sub-account when it fails', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const { json } = await shop.payOut({ from: ada.reference, accountNumber: accounts.fails })
    await pass(5)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'FAILED' })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000, held: 0 })
    expect(await shop.balance()).toMatchObject({ available: 0, held: 0 })
    const { fee } = json.data
    expect(await feesOf(shop)).toMatchObject({ charged: fee, released: fee, kept: 0 })
    await expectAllProofs(db)
  })

  test('gives the money back to the sub-account when the bank reverses it', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const { json } = await shop.payOut({ from: ada.reference, accountNumber: accounts.reverses })
    await pass(20)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'REVERSED' })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000, held: 0 })
    const { fee } = json.data
    expect(await feesOf(shop)).toMatchObject({ charged: fee, reversed: fee, kept: 0 })
    await expectSummary(shop, { paidOut: 0, fees: 0, setAside: 0 })
    await expectAllProofs(db)
  })

  test('that is reversed after the sub-account was closed goes to the merchant', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const { json } = await shop.payOut({ from: ada.reference, accountNumber: accounts.reverses })
    await pass(3)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'COMPLETED' })
    const closed = await shop.post(`/v1/subaccounts/${ada.reference}/close`)
    expect(closed.status, closed.text).toBe(200)
    await pass(20)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'REVERSED' })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, held: 0 })
    expect(await shop.balance()).toMatchObject({ available: 1_000_000 })
    await expectSummary(shop, { moved: 0, paidOut: 0, fees: 0, setAside: 0 })
    await expectAllProofs(db)
  })

  test('gives its stamp duty to the merchant, too, if it is reversed after the closing', async () => {
    const now = clock.now()
    const duty = {
      kind: 'stamp_duty' as const,
      mode: 'test' as const,
      rail: null,
      threshold: 1_000_000n,
      amount: 5_000n,
      exempts: [],
      holdsFrom: now,
      holdsUntil: new Date(now.getTime() + 2_500),
      createdBy: 'ada',
    }
    await db.transaction((tx) => addLevy(tx, now, duty))
    clock.advance(2_000)
    const shop = await openShop()
    const ada = await shop.addFunded(2_000_000)
    const { reference: from } = ada
    const { json } = await shop.payOut({
      from,
      amount: 1_000_000,
      accountNumber: accounts.reverses,
    })
    expect(json.data).toMatchObject({ levy: 5_000 })
    await pass(3)
    await shop.post(`/v1/subaccounts/${from}/close`)
    await pass(20)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'REVERSED' })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, held: 0 })
    expect(await shop.balance()).toMatchObject({ available: 2_000_000 })
    await expectAllProofs(db)
  })

  // Fees of sub-accounts are on no statement of the merchant, from which the others are summed up.
  test('pays fees that the reports of the operator and the merchant count alike', async () => {
    const rate = { mode: 'test', basisPoints: 750, givenBy: 'ada' } as const
    const holdsFrom = after(clock.now(), 2 * day)
    await db.transaction((tx) => addVatRate(tx, clock.now(), { ...rate, holdsFrom }))
    clock.advance(3 * day)
    const from = startOf('day', clock.now())
    const shop = await openShop()
    const ada = await shop.addFunded(2_000_000)
    await shop.fund(1_000_000)
    const before = await readMargins(db, 'test', { from, to: after(from, 2 * day) })
    await shop.payOut({})
    await shop.payOut({ from: ada.reference })
    await shop.payOut({ from: ada.reference, accountNumber: accounts.fails })
    await shop.payOut({ from: ada.reference, accountNumber: accounts.reverses })
    const period = { from, to: after(from, 2 * day) }
    const { merchantId } = shop.merchant.environments.test
    const check = async () => {
      const { kept, vat } = await feesOf(shop)
      const reported = await readFeesOfMerchants(db, 'test', period)
      const own = reported.filter((row) => row.merchantId === merchantId)
      expect(own).toMatchObject([{ asset: 'NGN', kept: BigInt(kept), vat: BigInt(vat) }])
      return { kept, vat }
    }
    await check()
    await pass(20)
    const { kept, vat } = await check()
    expect(vat).toBeGreaterThan(0)
    const sum = (rows: Margin[], name: 'fees' | 'vat') =>
      rows.reduce((total, row) => total + Number(row[name]), 0)
    const margins = await readMargins(db, 'test', period)
    expect(sum(margins, 'fees') - sum(before, 'fees')).toBe(kept)
    expect(sum(margins, 'vat') - sum(before, 'vat')).toBe(vat)
    await expectAllProofs(db)
  })

  test('is told apart from payouts of the merchant in lists, summaries and fees', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    await shop.fund(1_000_000)
    const own = (await shop.payOut({})).json.data
    const ofAda = (await shop.payOut({ from: ada.reference })).json.data
    expect(own).not.toHaveProperty('from')
    await pass(5)
    const references = async (query: string) =>
      (await shop.get(query)).items.map(({ reference }: { reference: string }) => reference)
    for (const list of [path, '/v1/disbursements'])
      expect(await references(`${list}?subaccount=${ada.reference}`)).toEqual([ofAda.reference])
    expect(await references(path)).toEqual([ofAda.reference, own.reference])
    expect(await references(`${path}?subaccount=sub_unknown`)).toEqual([])
    const fee = own.fee
    await expectSummary(shop, { paidOut: 300_000, fees: fee, setAside: 0 })
    expect((await feesOf(shop)).kept).toBe(2 * fee)
    await expectAllProofs(db)
  })
})

describe('refused', () => {
  test('what does not fit, with the name of the sub-account, and nothing is held', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(300_000)
    await shop.fund(5_000_000)
    const refusals = [
      [{ from: ada.reference }, 'insufficient_balance', `is available in ${ada.reference}`],
      [{ from: 'sub_unknown' }, 'not_found', 'sub_unknown'],
      [
        { from: ada.reference, fundFrom: { asset: 'USDC', maxRate: '1500' } },
        'validation_failed',
        'fundFrom',
      ],
    ] as const
    for (const [body, code, message] of refusals) {
      const { json } = await shop.payOut(body)
      expect([json.code, json.message], JSON.stringify(json)).toEqual([
        code,
        expect.stringContaining(message),
      ])
    }
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 300_000, held: 0 })
    expect(await shop.balance()).toMatchObject({ available: 5_000_000, held: 0 })
  })

  test.each(['PAUSED', 'CLOSED'])('payouts and quotes of a %s sub-account', async (status) => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    if (status === 'CLOSED') await shop.post(`/v1/subaccounts/${ada.reference}/close`)
    else await shop.patch(`/v1/subaccounts/${ada.reference}`, { status })
    const quoted = { amount: 300_000, bankCode: '058', accountNumber: accounts.completes }
    for (const { json } of [
      await shop.payOut({ from: ada.reference }),
      await shop.post(`${path}/quote`, { ...quoted, from: ada.reference }),
      await shop.post('/v1/disbursements/batches', {
        kind: 'bank_transfer',
        from: ada.reference,
        items: [quoted],
      }),
    ])
      expect(json).toMatchObject({
        code: 'subaccount_failed',
        reason: 'invalid_state',
        message: expect.stringContaining(`${ada.reference} is ${status.toLowerCase()}`),
      })
  })

  // It may be paused between the preparation and the commit: both are sent at once, many times, and
  // a payout that is created must have been created before the answer to the change.
  test('a payout that meets the pause is refused or was first', async () => {
    const shop = await openShop()
    for (let round = 0; round < 8; round += 1) {
      const ada = await shop.addFunded(1_000_000)
      const [paid, paused] = await Promise.all([
        shop.payOut({ from: ada.reference }),
        shop.patch(`/v1/subaccounts/${ada.reference}`, { status: 'PAUSED' }),
      ])
      expect(paused.status).toBe(200)
      expect([201, 409]).toContain(paid.status)
      const later = await shop.payOut({ from: ada.reference })
      expect(later.json).toMatchObject({ code: 'subaccount_failed', reason: 'invalid_state' })
    }
    await expectAllProofs(db)
  })

  test('a repeated request gets its first answer, also when the sub-account was paused', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const key = shop.merchant.test.secret
    const headers = { 'idempotency-key': 'pays once' }
    const body = {
      amount: 300_000,
      bankCode: '058',
      accountNumber: accounts.completes,
      from: ada.reference,
    }
    const first = await service.ask('POST', path, { key, body, headers })
    await shop.patch(`/v1/subaccounts/${ada.reference}`, { status: 'PAUSED' })
    const again = await service.ask('POST', path, { key, body, headers })
    expect([again.status, again.json.data]).toEqual([201, first.json.data])
  })
})

// Ten payouts race for money that covers three.
test('racing payouts never spend more than the sub-account has', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000)
  await shop.fund(10_000_000)
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => shop.payOut({ from: ada.reference })),
  )
  const created = replies.filter(({ status }) => status === 201)
  expect(created).toHaveLength(3)
  for (const { status, json } of replies)
    if (status !== 201) expect(json.code).toBe('insufficient_balance')
  expect(await shop.balance()).toMatchObject({ available: 10_000_000, held: 0 })
  await expectAllProofs(db)
})

describe('under an approval rule', () => {
  async function openRuled() {
    const shop = await openShop()
    const { reference: merchant } = shop.merchant
    const ada = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
    const bola = await addPerson(service, { merchant, role: 'finance', name: 'Bola Ade' })
    const rule = { appliesTo: 'console', NGN: { each: 200_000, perDay: 250_000 } }
    const body = { ...rule, USDC: null, USDT: null }
    const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
    expect(changed.status, changed.text).toBe(200)
    return { shop, ada, bola }
  }
  const payment = { amount: 300_000, bankCode: '058', accountNumber: accounts.completes }

  test('it waits, its approval names the sub-account, and a pause stops it', async () => {
    const { shop, ada, bola } = await openRuled()
    const seller = await shop.addFunded(1_000_000)
    const { json } = await ada.ask('POST', path, { body: { ...payment, from: seller.reference } })
    const { reference, orderHash, fee } = json.data
    expect(json.data).toMatchObject({ status: 'PENDING', from: seller.reference })
    const held = 300_000 + fee
    expect(await shop.balanceOf(seller)).toMatchObject({ held })
    await shop.patch(`/v1/subaccounts/${seller.reference}`, { status: 'PAUSED' })
    const approve = () =>
      bola.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })
    const refused = await approve()
    expect(refused.json).toMatchObject({ code: 'approval_failed', reason: 'invalid_state' })
    expect(await verify(shop, json.data)).toMatchObject({ status: 'PENDING' })
    await shop.patch(`/v1/subaccounts/${seller.reference}`, { status: 'ACTIVE' })
    const approved = await approve()
    expect(approved.json.data, approved.text).toMatchObject({ status: 'SUBMITTED' })
    await pass(5)
    expect(await verify(shop, json.data)).toMatchObject({ status: 'COMPLETED' })
    await expectAllProofs(db)
  })

  test('the sum of the day counts payouts of the merchant and its sub-accounts', async () => {
    const { shop, ada } = await openRuled()
    const seller = await shop.addFunded(1_000_000)
    await shop.fund(1_000_000)
    const send = async (more: object) =>
      (await ada.ask('POST', path, { body: { ...payment, amount: 150_000, ...more } })).json.data
    expect(await send({ from: seller.reference })).toMatchObject({ status: 'SUBMITTED' })
    expect(await send({})).toMatchObject({ status: 'PENDING' })
    expect(await send({ from: seller.reference })).toMatchObject({ status: 'PENDING' })
    await expectAllProofs(db)
  })
})

describe('a batch from a sub-account', () => {
  const batches = '/v1/disbursements/batches'
  const items = [accounts.completes, accounts.fails].map((accountNumber) => ({
    amount: 100_000,
    bankCode: '058',
    accountNumber,
  }))

  test('pays every item from it, and so does its retry', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(1_000_000)
    const { json } = await shop.post(batches, {
      kind: 'bank_transfer',
      from: ada.reference,
      items,
    })
    const batch = json.data
    expect(batch).toMatchObject({ from: ada.reference })
    await pass(2)
    const submitted = await shop.post(`${batches}/${batch.reference}/submit`)
    expect(submitted.status, submitted.text).toBe(200)
    await pass(60)
    const ended = await shop.get(`${batches}/${batch.reference}`)
    expect(ended).toMatchObject({ status: 'COMPLETED', counts: { completed: 1, failed: 1 } })
    const { available } = await shop.balanceOf(ada)
    expect(available).toBe(1_000_000 - ended.paid.amount - ended.paid.fee)
    const retried = await shop.post(`${batches}/${batch.reference}/retry`)
    expect(retried.json.data).toMatchObject({ from: ada.reference })
    const { items: own } = await shop.get(`${batches}?subaccount=${ada.reference}`)
    expect(own).toHaveLength(2)
    expect(await shop.balance()).toMatchObject({ available: 0, held: 0 })
    await expectAllProofs(db)
  })

  test('is not submitted beyond its balance, and a pause fails what is not paid', async () => {
    const shop = await openShop()
    const ada = await shop.addFunded(150_000)
    await shop.fund(1_000_000)
    const body = { kind: 'bank_transfer', from: ada.reference, items }
    const { reference } = (await shop.post(batches, body)).json.data
    await pass(2)
    const short = await shop.post(`${batches}/${reference}/submit`)
    expect(short.json).toMatchObject({
      code: 'insufficient_balance',
      message: expect.stringContaining(`is available in ${ada.reference}`),
    })
    const transfers = `/v1/subaccounts/${ada.reference}/transfers`
    await shop.post(transfers, { from: 'merchant', asset: 'NGN', amount: 500_000 })
    expect((await shop.post(`${batches}/${reference}/submit`)).status).toBe(200)
    await shop.patch(`/v1/subaccounts/${ada.reference}`, { status: 'PAUSED' })
    await pass(60)
    const ended = await shop.get(`${batches}/${reference}/items`)
    for (const item of ended.items)
      expect(item).toMatchObject({ status: 'FAILED', problem: { reason: 'invalid_state' } })
    expect(await shop.balanceOf(ada)).toMatchObject({ available: 650_000, held: 0 })
    await expectAllProofs(db)
  })
})
