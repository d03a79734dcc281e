import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPaystackEmulator } from '../../emulators/paystack/emulator.js'
import { day, hour, minute } from '../../src/base/clock.js'
import { manualClock } from '../support/clock.js'
import { whenDone } from '../support/open-manilla.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'
import { openPaystack } from './paystack-client.js'

describe('authentication', () => {
  test('a call without the secret key is answered 401', async () => {
    const { emulator } = await openPaystack()
    const none = await fetch(`${emulator.url}/balance`)
    expect([none.status, await none.json()]).toMatchObject([401, { status: false }])
    const wrong = await fetch(`${emulator.url}/balance`, {
      headers: { authorization: 'Bearer sk_test_other' },
    })
    expect([wrong.status, await wrong.json()]).toMatchObject([
      401,
      { status: false, message: 'Invalid key', code: 'invalid_Key' },
    ])
  })

  test('two emulators have two keys', async () => {
    const [one, other] = [await openPaystack(), await openPaystack()]
    expect(one.key).not.toBe(other.key)
    expect(one.key).toMatch(/^sk_test_[0-9a-f]{40}$/)
  })

  test('an unknown path is answered 404', async () => {
    const { get } = await openPaystack()
    expect(await get('/nothing')).toMatchObject({ status: 404, json: { status: false } })
  })
})

