import { describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import type { BankInstruction, StoredAccount } from '../../../src/rails/bank/driver.js'
import { Unknown } from '../../../src/rails/bank/provider-client.js'
import { createPaystackDriver } from '../../../src/rails/paystack/driver.js'
import { customerEmail, referenceOfEmail } from '../../../src/rails/paystack/payer-email.js'
import { manualClock } from '../../support/clock.js'
import { openReceiver } from '../../support/receiver.js'
import { dedicated, opening, payerEmail } from './open-rail.js'

type Odd = { status?: number; body: unknown }

/** A server that answers each path as told: what the emulator never does, Paystack might. */
async function openOdd(answers: Record<string, Odd | Odd[]>) {
  const { url, received } = await openReceiver((response, { path }) => {
    const answer = answers[path.split('?')[0]!] ?? { status: 404, body: 'none' }
    const { status = 200, body } = Array.isArray(answer) ? answer.shift()! : answer
    response.statusCode = status
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const config = { secretKey: new Secret('sk_live_1'), url }
  const logger = createLogger('silent')
  const tools = { payerEmail, mode: 'live', clock: manualClock(), logger } as const
  return { driver: createPaystackDriver(config, tools), received }
}

function good(data: unknown, meta?: object): Odd {
  return { body: { status: true, message: 'ok', data, meta } }
}

function bad(status: number, message: string, code?: string): Odd {
  return { status, body: { status: false, message, code } }
}

const order: BankInstruction = {
  reference: 'bt-00000000000001',
  amount: 100_000n,
  bankCode: '058',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  bankName: 'Guaranty Trust Bank',
  narration: null,
  recipient: 'RCP_1',
  refundOf: null,
}

const refund: BankInstruction = { ...order, reference: 'rf-00000000000001', refundOf: '7' }

const paid = {
  id: 7,
  status: 'success',
  reference: 'va-1',
  amount: 500_000,
  requested_amount: 500_000,
  fees: 17_500,
  paid_at: '2026-01-05T09:00:00.000Z',
  created_at: '2026-01-05T08:00:00.000Z',
  channel: 'bank_transfer',
  currency: 'NGN',
  authorization: {},
}

const temporary: StoredAccount = {
  reference: 'va-1',
  number: '1260000000',
  accountName: 'X',
  bankCode: '001',
  bankName: 'Test Bank',
  amount: null,
  expiresAt: null,
  details: { charge: 'va-1' },
}

describe('payouts', () => {
  const transfer = { reference: order.reference, amount: 100_000 }

  test.each([
    ['success', 'success'],
    ['failed', 'failed'],
    ['abandoned', 'failed'],
    ['blocked', 'failed'],
    ['rejected', 'failed'],
    ['reversed', 'reversed'],
    ['otp', 'review'],
    ['pending', 'open'],
    ['received', 'open'],
    ['a status of tomorrow', 'open'],
    ['SUCCESS', 'open'],
    [null, 'open'],
    ['constructor', 'open'],
    ['__proto__', 'open'],
  ])('the status %s is %s', async (status, state) => {
    const path = `/transfer/verify/${order.reference}`
    const { driver } = await openOdd({ [path]: good({ ...transfer, status }) })
    expect((await driver.findPayout(order))!.state).toBe(state)
  })

  test.each<[string, Odd]>([
    ['a server error', { status: 500, body: { status: false, message: 'Transfer not found' } }],
    ['a page of a proxy', { status: 404, body: '<html>not found</html>' }],
    ['another JSON', { status: 404, body: { error: 'Transfer not found' } }],
    ['another 404', bad(404, 'Cannot find the requested route')],
    ['a refused key', bad(401, 'Invalid key')],
    ['a refused key as 400', bad(400, 'Invalid key')],
    ['too many requests', bad(429, 'Transfer not found')],
    ['an empty answer', { body: '' }],
    ['no data', good(null)],
    ['another reference', good({ ...transfer, reference: 'bt-2', status: 'failed' })],
    ['an amount in floats', good({ ...transfer, amount: 1000.5, status: 'failed' })],
  ])('%s says nothing about a payout', async (_, answer) => {
    const { driver } = await openOdd({ [`/transfer/verify/${order.reference}`]: answer })
    await expect(driver.findPayout(order)).rejects.toThrow(Unknown)
  })

  test.each([400, 404])('a code in an answer of %i means not found, too', async (status) => {
    const body = { status: false, message: 'Nothing here', code: 'transfer_not_found' }
    const path = `/transfer/verify/${order.reference}`
    const { driver } = await openOdd({ [path]: { status, body } })
    expect(await driver.findPayout(order)).toBeUndefined()
  })

  test('only "Transfer not found" means not found', async () => {
    const answer = bad(404, 'Transfer not found')
    const { driver } = await openOdd({ [`/transfer/verify/${order.reference}`]: answer })
    expect(await driver.findPayout(order)).toBeUndefined()
  })

  test.each<[string, Odd, unknown]>([
    ['queued', good({ status: 'pending' }), 'accepted'],
    ['sent', good({ status: 'success' }), 'accepted'],
    ['OTP', good({ status: 'otp' }), { unclear: expect.stringContaining('OTP') }],
    ['a used reference', bad(400, 'Used', 'duplicate_transfer_reference'), 'exists'],
    ['a used reference in words', bad(400, 'Please provide a unique reference.'), 'exists'],
    [
      'an empty float',
      bad(400, 'Your balance is not enough to fulfil this request'),
      { failure: 'insufficient_float' },
    ],
    [
      'an unknown recipient',
      bad(400, 'Recipient specified is invalid', 'invalid_transfer_recipient'),
      { failure: 'bank_declined' },
    ],
    ['an unknown refusal', bad(400, 'Not today'), { unclear: expect.any(String) }],
    ['a refused key', bad(401, 'Invalid key'), { unclear: expect.any(String) }],
    ['a refused address', bad(403, 'IP not allowed'), { unclear: expect.any(String) }],
  ])('sending answers %s', async (_, answer, expected) => {
    const { driver } = await openOdd({ '/transfer': answer })
    expect(await driver.sendPayout(order)).toEqual(expected)
  })

  test.each<[string, Odd]>([
    ['429', bad(429, 'Your balance is not enough to fulfil this request')],
    ['503', { status: 503, body: 'unavailable' }],
    ['HTML', { status: 400, body: '<html>balance is not enough</html>' }],
  ])('sending is unknown after %s', async (_, answer) => {
    const { driver } = await openOdd({ '/transfer': answer })
    await expect(driver.sendPayout(order)).rejects.toThrow(Unknown)
  })

  test('a recipient of another account is refused', async () => {
    const answer = (account_number: string, bank_code: string) =>
      good({ recipient_code: 'RCP_9', details: { account_number, bank_code } })
    const { driver } = await openOdd({
      '/transferrecipient': [
        answer('0123456789', '058'),
        answer('0123456789', '044'),
        answer('0123456780', '058'),
        bad(400, 'Account details are invalid'),
      ],
    })
    expect(await driver.prepareInstruction(order)).toEqual({ recipient: 'RCP_9' })
    for (let call = 0; call < 3; call += 1)
      expect(await driver.prepareInstruction(order)).toEqual({ refused: expect.any(String) })
  })
})

describe('refunds', () => {
  const row = { id: 1, transaction: 7, merchant_note: refund.reference, amount: 100_000 }

  test('are matched by note and transaction, on every page', async () => {
    const others = [
      { ...row, merchant_note: 'rf-00000000000002', status: 'processed' },
      { ...row, transaction: 8, status: 'processed' },
    ]
    const { driver, received } = await openOdd({
      '/transaction/7': good(paid),
      '/refund': [
        good(others, { total: 3, page: 1, pageCount: 2, perPage: '100' }),
        good([{ ...row, status: 'pending' }], { total: 3, page: 2, pageCount: 2 }),
      ],
    })
    expect(await driver.findRefund(refund)).toMatchObject({ state: 'open', amount: 100_000n })
    expect(received.at(-1)!.path).toContain('page=2')
  })

  test('the one that got furthest counts, if there are two', async () => {
    const rows = [
      { ...row, status: 'failed' },
      { ...row, status: 'processed' },
    ]
    const { driver } = await openOdd({ '/transaction/7': good(paid), '/refund': good(rows) })
    expect(await driver.findRefund(refund)).toMatchObject({ state: 'success' })
  })

  // Not seeing a refund that exists would make a second one.
  test.each<[string, Record<string, Odd>]>([
    [
      'a refund of the payment has no note',
      { '/transaction/7': good(paid), '/refund': good([{ ...row, merchant_note: null }]) },
    ],
    ['a row is no refund', { '/transaction/7': good(paid), '/refund': good(['later']) }],
    [
      'a full page does not tell whether it is the last',
      {
        '/transaction/7': good(paid),
        '/refund': good(Array.from({ length: 100 }, () => ({ ...row, transaction: 8 }))),
      },
    ],
    ['the list fails', { '/transaction/7': good(paid), '/refund': bad(400, 'Invalid key') }],
    ['the list is no list', { '/transaction/7': good(paid), '/refund': good({}) }],
    ['the payment is unknown', { '/transaction/7': bad(404, 'x'), '/refund': good([]) }],
  ])('are never "not found" if %s', async (_, answers) => {
    const { driver } = await openOdd(answers)
    await expect(driver.findRefund(refund)).rejects.toThrow(Unknown)
  })

  test.each<[string, Odd, unknown]>([
    ['queued', good({ status: 'pending' }), 'accepted'],
    [
      'fully reversed',
      bad(400, 'Transaction has been fully reversed'),
      { failure: 'bank_declined' },
    ],
    ['an unknown refusal', bad(400, 'Not today'), { unclear: '400 Not today' }],
  ])('sending answers %s', async (_, answer, expected) => {
    const { driver } = await openOdd({ '/refund': answer })
    expect(await driver.sendRefund(refund)).toEqual(expected)
  })
})

describe('payments', () => {
  const fetched = async (change: object) => {
    const { driver } = await openOdd({ '/transaction/7': good({ ...paid, ...change }) })
    return driver.fetchPayment('transaction/7')
  }

  test.each([
    ['success', 'paid'],
    ['failed', 'other'],
    ['abandoned', 'open'],
    ['ongoing', 'open'],
    ['pending', 'open'],
    ['a status of tomorrow', 'open'],
  ])('the status %s is %s', async (status, state) => {
    expect((await fetched({ status }))!.state).toBe(state)
  })

  test('a card payment is not ours', async () => {
    expect((await fetched({ channel: 'card' }))!.state).toBe('other')
  })

  test("a fee that the payer bears is Paystack's", async () => {
    expect((await fetched({ amount: 517_500 }))!.amount).toBe(500_000n)
    expect((await fetched({ amount: 517_501 }))!.amount).toBe(517_501n)
    expect((await fetched({ amount: '500000' }))!.amount).toBe(500_000n)
    await expect(fetched({ amount: 5000.5 })).rejects.toThrow(Unknown)
    await expect(fetched({ id: 8 })).rejects.toThrow(Unknown)
  })

  test('a dedicated account is known by its customer, or by its number', async () => {
    const account = async (change: object) =>
      (await fetched({ channel: 'dedicated_nuban', ...change }))!.account
    const authorization = { receiver_bank_account_number: '9930000902' }
    const email = customerEmail(payerEmail, 'da-1')
    expect(await account({ customer: { email }, authorization })).toEqual({ reference: 'da-1' })
    expect(await account({ customer: { email: 'x@y.z' }, authorization })).toEqual({
      number: '9930000902',
    })
    expect(await account({ customer: { email: 'x@y.z' } })).toEqual({ number: 'customer x@y.z' })
  })

  test('payments of other accounts are dropped if the filter is ignored', async () => {
    const row = (id: number, reference: string) => ({
      ...paid,
      id,
      channel: 'dedicated_nuban',
      customer: { email: customerEmail(payerEmail, reference) },
    })
    const { driver } = await openOdd({
      '/transaction': good([row(1, 'da-1'), row(2, 'da-2')], { next: 'null', perPage: 2 }),
    })
    const stored = { ...temporary, reference: 'da-1', details: { dedicatedId: '5' } }
    expect((await driver.findPayments(stored)).items.map(({ id }) => id)).toEqual(['1'])
  })

  test('a refused key is not an empty answer', async () => {
    const { driver } = await openOdd({
      '/transaction/verify/va-1': bad(400, 'Invalid key'),
      '/transaction/7': bad(400, 'Invalid key'),
    })
    await expect(driver.findPayments(temporary)).rejects.toThrow(Unknown)
    await expect(driver.fetchPayment('transaction/7')).rejects.toThrow(Unknown)
  })
})

test('an email that cannot exist is a warning', async () => {
  const { url } = await openReceiver((response, { path }) => {
    const rows = path.startsWith('/balance') ? [{ currency: 'NGN', balance: 1 }] : []
    response.end(JSON.stringify({ status: true, message: 'ok', data: rows }))
  })
  const levels = async (email: string) => {
    const driver = createPaystackDriver(
      { secretKey: new Secret('sk_live_1'), url },
      { payerEmail: email, mode: 'live', clock: manualClock(), logger: createLogger('silent') },
    )
    return (await driver.examine()).filter(({ level }) => level !== 'ok').map(({ fix }) => fix)
  }
  const fix = expect.stringContaining('BANK_PAYER_EMAIL')
  expect(await levels('payments@127.0.0.1')).toEqual([fix])
  expect(await levels('payments@localhost')).toEqual([fix])
  expect(await levels('payments@example.com')).toEqual([fix])
  expect(await levels('payments@shop.example')).toEqual([])
})

describe('accounts', () => {
  test('a refused key refuses no account for good', async () => {
    const { driver } = await openOdd({
      '/charge': [bad(401, 'Invalid key'), bad(400, 'Invalid key')],
      '/customer': bad(403, 'IP not allowed'),
    })
    await expect(driver.openAccount(opening())).rejects.toThrow(Unknown)
    await expect(driver.openAccount(opening())).rejects.toThrow(Unknown)
    await expect(driver.openAccount(dedicated())).rejects.toThrow(Unknown)
  })

  // It is open at Paystack, and another format of the time must not stop collections.
  test('an account whose expiry cannot be read expires as requested', async () => {
    const { driver } = await openOdd({
      '/bank': good([]),
      '/charge': good({
        status: 'pending_bank_transfer',
        account_number: '1260000000',
        account_name: 'X',
        bank: { name: 'Test Bank' },
      }),
    })
    expect(await driver.openAccount(opening())).toMatchObject({
      number: '1260000000',
      bankCode: '',
      bankName: 'Test Bank',
      expiresAt: null,
    })
  })

  test("another customer's account is not taken over", async () => {
    const account = (customer_code: string, account_number: string) => ({
      id: 1,
      account_number,
      account_name: 'X',
      assigned: true,
      bank: { id: 629, name: 'Paystack-Titan' },
      customer: { customer_code },
    })
    const { driver } = await openOdd({
      '/bank': good([{ id: 629, code: '100039', name: 'Paystack-Titan' }]),
      '/customer': good({ customer_code: 'CUS_1' }),
      '/dedicated_account': [
        good([account('CUS_2', '9930000002')]),
        good(account('CUS_1', '9930000001')),
      ],
    })
    expect(await driver.openAccount(dedicated())).toMatchObject({
      number: '9930000001',
      bankCode: '100039',
    })
  })
})

test('a customer is found again by the email made of our reference', () => {
  expect(customerEmail('pay+x@shop.example', 'da-1')).toBe('pay+x+da-1@shop.example')
  expect(referenceOfEmail('pay+x@shop.example', 'pay+x+da-1@shop.example')).toBe('da-1')
  expect(referenceOfEmail(payerEmail, 'payments@shop.example')).toBeUndefined()
  expect(referenceOfEmail(payerEmail, 'payments+@shop.example')).toBeUndefined()
  expect(referenceOfEmail(payerEmail, 'payments+da-1@other.example')).toBeUndefined()
})
