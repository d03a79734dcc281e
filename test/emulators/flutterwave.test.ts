import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFlutterwaveEmulator } from '../../emulators/flutterwave/emulator.js'
import { day, hour, minute, second } from '../../src/base/clock.js'
import { manualClock } from '../support/clock.js'
import { whenDone } from '../support/open-manilla.js'
import { openReceiver } from '../support/receiver.js'

type Options = Partial<Parameters<typeof createFlutterwaveEmulator>[0]>
type Json = Record<string, unknown>

/** 10,000 times as fast: a transfer takes half a millisecond, a retry pause 180. */
const speed = 10_000

async function open(options: Options = {}) {
  const clock = manualClock()
  const emulator = await createFlutterwaveEmulator({ clock, speed, ...options })
  whenDone(() => emulator.close())
  const key = emulator.variables.FLUTTERWAVE_SECRET_KEY!

  async function call(method: string, route: string, body?: Json, authorization = `Bearer ${key}`) {
    const response = await fetch(`${emulator.url}${route}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, text, json: JSON.parse(text) as Json }
  }

  const get = (route: string) => call('GET', route)
  const post = (route: string, body: Json) => call('POST', route, body)

  async function openTemporary(txRef: string, fields: Json = {}) {
    const { json } = await post('/charges?type=bank_transfer', { ...charge(txRef), ...fields })
    return (json.meta as { authorization: Json }).authorization
  }

  async function openStatic(txRef: string) {
    const { json } = await post('/virtual-account-numbers', { ...permanent, tx_ref: txRef })
    return json.data as Json
  }

  /** The transfer with this reference, once it is no longer NEW or PENDING. */
  async function ended(reference: string) {
    for (;;) {
      const [row] = rowsOf(await get(`/transfers?reference=${reference}`))
      if (row && row.status !== 'NEW' && row.status !== 'PENDING') return row
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  return { clock, emulator, call, get, post, openTemporary, openStatic, ended }
}

function charge(txRef: string): Json {
  return { tx_ref: txRef, amount: 1500, email: 'ada@example.com', currency: 'NGN' }
}

const permanent = {
  email: 'ada@example.com',
  narration: 'Ada Stores',
  is_permanent: true,
  bvn: '22222222222',
}

function order(reference: string, fields: Json = {}): Json {
  return {
    account_bank: '044',
    account_number: '0690000040',
    amount: 5500,
    currency: 'NGN',
    narration: 'Salary',
    reference,
    ...fields,
  }
}

function rowsOf({ json }: { json: Json }): Json[] {
  return json.data as Json[]
}

describe('access', () => {
  test('every route asks for the secret key', async () => {
    const { emulator, call } = await open()
    const missing = await fetch(`${emulator.url}/banks/NG`)
    expect(missing.status).toBe(401)
    expect(await missing.json()).toEqual({
      status: 'error',
      message: 'Authorization required',
      data: null,
    })
    const wrong = await call('GET', '/balances/NGN', undefined, 'Bearer FLWSECK-wrong-X')
    expect(wrong.status).toBe(401)
    expect(wrong.json.message).toBe('Invalid authorization key')
  })

  test('an unknown route is answered in the envelope', async () => {
    const { get } = await open()
    const { status, json } = await get('/nowhere')
    expect([status, json.status, json.data]).toEqual([404, 'error', null])
  })
})

describe('temporary accounts', () => {
  test('a charge gives an account with an expiry in milliseconds and an amount as text', async () => {
    const { clock, post } = await open()
    const { status, json } = await post('/charges?type=bank_transfer', charge('order-1'))
    expect(status).toBe(200)
    expect(json).toEqual({
      status: 'success',
      message: 'Charge initiated',
      meta: {
        authorization: {
          transfer_reference: expect.stringMatching(/^FLW-[0-9a-f]{32}$/),
          transfer_account: expect.stringMatching(/^\d{10}$/),
          transfer_bank: 'WEMA BANK',
          account_expiration: clock.now().getTime() + hour,
          transfer_note: 'Please make a bank transfer to Flutterwave Customer',
          transfer_amount: '1500.00',
          mode: 'banktransfer',
        },
      },
    })
  })

  test('the expiry can be set, and is clamped to a day without a word', async () => {
    const { clock, openTemporary } = await open()
    const now = clock.now().getTime()
    expect((await openTemporary('a', { expires: 600 })).account_expiration).toBe(now + 10 * minute)
    expect((await openTemporary('b', { expires: 700_000 })).account_expiration).toBe(now + day)
  })

  test('the other kind lasts an hour and has zone-less times of Lagos', async () => {
    const { clock, post } = await open()
    clock.advance(minute + second)
    const { json } = await post('/virtual-account-numbers', charge('order-1'))
    expect(json.message).toBe('Virtual account created')
    expect(json.data).toMatchObject({
      response_code: '02',
      order_ref: expect.stringMatching(/^URF_\d+_\d+$/),
      frequency: '1',
      created_at: '2026-01-05 10:01:01',
      expiry_date: '2026-01-05 11:01:01',
      amount: '1500.00',
    })
  })

  test('a repeated reference opens another account', async () => {
    const { openTemporary } = await open()
    const first = await openTemporary('order-1')
    const second = await openTemporary('order-1')
    expect(second.transfer_account).not.toBe(first.transfer_account)
  })

  test('where payers bear the fee, it is added to the amount', async () => {
    const { emulator, openTemporary, get } = await open()
    emulator.setFeesPaidBy('payer')
    const account = await openTemporary('order-1', { amount: 100 })
    expect(account.transfer_amount).toBe('101.40')
    const paid = await emulator.pay({
      accountNumber: account.transfer_account as string,
      amount: 10_140n,
    })
    const { json } = await get(`/transactions/${paid!.id}/verify`)
    expect(json.data).toMatchObject({ amount: 100, charged_amount: 101.4, app_fee: 1.4 })
  })

  test('an account takes one payment of any amount, and none after its expiry', async () => {
    const { clock, emulator, openTemporary } = await open()
    const accountNumber = (await openTemporary('a')).transfer_account as string
    const late = (await openTemporary('b')).transfer_account as string
    const pay = (number: string) => emulator.pay({ accountNumber: number, amount: 99n })
    expect((await pay(accountNumber))?.result).toBe('received')
    expect((await pay(accountNumber))?.result).toBe('rejected')
    clock.advance(hour)
    expect((await pay(late))?.result).toBe('rejected')
    expect(await pay('1234567890')).toBeUndefined()
    expect(emulator.books().payments).toHaveLength(1)
  })

  test('a number is given to another account after it has expired', async () => {
    const { clock, emulator, openTemporary } = await open()
    const first = (await openTemporary('first')).transfer_account as string
    expect((await openTemporary('second')).transfer_account).not.toBe(first)
    clock.advance(hour)
    const again = (await openTemporary('again')).transfer_account as string
    expect(again).toBe(first)
    await emulator.pay({ accountNumber: first, amount: 150_000n })
    expect(emulator.books().payments[0]).toMatchObject({ reference: 'again', accountNumber: first })
  })

  test('an account whose answer is lost exists', async () => {
    const { emulator, openTemporary, post } = await open()
    emulator.faults.lostOpenings = 1
    await expect(openTemporary('order-1')).rejects.toThrow()
    const { status } = await post('/charges?type=bank_transfer', charge('order-1'))
    expect(status).toBe(200)
  })

  test.each([
    ['tx_ref', { tx_ref: '' }, 'tx_ref is required'],
    ['email', { email: null }, 'email is required'],
    ['amount', { amount: '12.345' }, 'amount is required'],
  ])('a charge without %s is refused', async (_name, fields, message) => {
    const { post } = await open()
    const { status, json } = await post('/charges?type=bank_transfer', {
      ...charge('a'),
      ...fields,
    })
    expect([status, json.message]).toEqual([400, message])
  })
})

describe('static accounts', () => {
  test('never expire and have no amount', async () => {
    const { openStatic, get } = await open()
    const account = await openStatic('customer-1')
    expect(account).toMatchObject({
      frequency: 'N/A',
      expiry_date: 'N/A',
      amount: null,
      note: 'Please make a bank transfer to Ada Stores',
    })
    const { json } = await get(`/virtual-account-numbers/${account.order_ref}`)
    expect(json).toEqual({ status: 'success', message: 'Virtual nuban fetched', data: account })
  })

  test('need a BVN or NIN of 11 digits', async () => {
    const { post } = await open()
    const without = await post('/virtual-account-numbers', { ...permanent, bvn: undefined })
    const short = await post('/virtual-account-numbers', { ...permanent, bvn: '123' })
    const nin = await post('/virtual-account-numbers', {
      ...permanent,
      bvn: undefined,
      nin: '11111111111',
    })
    expect([without.status, short.status, nin.status]).toEqual([400, 400, 200])
  })

  test('take payments until they are deactivated', async () => {
    const { emulator, openStatic, post } = await open()
    const { account_number: number, order_ref: orderRef } = await openStatic('customer-1')
    const pay = () => emulator.pay({ accountNumber: number as string, amount: 5_000n })
    expect([(await pay())?.result, (await pay())?.result]).toEqual(['received', 'received'])
    const { json } = await post(`/virtual-account-numbers/${orderRef}`, { status: 'inactive' })
    expect(json.data).toEqual({ status: '00', status_desc: 'Deactivated successfully' })
    expect((await pay())?.result).toBe('rejected')
  })

  test('payments share a reference: verification by reference returns only the newest', async () => {
    const { emulator, openStatic, get } = await open()
    const { account_number: number } = await openStatic('customer-1')
    for (const amount of [5_000n, 7_050n])
      await emulator.pay({ accountNumber: number as string, amount })
    const { json } = await get('/transactions/verify_by_reference?tx_ref=customer-1')
    expect(json.data).toMatchObject({ tx_ref: 'customer-1', amount: 70.5 })
    expect(rowsOf(await get('/transactions?tx_ref=customer-1'))).toHaveLength(2)
  })
})

describe('payments', () => {
  test('are verified by an id above 2^31, with a masked sender', async () => {
    const { emulator, openTemporary, get } = await open()
    const { transfer_account: number } = await openTemporary('order-1')
    const paid = await emulator.pay({
      accountNumber: number as string,
      amount: 150_000n,
      senderName: 'JOHN DOE',
      senderAccountNumber: '1234567890',
    })
    expect(Number(paid!.id)).toBeGreaterThan(2 ** 31)
    const { json } = await get(`/transactions/${paid!.id}/verify`)
    expect(json).toMatchObject({
      status: 'success',
      message: 'Transaction fetched successfully',
      data: {
        id: Number(paid!.id),
        tx_ref: 'order-1',
        amount: 1500,
        charged_amount: 1500,
        app_fee: 21,
        amount_settled: 1479,
        currency: 'NGN',
        status: 'successful',
        payment_type: 'bank_transfer',
        created_at: '2026-01-05T09:00:00.000Z',
        meta: {
          originatoraccountnumber: '123*******90',
          originatorname: 'JOHN DOE',
          bankname: 'Access Bank',
          originatoramount: 'N/A',
        },
      },
    })
    expect(JSON.stringify(json)).not.toContain(number)
  })

  test('an unknown id or reference is a 400', async () => {
    const { get, openTemporary } = await open()
    await openTemporary('unpaid')
    const answers = [
      await get('/transactions/17/verify'),
      await get('/transactions/verify_by_reference?tx_ref=unpaid'),
    ]
    for (const { status, json } of answers)
      expect([status, json.message]).toEqual([400, 'No transaction was found for this id'])
  })

  test('are listed by day, ten to a page, newest first, with ids as text', async () => {
    const { clock, emulator, openStatic, get } = await open()
    const { account_number: number } = await openStatic('customer-1')
    const pay = () => emulator.pay({ accountNumber: number as string, amount: 100n })
    await pay()
    clock.advance(day)
    for (let index = 0; index < 12; index += 1) await pay()
    const first = await get('/transactions?from=2026-01-06&to=2026-01-06T10:00:00Z')
    expect(first.json.meta).toEqual({
      page_info: { total: 12, current_page: 1, total_pages: 2 },
    })
    expect(rowsOf(first)).toHaveLength(10)
    const ids = rowsOf(first).map(({ id }) => id)
    expect(ids.every((id) => typeof id === 'string')).toBe(true)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect(rowsOf(await get('/transactions?from=2026-01-06&page=2'))).toHaveLength(2)
    expect(rowsOf(await get('/transactions?to=2026-01-05'))).toHaveLength(1)
  })

  test('appear late in lists when told so, but are verified at once', async () => {
    const { clock, emulator, openStatic, get } = await open()
    emulator.faults.listDelayMs = minute
    const { account_number: number } = await openStatic('customer-1')
    const paid = await emulator.pay({ accountNumber: number as string, amount: 100n })
    expect(rowsOf(await get('/transactions'))).toEqual([])
    expect((await get(`/transactions/${paid!.id}/verify`)).status).toBe(200)
    clock.advance(minute)
    expect(rowsOf(await get('/transactions'))).toHaveLength(1)
  })
})

describe('notices', () => {
  async function openWithReceiver(options: Options = {}) {
    const receiver = await openReceiver((response) => response.end())
    const opened = await open({ ...options, noticeUrl: receiver.url })
    const { account_number: number } = await opened.openStatic('customer-1')
    async function pay(copies?: number) {
      const paid = await opened.emulator.pay({
        accountNumber: number as string,
        amount: 5_000_000n,
        copies,
      })
      await opened.emulator.drainNotices()
      return paid!
    }
    return { ...opened, receiver, pay }
  }

  test('carry the shared secret, and neither receiving number nor session', async () => {
    const { emulator, receiver, pay } = await openWithReceiver()
    const paid = await pay()
    const [notice] = receiver.received
    expect(notice!.headers['verif-hash']).toBe(emulator.variables.FLUTTERWAVE_WEBHOOK_SECRET)
    expect(JSON.parse(notice!.body)).toMatchObject({
      event: 'charge.completed',
      'event.type': 'BANK_TRANSFER_TRANSACTION',
      data: {
        id: Number(paid.id),
        tx_ref: 'customer-1',
        amount: 50_000,
        app_fee: 700,
        status: 'successful',
      },
      meta_data: { originatoraccountnumber: expect.stringMatching(/^\d{3}\*{7}\d{2}$/) },
    })
  })

  test('can be in the older shape', async () => {
    const { emulator, receiver, pay } = await openWithReceiver()
    emulator.setNoticeShape('older')
    await pay()
    const body = JSON.parse(receiver.received[0]!.body)
    expect(body).toMatchObject({ txRef: 'customer-1', amount: 50_000, appfee: 700 })
    expect(body.event).toBeUndefined()
  })

  test('can be forged, doubled, lost and asked for again', async () => {
    const { emulator, receiver, pay, post } = await openWithReceiver()
    emulator.faults.forgesSignature = true
    await pay()
    expect(receiver.received[0]!.headers['verif-hash']).toBe('forged')
    emulator.faults.forgesSignature = false
    emulator.faults.notices = 'twice'
    await pay()
    expect(receiver.received).toHaveLength(3)
    emulator.faults.notices = 'lost'
    const lost = await pay()
    expect(receiver.received).toHaveLength(3)
    emulator.faults.notices = 'sent'
    const { json } = await post(`/transactions/${lost.id}/resend-hook`, {})
    expect(json.data).toBe('hook sent')
    await emulator.drainNotices()
    expect(JSON.parse(receiver.received[3]!.body).data.id).toBe(Number(lost.id))
  })

  test('are sent once, or four times where retries are switched on', async () => {
    const attempts = async (retriesNotices: boolean) => {
      const receiver = await openReceiver((response) => response.writeHead(500).end())
      const { emulator, openStatic } = await open({
        retriesNotices,
        noticeUrl: receiver.url,
        speed: 10_000_000,
      })
      const { account_number: number } = await openStatic('customer-1')
      await emulator.pay({ accountNumber: number as string, amount: 100n })
      await emulator.drainNotices()
      return receiver.received.length
    }
    expect(await attempts(false)).toBe(1)
    expect(await attempts(true)).toBe(4)
  })

  test('of a transfer can come before its answer', async () => {
    const { emulator, receiver, post } = await openWithReceiver()
    emulator.faults.notices = 'early'
    const { json } = await post('/transfers', order('early-1'))
    expect(json.data).toMatchObject({ status: 'NEW' })
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      event: 'transfer.completed',
      'event.type': 'Transfer',
      data: { reference: 'early-1', status: 'SUCCESSFUL', fullname: expect.any(String) },
    })
  })
})

describe('transfers', () => {
  test('are queued, then successful, with a fee of half kobo', async () => {
    const { emulator, post, get, ended } = await open({ float: 1_000_000n })
    const { status, json } = await post('/transfers', order('pay-1'))
    expect(status).toBe(200)
    expect(json.message).toBe('Transfer Queued Successfully')
    expect(json.data).toMatchObject({
      id: expect.any(Number),
      account_number: '0690000040',
      bank_code: '044',
      bank_name: 'ACCESS BANK',
      amount: 5500,
      fee: 26.875,
      status: 'NEW',
      reference: 'pay-1',
      complete_message: '',
      requires_approval: 0,
      is_approved: 1,
    })
    expect(await ended('pay-1')).toMatchObject({ status: 'SUCCESSFUL' })
    const balance = await get('/balances/NGN')
    expect(balance.json.data).toEqual({
      currency: 'NGN',
      available_balance: 4473.125,
      ledger_balance: 4473.125,
    })
    expect(emulator.books().payouts).toEqual([
      { reference: 'pay-1', accountNumber: '0690000040', amount: 550_000n, state: 'success' },
    ])
  })

  test('a repeated reference is refused', async () => {
    const { emulator, post } = await open()
    await post('/transfers', order('pay-1'))
    const { status, json } = await post('/transfers', order('pay-1'))
    expect([status, json.message]).toEqual([400, 'Payout with this ref already exists'])
    expect(emulator.books().payouts).toHaveLength(1)
  })

  test('the filter by reference ignores upper and lower case', async () => {
    const { post, get } = await open()
    await post('/transfers', order('pay-1'))
    await post('/transfers', order('PAY-1'))
    expect(rowsOf(await get('/transfers?reference=pay-1'))).toHaveLength(2)
    expect(rowsOf(await get('/transfers?reference=pay'))).toEqual([])
  })

  test('without money, a transfer is accepted and fails later', async () => {
    const { post, ended } = await open({ float: 550_000n })
    expect((await post('/transfers', order('pay-1'))).status).toBe(200)
    expect(await ended('pay-1')).toMatchObject({
      status: 'FAILED',
      complete_message: 'DISBURSE FAILED: Insufficient funds in customer wallet',
    })
  })

  test('a transfer is carried out although its answer is lost or an error', async () => {
    const { emulator, post, ended } = await open()
    emulator.faults.lostAnswers = 1
    await expect(post('/transfers', order('lost'))).rejects.toThrow()
    emulator.faults.errorsAfterPayout = 1
    const { status, json } = await post('/transfers', order('error'))
    expect([status, json.message]).toEqual([503, 'An error occurred. Please contact support'])
    expect((await ended('lost')).status).toBe('SUCCESSFUL')
    expect((await ended('error')).status).toBe('SUCCESSFUL')
  })

  test('a transfer can be hidden from queries', async () => {
    const { emulator, post, get } = await open()
    await post('/transfers', order('pay-1'))
    emulator.faults.hiddenPayouts = 1
    expect(rowsOf(await get('/transfers?reference=pay-1'))).toEqual([])
    expect(rowsOf(await get('/transfers?reference=pay-1'))).toHaveLength(1)
  })

  test('held transfers stay pending until they are settled', async () => {
    const { emulator, clock, post, get } = await open()
    emulator.faults.arePayoutsHeld = true
    await post('/transfers', order('pay-1'))
    clock.advance(second)
    const [held] = rowsOf(await get('/transfers?reference=pay-1'))
    expect(held!.status).toBe('PENDING')
    expect(emulator.settle('pay-1', 'failed')).toBe(true)
    expect(emulator.settle('pay-1', 'success')).toBe(false)
    const { json } = await get(`/transfers/${held!.id}`)
    expect(json.data).toMatchObject({ status: 'FAILED' })
  })

  test('a successful transfer can be reversed, which is not announced', async () => {
    const receiver = await openReceiver((response) => response.end())
    const { emulator, post, get, ended } = await open({ noticeUrl: receiver.url })
    const before = emulator.books().float
    emulator.faults.arePayoutsHeld = true
    await post('/transfers', order('pay-1'))
    expect(emulator.reverse('pay-1')).toBe(false)
    emulator.settle('pay-1', 'success')
    await emulator.drainNotices()
    expect(emulator.reverse('pay-1')).toBe(true)
    await emulator.drainNotices()
    expect(receiver.received).toHaveLength(1)
    expect((await ended('pay-1')).status).toBe('REVERSED')
    expect(rowsOf(await get('/transfers?status=reversed'))).toHaveLength(1)
    expect(before - emulator.books().float).toBe(2_688n)
  })

  test('with approval switched on, a transfer waits for a person', async () => {
    const { emulator, clock, post, get } = await open()
    emulator.faults.asksForOtp = true
    const { json } = await post('/transfers', order('pay-1'))
    expect(json.data).toMatchObject({ status: 'NEW', requires_approval: 1, is_approved: 0 })
    clock.advance(day)
    expect(rowsOf(await get('/transfers?reference=pay-1'))[0]!.status).toBe('NEW')
  })

  test.each([
    ['refusesAddress', 'Please enable IP Whitelisting to access this service'],
    [
      'refusesBusiness',
      'Your account is not yet approved to make transfers. Please contact support',
    ],
  ] as const)('%s: nothing is carried out', async (fault, message) => {
    const { emulator, post } = await open()
    emulator.faults[fault] = true
    const { status, json } = await post('/transfers', order('pay-1'))
    expect([status, json.message]).toEqual([400, message])
    expect(emulator.books().payouts).toEqual([])
  })

  test.each([
    [{ amount: 5500.5 }, 'amount must be an integer'],
    [{ account_bank: '' }, 'account_bank is required'],
    [{ account_bank: '004' }, 'Invalid account_bank passed'],
    [{ account_number: '12' }, 'Invalid account_number passed'],
    [{ reference: 'x'.repeat(101) }, 'reference is too long'],
  ])('%j is refused', async (fields, message) => {
    const { post } = await open()
    const { status, json } = await post('/transfers', order('pay-1', fields))
    expect([status, json.message]).toEqual([400, message])
  })
})

describe('refunds', () => {
  async function openPaid(options: Options = {}) {
    const opened = await open(options)
    const { account_number: number } = await opened.openStatic('customer-1')
    const paid = await opened.emulator.pay({ accountNumber: number as string, amount: 10_000n })
    const refund = (fields: Json) => opened.post(`/transactions/${paid!.id}/refund`, fields)
    return { ...opened, paid: paid!, refund }
  }

  test('say "completed" when they begin, and another word when the money has arrived', async () => {
    const { emulator, refund, get, paid } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    const { json } = await refund({ amount: 25.5, comments: 'refund-1' })
    expect(json.message).toBe('Transaction refund initiated')
    const begun = json.data as Json
    expect(begun).toMatchObject({
      tx_id: Number(paid.id),
      amount_refunded: 25.5,
      status: 'completed',
      comments: 'refund-1',
    })
    expect(emulator.settle('refund-1', 'success')).toBe(true)
    const after = await get(`/refunds/${begun.id}`)
    expect(after.json.data).toMatchObject({ status: 'completed-bank-transfer' })
    expect(rowsOf(await get('/refunds?status=completed-bank-transfer'))).toHaveLength(1)
  })

  test('are made twice when sent twice', async () => {
    const { emulator, refund } = await openPaid()
    emulator.faults.lostAnswers = 1
    await expect(refund({ amount: 40, comments: 'refund-1' })).rejects.toThrow()
    await refund({ amount: 40, comments: 'refund-1' })
    expect(emulator.books().refunds.map(({ note }) => note)).toEqual(['refund-1', 'refund-1'])
    const third = await refund({ amount: 40, comments: 'refund-1' })
    expect(third.status).toBe(400)
  })

  test('are announced flat, without an event', async () => {
    const receiver = await openReceiver((response) => response.end())
    const { emulator, refund, paid } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    await refund({ comments: 'refund-1' })
    emulator.sendNoticesTo(receiver.url)
    emulator.settle('refund-1', 'failed')
    await emulator.drainNotices()
    expect(JSON.parse(receiver.received[0]!.body)).toEqual({
      id: expect.any(Number),
      AmountRefunded: 100,
      status: 'failed',
      FlwRef: expect.any(String),
      TransactionId: Number(paid.id),
    })
  })

  test('can fail after they were done', async () => {
    const { emulator, refund } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    const before = emulator.books().float
    await refund({ amount: 100, comments: 'refund-1' })
    emulator.settle('refund-1', 'success')
    expect(before - emulator.books().float).toBe(10_000n)
    expect(emulator.reverse('refund-1')).toBe(true)
    expect(emulator.books().float).toBe(before)
    expect(emulator.books().refunds[0]!.state).toBe('reversed')
  })
})

describe('directory', () => {
  test('bank codes are text, and not all are numbers', async () => {
    const { get } = await open()
    const { json } = await get('/banks/NG')
    const codes = (json.data as { code: unknown }[]).map(({ code }) => code)
    expect(codes).toContain('044')
    expect(codes).toContain('035A')
  })

  test('names are resolved, refused, limited or others', async () => {
    const { emulator, post } = await open()
    const ask = (number: string) =>
      post('/accounts/resolve', { account_number: number, account_bank: '044' })
    const { json } = await ask('0690000032')
    expect(json.data).toEqual({
      account_number: '0690000032',
      account_name: expect.stringMatching(/^[A-Z ]+$/),
    })
    expect((await ask('0000000000')).json.message).toMatch(/^Sorry, that account number is invalid/)
    emulator.faults.resolve = 'other_name'
    expect((await ask('0690000032')).json.data).not.toEqual(json.data)
    emulator.faults.resolve = 'limited'
    expect((await ask('0690000032')).status).toBe(429)
  })
})

test('the books survive a restart', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flutterwave-'))
  whenDone(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'books.json')
  const first = await open({ file, float: 123_456_700n })
  const { account_number: number } = await first.openStatic('customer-1')
  const temporary = await first.openTemporary('order-1')
  await first.emulator.pay({ accountNumber: number as string, amount: 99n })
  first.emulator.faults.arePayoutsHeld = true
  await first.post('/transfers', order('pay-1'))
  const before = first.emulator.books()
  await first.emulator.close()

  const second = await open({ file })
  const { payouts, ...rest } = second.emulator.books()
  expect(rest).toEqual({ payments: before.payments, refunds: [], float: before.float })
  expect(payouts[0]!.reference).toBe('pay-1')
  expect((await second.ended('pay-1')).status).toBe('SUCCESSFUL')
  const pay = (accountNumber: unknown) =>
    second.emulator.pay({ accountNumber: accountNumber as string, amount: 100n })
  expect((await pay(number))?.result).toBe('received')
  expect((await pay(temporary.transfer_account))?.result).toBe('received')
})

test('a provider that is down does not answer, or answers 503', async () => {
  const { emulator, get } = await open()
  emulator.faults.down = 'refused'
  await expect(get('/banks/NG')).rejects.toThrow()
  emulator.faults.down = 'unavailable'
  const response = await fetch(`${emulator.url}/banks/NG`)
  expect(response.status).toBe(503)
})