describe('temporary accounts', () => {
  test('a charge by bank transfer opens an account', async () => {
    const { post } = await openPaystack()
    const { status, json } = await post('/charge', {
      email: 'payer@example.com',
      amount: '500000',
      reference: 'va-0001',
      bank_transfer: { account_expires_at: '2026-01-05T10:00:00.000Z' },
    })
    expect([status, json]).toEqual([
      200,
      {
        status: true,
        message: 'Charge attempted',
        data: {
          reference: 'va-0001',
          status: 'pending_bank_transfer',
          display_text: 'Please make a transfer to the account specified',
          account_name: 'TEST-MANAGED-ACCOUNT',
          account_number: expect.stringMatching(/^\d{10}$/),
          bank: { slug: 'test-bank', name: 'Test Bank', id: 24 },
          account_expires_at: '2026-01-05T10:00:00.000Z',
        },
      },
    ])
  })

  test.each([
    ['a minute', minute, 15 * minute],
    ['two hours', 2 * hour, 2 * hour],
    ['two days', 2 * day, 8 * hour],
  ])('an expiry in %s is moved between 15 minutes and 8 hours', async (_, asked, given) => {
    const { clock, openTemporary } = await openPaystack()
    const now = clock.now().getTime()
    const account_expires_at = new Date(now + asked).toISOString()
    const opened = await openTemporary({ bank_transfer: { account_expires_at } })
    expect(opened.account_expires_at).toBe(new Date(now + given).toISOString())
  })

  test('refuses a used reference, an underscore and less than 50 naira', async () => {
    const { post, openTemporary } = await openPaystack()
    await openTemporary()
    const open = async (change: object) => {
      const body = { email: 'a@b.co', amount: 5_000, bank_transfer: {}, ...change }
      const { status, json } = await post('/charge', body)
      return [status, json.status, json.message]
    }
    expect(await open({ reference: 'va-0001' })).toEqual([
      400,
      false,
      'Duplicate Transaction Reference',
    ])
    expect(await open({ reference: 'va_0002' })).toEqual([
      400,
      false,
      expect.stringMatching(/Only -, ., =/),
    ])
    expect(await open({ amount: 4_999 })).toEqual([400, false, expect.any(String)])
    expect(await open({ reference: 'va-0003' })).toEqual([200, true, 'Charge attempted'])
  })

  test('a lost answer leaves the charge open', async () => {
    const { emulator, post, get } = await openPaystack()
    emulator.faults.lostOpenings = 1
    const body = { email: 'a@b.co', amount: 5_000, reference: 'va-1', bank_transfer: {} }
    await expect(post('/charge', body)).rejects.toThrow()
    expect((await post('/charge', body)).json.message).toBe('Duplicate Transaction Reference')
    expect((await get('/charge/va-1')).json.data).toMatchObject({
      status: 'pending_bank_transfer',
      account_number: expect.stringMatching(/^\d{10}$/),
    })
  })

  test('a pending charge may hide its account number', async () => {
    const { get, openTemporary } = await openPaystack({ hidesPendingAccounts: true })
    await openTemporary()
    expect((await get('/charge/va-0001')).json.data).toEqual({
      reference: 'va-0001',
      status: 'pending',
    })
  })

  test('the exact amount in time is received, with a signed notice', async () => {
    const { emulator, receiver, key, notices, openTemporary, get } = await openPaystack()
    const { account_number } = await openTemporary()
    const result = await emulator.pay({ accountNumber: account_number, amount: 500_000n })
    expect(result).toEqual({ id: '3104021987', result: 'received' })
    const [notice] = await notices()
    expect(notice).toMatchObject({
      event: 'charge.success',
      data: {
        id: 3_104_021_987,
        status: 'success',
        reference: 'va-0001',
        amount: 500_000,
        requested_amount: 500_000,
        channel: 'bank_transfer',
        currency: 'NGN',
        fees: 17_500,
        metadata: 0,
        paid_at: '2026-01-05T09:00:00.000Z',
        authorization: {
          channel: 'bank_transfer',
          sender_bank: null,
          sender_bank_account_number: expect.stringMatching(/^X{7}\d{3}$/),
        },
      },
    })
    expect(notice.data.authorization).not.toHaveProperty('receiver_bank_account_number')
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
    const signature = createHmac('sha512', key).update(body).digest('hex')
    expect(headers['x-paystack-signature']).toBe(signature)
    const verified = (await get('/transaction/verify/va-0001')).json
    expect(verified.message).toBe('Verification successful')
    expect(verified.data).toMatchObject({ id: 3_104_021_987, status: 'success', metadata: '' })
  })

  test('wrong, late and second payments go back, with a notice without a reference', async () => {
    const { clock, emulator, notices, openTemporary, get } = await openPaystack()
    const { account_number: accountNumber } = await openTemporary()
    const pay = async (amount: bigint) => (await emulator.pay({ accountNumber, amount }))!.result
    expect(await pay(499_999n)).toBe('rejected')
    expect(await pay(500_000n)).toBe('received')
    expect(await pay(500_000n)).toBe('rejected')
    const late = await openTemporary({ reference: 'va-0002' })
    clock.advance(hour)
    const result = await emulator.pay({ accountNumber: late.account_number, amount: 500_000n })
    expect(result!.result).toBe('rejected')
    const rejected = (await notices()).filter(({ event }) => event === 'bank.transfer.rejected')
    expect(rejected.map(({ data }) => data.bank_transfer)).toEqual([
      {
        amount: '499999',
        message: 'incorrect amount sent',
        message_type: 'INCORRECT_AMOUNT',
        transaction_id: '3104021987',
      },
      expect.objectContaining({ amount: '500000', transaction_id: '3104021987' }),
      expect.objectContaining({ amount: '500000', transaction_id: '3104021988' }),
    ])
    expect(JSON.stringify(rejected)).not.toContain('va-000')
    const { data } = (await get('/transaction/3104021988')).json
    expect(data).toMatchObject({ reference: 'va-0002', status: 'abandoned', paid_at: null })
    expect(emulator.books().payments).toHaveLength(1)
  })

  test('an expired number is given to another account', async () => {
    const { clock, openTemporary } = await openPaystack()
    const first = await openTemporary()
    const second = await openTemporary({ reference: 'va-0002' })
    expect(second.account_number).not.toBe(first.account_number)
    clock.advance(hour)
    const account_expires_at = '2026-01-05T11:00:00.000Z'
    const third = await openTemporary({
      reference: 'va-0003',
      bank_transfer: { account_expires_at },
    })
    expect(third.account_number).toBe(first.account_number)
  })

  test('no account has an unknown number', async () => {
    const { emulator } = await openPaystack()
    expect(await emulator.pay({ accountNumber: '0000000000', amount: 1n })).toBeUndefined()
  })
})

describe('dedicated accounts', () => {
  test('one account for a customer and bank, however often it is asked for', async () => {
    const { openDedicated, get } = await openPaystack()
    const { customer, account } = await openDedicated()
    expect(account).toMatchObject({
      bank: { id: 629, slug: 'titan-paystack' },
      account_name: 'EMULATED BUSINESS / ADA OBI',
      account_number: expect.stringMatching(/^993\d{7}$/),
      assigned: true,
      active: true,
    })
    expect((await openDedicated()).account.account_number).toBe(account.account_number)
    const list = await get(`/dedicated_account?customer=${customer}`)
    expect(list.json.data).toHaveLength(1)
  })

  test('a customer without a phone number gets none', async () => {
    const { post } = await openPaystack()
    const { json } = await post('/customer', { email: 'x@example.com' })
    const { customer_code } = json.data
    const refused = await post('/dedicated_account', { customer: customer_code })
    expect(refused).toMatchObject({ status: 400, json: { status: false } })
  })

  test('any amount is received; the notice names the receiving number', async () => {
    const { emulator, notices, openDedicated, get } = await openPaystack()
    const { account } = await openDedicated()
    const accountNumber = account.account_number as string
    await emulator.pay({ accountNumber, amount: 123n })
    await emulator.pay({ accountNumber, amount: 456n, isSilent: true })
    const seen = await notices()
    expect(seen).toHaveLength(1)
    expect(seen[0].data).toMatchObject({
      amount: 123,
      channel: 'dedicated_nuban',
      reference: expect.stringMatching(/^T\d{15}$/),
      authorization: {
        sender_bank: 'First City Monument Bank',
        sender_bank_account_number: expect.stringMatching(/^X{6}\d{4}$/),
        narration: expect.stringMatching(/^NIP: /),
        receiver_bank_account_number: accountNumber,
      },
    })
    const list = await get(`/transaction?virtual_account_number=${accountNumber}&use_cursor=true`)
    expect(list.json.data.map(({ amount }: { amount: number }) => amount)).toEqual([456, 123])
  })

  test('a requery sends notices again, once in ten minutes', async () => {
    const { clock, emulator, notices, openDedicated, get } = await openPaystack()
    const { account } = await openDedicated()
    const accountNumber = account.account_number as string
    await emulator.pay({ accountNumber, amount: 123n, isSilent: true })
    const requery = () =>
      get(`/dedicated_account/requery?account_number=${accountNumber}&provider_slug=titan-paystack`)
    expect((await requery()).status).toBe(200)
    expect((await notices()).map(({ data }) => data.amount)).toEqual([123])
    expect((await requery()).status).toBe(429)
    clock.advance(10 * minute)
    expect((await requery()).status).toBe(200)
  })

  test('a closed account stays active but is not assigned, and takes no money', async () => {
    const { emulator, ask, openDedicated } = await openPaystack()
    const { account } = await openDedicated()
    const { json } = await ask('DELETE', `/dedicated_account/${account.id}`)
    expect(json.message).toBe('Managed Account Successfully Unassigned')
    expect(json.data).toMatchObject({ assigned: false, active: true })
    const accountNumber = account.account_number as string
    expect((await emulator.pay({ accountNumber, amount: 1n }))!.result).toBe('rejected')
    expect((await openDedicated()).account.account_number).not.toBe(accountNumber)
  })

  test('identification is confirmed by a notice', async () => {
    const { post, notices, openDedicated } = await openPaystack()
    const { customer } = await openDedicated()
    const identify = (body: object) => post(`/customer/${customer}/identification`, body)
    expect((await identify({ bvn: '123' })).status).toBe(400)
    expect((await identify({ bvn: '12345678901' })).status).toBe(202)
    expect((await notices()).map(({ event }) => event)).toEqual(['customeridentification.success'])
  })
})

describe('lists', () => {
  test('pages by cursor and by number, with either name of the size', async () => {
    const { emulator, get, openDedicated } = await openPaystack()
    const { account } = await openDedicated()
    for (const amount of [1n, 2n, 3n])
      await emulator.pay({ accountNumber: account.account_number, amount })
    const amounts = (json: { data: { amount: number }[] }) => json.data.map(({ amount }) => amount)
    const first = (await get('/transaction?use_cursor=true&per_page=2')).json
    expect(amounts(first)).toEqual([3, 2])
    expect(first.meta).toEqual({ next: expect.any(String), previous: null, perPage: 2 })
    const { next } = first.meta
    const second = (await get(`/transaction?use_cursor=true&perPage=2&next=${next}`)).json
    expect([amounts(second), second.meta.next]).toEqual([[1], null])
    const numbered = (await get('/transaction?perPage=2&page=2')).json
    expect([amounts(numbered), numbered.meta]).toEqual([
      [1],
      { total: 3, skipped: 2, perPage: 2, page: 2, pageCount: 2 },
    ])
  })

  test('a period is that of creation, and rows may appear late', async () => {
    const { clock, emulator, get, openTemporary } = await openPaystack()
    const { account_number } = await openTemporary()
    clock.advance(30 * minute)
    await emulator.pay({ accountNumber: account_number, amount: 500_000n })
    const count = async (query: string) => (await get(`/transaction?${query}`)).json.data.length
    expect(await count('from=2026-01-05T09:20:00.000Z')).toBe(0)
    expect(await count('from=2026-01-05T08:50:00Z&to=2026-01-05T09:10:00Z')).toBe(1)
    emulator.faults.listDelayMs = minute
    expect(await count('status=success')).toBe(0)
    clock.advance(minute)
    expect(await count('status=success')).toBe(1)
  })
})

describe('directory', () => {
  test('bank codes are text', async () => {
    const { get } = await openPaystack()
    const { json } = await get('/bank?country=nigeria&use_cursor=true&perPage=100')
    const codes = json.data.map(({ code }: { code: unknown }) => code)
    expect(codes).toEqual(expect.arrayContaining(['058', '035A', '999992', '001']))
    expect(json.data.find(({ code }: { code: string }) => code === '035A')).toMatchObject({
      name: 'ALAT by WEMA',
      active: true,
      is_deleted: false,
    })
  })

  test('resolves names, and fails in its ways', async () => {
    const { emulator, get } = await openPaystack()
    const resolve = (number: string, bank: string) =>
      get(`/bank/resolve?account_number=${number}&bank_code=${bank}`)
    const { json } = await resolve('0123456789', '058')
    expect(json).toEqual({
      status: true,
      message: 'Account number resolved',
      data: {
        account_number: '0123456789',
        account_name: expect.stringMatching(/^[A-Z ]+$/),
        bank_id: expect.any(Number),
      },
    })
    expect((await resolve('0123456789', '9X9')).status).toBe(400)
    expect((await resolve('123', '058')).status).toBe(422)
    emulator.faults.resolve = 'fails'
    const failed = await resolve('0123456789', '058')
    expect([failed.status, failed.json.message]).toEqual([422, expect.stringMatching(/^Could not/)])
    emulator.faults.resolve = 'limited'
    expect((await resolve('0123456789', '058')).status).toBe(429)
    emulator.faults.resolve = 'other_name'
    const other = (await resolve('0123456789', '058')).json.data.account_name
    expect(other).not.toBe(json.data.account_name)
  })
})

describe('transfers', () => {
  test('a recipient is kept for an account', async () => {
    const { openRecipient } = await openPaystack()
    const first = await openRecipient()
    expect(await openRecipient()).toBe(first)
    expect(await openRecipient('0123456789', '044')).not.toBe(first)
  })

  test('a recipient may be found by its number alone', async () => {
    const { openRecipient, post } = await openPaystack({ matchesRecipientsByNumber: true })
    const first = await openRecipient()
    const { json } = await post('/transferrecipient', {
      type: 'nuban',
      account_number: '0123456789',
      bank_code: '044',
    })
    expect(json.data.recipient_code).toBe(first)
    expect(json.data.details.bank_code).toBe('058')
  })

  test('is queued, then succeeds, with a notice', async () => {
    const { emulator, transfer, get, notices } = await openPaystack()
    const before = emulator.books().float
    const { json } = await transfer()
    expect(json).toMatchObject({
      status: true,
      message: 'Transfer has been queued',
      data: {
        amount: 100_000,
        reference: 'bt_0000000000000001',
        status: 'pending',
        transfer_code: expect.stringMatching(/^TRF_/),
        recipient: 56_824_902,
      },
    })
    const look = async () => (await get('/transfer/verify/bt_0000000000000001')).json.data
    await until(async () => (await look()).status === 'success')
    expect(await look()).toMatchObject({
      fee_charged: 1_000,
      recipient: {
        details: { account_number: '0123456789', account_name: null, bank_code: '058' },
      },
      createdAt: expect.any(String),
    })
    const [notice] = await notices()
    expect(notice).toMatchObject({
      event: 'transfer.success',
      data: { integration: { is_live: true }, reference: 'bt_0000000000000001', status: 'success' },
    })
    expect(emulator.books().float).toBe(before - 101_000n)
    expect((await get('/balance')).json.data).toEqual([
      { currency: 'NGN', balance: Number(before - 101_000n) },
    ])
    expect((await get('/balance/ledger')).json.data[0]).toMatchObject({
      difference: -101_000,
      model_responsible: 'Transfer',
    })
  })

  test('refuses a used reference, an unknown recipient and more than the float', async () => {
    const { emulator, transfer } = await openPaystack()
    await transfer()
    expect(await transfer()).toMatchObject({
      status: 400,
      json: { code: 'duplicate_transfer_reference', type: 'validation_error' },
    })
    const reference = 'bt_0000000000000002'
    expect(await transfer({ reference, recipient: 'RCP_none' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_transfer_recipient' },
    })
    emulator.setFloat(100_999n)
    expect(await transfer({ reference })).toMatchObject({
      status: 400,
      json: { message: 'Your balance is not enough to fulfil this request' },
    })
    expect(emulator.books().payouts).toHaveLength(1)
  })

  test('refusals of the business and of the address', async () => {
    const { emulator, transfer } = await openPaystack()
    emulator.faults.refusesBusiness = true
    expect((await transfer()).json.message).toMatch(/^You cannot initiate third party payouts/)
    emulator.faults.refusesAddress = true
    expect((await transfer()).status).toBe(403)
    expect(emulator.books().payouts).toEqual([])
  })

  test('waits for a one-time password, then is abandoned', async () => {
    const { emulator, transfer, get } = await openPaystack({ speed: 20_000 })
    emulator.faults.asksForOtp = true
    const { json } = await transfer()
    expect([json.message, json.data.status]).toEqual(['Transfer requires OTP to continue', 'otp'])
    const look = async () => (await get('/transfer/verify/bt_0000000000000001')).json.data.status
    await until(async () => (await look()) === 'abandoned')
    expect(emulator.books().payouts[0]!.state).toBe('failed')
  })

  test('is carried out although its answer is lost or an error', async () => {
    const { emulator, transfer } = await openPaystack()
    emulator.faults.lostAnswers = 1
    await expect(transfer()).rejects.toThrow()
    emulator.faults.errorsAfterPayout = 1
    const failed = await transfer({ reference: 'bt_0000000000000002' })
    expect([failed.status, failed.json]).toEqual([502, undefined])
    expect(emulator.books().payouts).toHaveLength(2)
  })

  test('is not found, then found', async () => {
    const { emulator, transfer, get } = await openPaystack()
    await transfer()
    emulator.faults.hiddenPayouts = 1
    const verify = () => get('/transfer/verify/bt_0000000000000001')
    expect(await verify()).toMatchObject({ status: 404, json: { message: 'Transfer not found' } })
    expect((await verify()).status).toBe(200)
    expect((await get('/transfer/verify/bt_0000000000000009')).status).toBe(404)
  })

  test('stays pending until settled, and can be reversed later', async () => {
    const { clock, emulator, transfer, get, notices } = await openPaystack()
    emulator.faults.arePayoutsHeld = true
    await transfer()
    await transfer({ reference: 'bt_0000000000000002' })
    const { float } = emulator.books()
    expect(emulator.reverse('bt_0000000000000001')).toBe(false)
    expect(emulator.settle('bt_0000000000000001', 'success')).toBe(true)
    expect(emulator.settle('bt_0000000000000001', 'failed')).toBe(false)
    expect(emulator.settle('bt_0000000000000002', 'failed')).toBe(true)
    clock.advance(3 * day)
    expect(emulator.reverse('bt_0000000000000001')).toBe(true)
    expect(emulator.books().float).toBe(float + 202_000n)
    const references = async (query: string) =>
      (await get(`/transfer?${query}`)).json.data.map((row: { reference: string }) => row.reference)
    expect(await references('status=reversed&use_cursor=true')).toEqual(['bt_0000000000000001'])
    expect(await references('')).toEqual([])
    const events = await notices()
    expect(events.map(({ event }) => event)).toEqual([
      'transfer.success',
      'transfer.failed',
      'transfer.reversed',
    ])
    expect(events[2].data).toHaveProperty('created_at')
    expect(events[2].data).not.toHaveProperty('createdAt')
    expect(emulator.settle('unknown', 'success')).toBe(false)
  })
})

describe('refunds', () => {
  async function openPaid() {
    const opened = await openPaystack()
    const { account_number } = await opened.openTemporary()
    await opened.emulator.pay({ accountNumber: account_number, amount: 500_000n })
    await opened.notices()
    const refund = (amount: number) =>
      opened.post('/refund', {
        transaction: 'va-0001',
        amount,
        merchant_note: 'rf_1',
      })
    return { ...opened, refund }
  }

  test('two equal calls make two refunds, and no more than was paid', async () => {
    const { emulator, refund, get } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    expect((await refund(200_000)).json.data).toMatchObject({
      transaction: { id: 3_104_021_987, reference: 'va-0001' },
      status: 'pending',
      merchant_note: 'rf_1',
    })
    emulator.faults.lostAnswers = 1
    await expect(refund(200_000)).rejects.toThrow()
    expect((await refund(200_000)).status).toBe(400)
    const { data: list, meta } = (await get('/refund?perPage=50&use_cursor=true')).json
    expect(list).toHaveLength(2)
    expect(meta).toMatchObject({ total: 2, perPage: '50', page: 1 })
    expect(list[0]).toMatchObject({ transaction: 3_104_021_987, merchant_note: 'rf_1' })
    const [one] = emulator.books().refunds
    expect(one).toEqual({
      note: 'rf_1',
      paymentId: '3104021987',
      amount: 200_000n,
      state: 'pending',
    })
  })

  test('is processed by itself; a whole refund reverses the transaction', async () => {
    const { refund, get, notices } = await openPaid()
    const { id } = (await refund(500_000)).json.data
    await until(async () => (await get(`/refund/${id}`)).json.data.status === 'processed')
    expect((await get('/transaction/verify/va-0001')).json.data.status).toBe('reversed')
    const shown = (await notices())
      .slice(1)
      .map(({ event, data }) => [event, data.amount, data.refund_reference === null])
    expect(shown).toEqual([
      ['refund.pending', '500000', true],
      ['refund.processing', '500000', true],
      ['refund.processed', '500000', false],
    ])
  })

  test('may fail, or need the account of the payer', async () => {
    const { emulator, refund, post, get, notices } = await openPaid()
    emulator.faults.arePayoutsHeld = true
    const { id } = (await refund(300_000)).json.data
    expect(emulator.askForRefundAccount('rf_1')).toBe(true)
    const retry = (body: object) => post(`/refund/retry_with_customer_details/${id}`, body)
    expect((await retry({})).status).toBe(400)
    const account = { currency: 'NGN', account_number: '0123456789', bank_id: '9' }
    expect((await retry({ refund_account_details: account })).status).toBe(200)
    expect((await retry({ refund_account_details: account })).status).toBe(422)
    expect(emulator.settle('rf_1', 'failed')).toBe(true)
    expect(emulator.settle('rf_1', 'success')).toBe(false)
    expect((await get(`/refund/${id}`)).json.data.status).toBe('failed')
    expect((await refund(500_000)).status).toBe(200)
    const asked = (await notices()).find(({ event }) => event === 'refund.needs-attention')
    expect(asked.data).toMatchObject({ id: String(id), amount: 300_000, merchant_note: 'rf_1' })
  })
})

describe('notices', () => {
  test('are lost, sent twice, out of order or forged as told', async () => {
    const { emulator, receiver, key, notices, openDedicated } = await openPaystack()
    const { account } = await openDedicated()
    const pay = (amount: bigint) => emulator.pay({ accountNumber: account.account_number, amount })
    emulator.faults.notices = 'lost'
    await pay(1n)
    emulator.faults.notices = 'twice'
    await pay(2n)
    await notices()
    emulator.faults.notices = 'reversed_order'
    await pay(3n)
    await pay(4n)
    await notices()
    emulator.faults.notices = 'sent'
    emulator.faults.forgesSignature = true
    await pay(5n)
    expect((await notices()).map(({ data }) => data.amount).slice(0, 2)).toEqual([2, 2])
    expect(receiver.received).toHaveLength(5)
    const forged = receiver.received.at(-1)!
    const signature = createHmac('sha512', key).update(forged.body).digest('hex')
    expect(forged.headers['x-paystack-signature']).not.toBe(signature)
  })

  test('may come before the answer of the call', async () => {
    const { emulator, receiver, transfer } = await openPaystack({ speed: 1 })
    emulator.faults.notices = 'early'
    const { json } = await transfer()
    expect(json.data.status).toBe('success')
    expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual([
      'transfer.success',
    ])
  })

  test('come again until the receiver accepts them', async () => {
    let answers = 0
    const receiver = await openReceiver((response) => {
      answers += 1
      response.writeHead(answers < 3 ? 500 : 200).end()
    })
    const { emulator, openTemporary } = await openPaystack({
      noticeUrl: receiver.url,
      speed: 10_000,
    })
    const { account_number } = await openTemporary()
    await emulator.pay({ accountNumber: account_number, amount: 500_000n })
    await emulator.drainNotices()
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  })
})

describe('outages', () => {
  test('the connection is refused, or the gateway answers 503', async () => {
    const { emulator, get } = await openPaystack()
    emulator.faults.down = 'refused'
    await expect(get('/balance')).rejects.toThrow()
    emulator.faults.down = 'unavailable'
    expect((await get('/balance')).status).toBe(503)
    emulator.faults.down = 'no'
    expect((await get('/balance')).status).toBe(200)
  })
})

describe('books', () => {
  test('are kept in a file between starts, with what is under way', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'paystack-'))
    whenDone(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'books.json')
    const first = await openPaystack({ file, speed: 1 })
    const { account_number } = await first.openTemporary()
    const { account } = await first.openDedicated()
    await first.emulator.pay({ accountNumber: account.account_number, amount: 7n })
    await first.transfer()
    const before = first.emulator.books()
    await first.emulator.close()
    expect(JSON.parse(readFileSync(file, 'utf8')).transactions).toHaveLength(2)

    const second = await createPaystackEmulator({ clock: manualClock(), file, speed: 100 })
    whenDone(() => second.close())
    expect(second.variables.PAYSTACK_SECRET_KEY).toBe(first.key)
    expect(second.books()).toEqual(before)
    const paid = await second.pay({ accountNumber: account_number, amount: 500_000n })
    expect(paid!.result).toBe('received')
    await until(async () => second.books().payouts[0]!.state === 'success')
  })
})
