import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { after, day, hour, minute } from '../../../src/base/clock.js'
import { Secret } from '../../../src/base/secret.js'
import type { BankInstruction } from '../../../src/rails/bank/driver.js'
import { Unknown } from '../../../src/rails/bank/provider-client.js'
import { daysOf } from '../../../src/rails/flutterwave/days.js'
import { createFlutterwaveDriver } from '../../../src/rails/flutterwave/driver.js'
import { manualClock } from '../../support/clock.js'
import { openReceiver } from '../../support/receiver.js'
import { dedicated, temporary } from './open-rail.js'

/** A server that answers each path as told: what the emulator never does, Flutterwave might. */
async function openOdd(answers: Record<string, object | string | number>) {
  const { url, received } = await openReceiver((response, { path }) => {
    const answer = answers[path] ?? answers[path.split('?')[0]!] ?? 404
    if (typeof answer === 'number') response.statusCode = answer
    response.end(typeof answer === 'object' ? JSON.stringify(answer) : `${answer}`)
  })
  const clock = manualClock(new Date('2026-03-02T10:00:00.000Z'))
  const logger = pino({ level: 'silent' })
  const config = { secretKey: new Secret('key'), webhookSecret: new Secret('hash'), url }
  const tools = { payerEmail: 'payer@example.com', mode: 'live', clock, logger } as const
  return { driver: createFlutterwaveDriver(config, tools), received, clock }
}

const paid = {
  id: 1,
  tx_ref: 'va-1',
  amount: 1500.5,
  currency: 'NGN',
  status: 'successful',
  payment_type: 'bank_transfer',
  created_at: '2026-03-02T10:00:00.000Z',
}

const order: BankInstruction = {
  reference: 'bt-1',
  amount: 2_500n,
  bankCode: '044',
  accountNumber: '0690000040',
  accountName: 'ADA',
  bankName: 'Access Bank',
  narration: null,
  recipient: null,
  refundOf: null,
}

const refundOrder: BankInstruction = { ...order, reference: 'rf-1', refundOf: '1' }

function success(data: unknown, meta?: object): object {
  return { status: 'success', message: 'ok', data, meta }
}

function failure(message: string): object {
  return { status: 'error', message, data: null }
}

describe('payments', () => {
  const fetchPayment = async (data: object) => {
    const { driver } = await openOdd({ '/transactions/1/verify': success(data) })
    return driver.fetchPayment('1')
  }

  test('amounts are exact, whether numbers or texts', async () => {
    expect(await fetchPayment(paid)).toMatchObject({
      amount: 150_050n,
      state: 'paid',
      sender: null,
    })
    expect(await fetchPayment({ ...paid, amount: '1500.50' })).toMatchObject({ amount: 150_050n })
    // No float has this value.
    const huge = JSON.stringify(success(paid)).replace('1500.5', '90071992547409.93')
    const { driver } = await openOdd({ '/transactions/1/verify': huge })
    expect((await driver.fetchPayment('1'))?.amount).toBe(9_007_199_254_740_993n)
    await expect(fetchPayment({ ...paid, amount: 1500.505 })).rejects.toThrow(Unknown)
    await expect(fetchPayment({ ...paid, amount: null })).rejects.toThrow(Unknown)
  })

  test.each([
    [{ payment_type: 'card' }, 'other'],
    [{ currency: 'USD', amount: 3.33333 }, 'other'],
    [{ status: 'failed' }, 'other'],
    [{ status: 'pending' }, 'open'],
    [{ status: 'a word of tomorrow' }, 'open'],
  ])('%j is %s', async (fields, state) => {
    expect((await fetchPayment({ ...paid, ...fields }))?.state).toBe(state)
  })

  test('a sender of whom little is known', async () => {
    const meta = {
      originatorname: 'JOHN DOE',
      originatoraccountnumber: 'N/A',
      bankname: 'Old Bank',
    }
    expect((await fetchPayment({ ...paid, meta }))?.sender).toEqual({
      name: 'JOHN DOE',
      accountNumber: '',
      bankCode: '',
      bankName: 'Old Bank',
    })
  })

  test.each([
    ['an unknown error', failure('Something went wrong')],
    ['a page of a proxy', '<html>'],
    ['a foreign format', { ok: true }],
    ['a wrong key', 401],
    ['too many calls', 429],
  ])('%s decides nothing', async (_name, answer) => {
    const { driver } = await openOdd({ '/transactions/1/verify': answer })
    await expect(driver.fetchPayment('1')).rejects.toThrow(Unknown)
  })

  test('not found, in both spellings', async () => {
    for (const message of ['No transaction was found for this id', 'Transaction not found']) {
      const { driver } = await openOdd({ '/transactions/1/verify': failure(message) })
      expect(await driver.fetchPayment('1')).toBeUndefined()
    }
  })

  test('a row that cannot be read does not hide the others', async () => {
    const rows = [{ ...paid, created_at: '02/03/2026' }, { ...paid, id: 2 }, 'later']
    const { driver, clock } = await openOdd({ '/transactions': success(rows) })
    const period = { from: clock.now(), to: clock.now(), after: undefined }
    const { items, unreadable } = await driver.listPayments(period)
    expect(items.map(({ id }) => id)).toEqual(['2'])
    expect(unreadable).toEqual(['created_at is not a time', 'the answer has no id'])
  })

  test('a list without a number of pages ends with an empty page', async () => {
    const { driver, clock } = await openOdd({ '/transactions': success([paid]) })
    const period = { from: clock.now(), to: clock.now(), after: '7' }
    expect((await driver.listPayments(period)).next).toBe('8 1')
    const { driver: empty } = await openOdd({ '/transactions': success([]) })
    expect(await empty.listPayments(period)).toEqual({ items: [], next: null, unreadable: [] })
  })
})

describe('accounts', () => {
  test('without a readable expiry or a known bank', async () => {
    const authorization = {
      transfer_account: '0067100155',
      transfer_bank: 'Mock Bank',
      account_expiration: 'N/A',
      transfer_note: 'N/A',
      transfer_amount: '1500.50',
    }
    const { driver, clock, received } = await openOdd({
      '/charges': { status: 'success', message: 'Charge initiated', meta: { authorization } },
    })
    expect(await driver.openAccount(temporary())).toEqual({
      number: '0067100155',
      accountName: 'Ada Stores',
      bankCode: '',
      bankName: 'Mock Bank',
      amount: 150_050n,
      expiresAt: after(clock.now(), 30 * minute),
      details: {},
    })
    expect(JSON.parse(received[0]!.body)).toMatchObject({ amount: '1500.50', expires: 1_800 })
  })

  test('a short time is asked for as the shortest one', async () => {
    const { driver, received } = await openOdd({ '/charges': failure('No') })
    const expected = { amount: 100n, expiresAt: new Date(), lifetimeMs: 1 }
    expect(await driver.openAccount(temporary({ expected }))).toEqual({
      refused: 'The bank refused the account: No',
    })
    expect(JSON.parse(received[0]!.body).expires).toBe(60)
  })

  test('messages are bounded before they reach a caller', async () => {
    const { driver } = await openOdd({
      '/virtual-account-numbers': failure(`a\u0000b\n${'c'.repeat(1_000)}`),
    })
    const opened = await driver.openAccount(dedicated())
    const text = 'refused' in opened ? opened.refused : ''
    expect(text).toMatch(/^The bank refused the account: a b c+$/)
    expect(text.length).toBeLessThan(250)
  })
})

describe('payouts', () => {
  const row = { reference: 'bt-1', amount: 25, currency: 'NGN', status: 'PENDING' }

  test.each([
    ['NEW', 'open'],
    ['PENDING', 'open'],
    ['SUCCESSFUL', 'success'],
    ['FAILED', 'failed'],
    ['REVERSED', 'reversed'],
    ['A_WORD_OF_TOMORROW', 'open'],
    [null, 'open'],
  ])('%s is %s', async (status, state) => {
    const { driver } = await openOdd({ '/transfers': success([{ ...row, status }]) })
    expect(await driver.findPayout(order)).toMatchObject({ state, amount: 2_500n })
  })

  test.each(['No transfer was found', 'Transfer not found', 'No transaction was found'])(
    '"%s" means not found',
    async (message) => {
      const { driver } = await openOdd({ '/transfers': failure(message) })
      expect(await driver.findPayout(order)).toBeUndefined()
    },
  )

  test.each([
    ['a list that is none', success(null)],
    ['an unknown route', failure('Route not found')],
    ['another error', failure('Something went wrong')],
  ])('%s does not mean that there is no payout', async (_name, answer) => {
    const { driver } = await openOdd({ '/transfers': answer })
    await expect(driver.findPayout(order)).rejects.toThrow(Unknown)
  })

  test('of two with one reference, the one that moved money counts', async () => {
    const rows = ['FAILED', 'SUCCESSFUL', 'PENDING'].map((status) => ({ ...row, status }))
    const { driver } = await openOdd({ '/transfers': success(rows) })
    expect(await driver.findPayout(order)).toMatchObject({ state: 'success' })
  })

  test.each([
    ['DISBURSE FAILED: Insufficient funds in customer wallet', 'insufficient_float'],
    ['DISBURSE FAILED: Invalid account', 'account_not_found'],
    ['Account is dormant', 'account_closed'],
    ['', 'bank_declined'],
  ])('%s means %s', async (message, failure) => {
    const failed = { ...row, status: 'FAILED', complete_message: message }
    const { driver } = await openOdd({ '/transfers': success([failed]) })
    expect(await driver.findPayout(order)).toMatchObject({ state: 'failed', failure })
  })

  test.each([
    [success({ id: 1 }), 'accepted'],
    [failure('Payout with this ref already exists'), 'exists'],
    [failure('Insufficient balance'), { failure: 'insufficient_float' }],
    [failure('Please enable IP Whitelisting to access this service'), expect.anything()],
  ])('an answer to sending: %j', async (answer, expected) => {
    const { driver, received } = await openOdd({ '/transfers': answer })
    expect(await driver.sendPayout(order)).toEqual(expected)
    expect(received[0]!.body).toContain('"amount":25,')
  })

  test('an unknown refusal is unclear, never a failure', async () => {
    const { driver } = await openOdd({ '/transfers': failure('Merchant is not enabled') })
    expect(await driver.sendPayout(order)).toEqual({ unclear: 'Merchant is not enabled' })
  })
})

describe('refunds', () => {
  const row = {
    id: 7,
    tx_id: 1,
    amount_refunded: 25,
    status: 'completed',
    created_at: paid.created_at,
  }
  const verified = { '/transactions/1/verify': success(paid) }

  test('a list without comments is asked for each refund', async () => {
    const { driver } = await openOdd({
      ...verified,
      '/refunds': success([row], { page_info: { total_pages: 1 } }),
      '/refunds/7': success({ ...row, comments: 'rf-1' }),
    })
    expect(await driver.findRefund(refundOrder)).toMatchObject({ reference: 'rf-1', state: 'open' })
  })

  test('without the payment it is unknown whether the refund exists', async () => {
    const { driver } = await openOdd({
      '/transactions/1/verify': failure('No transaction was found for this id'),
      '/refunds': success([{ ...row, comments: 'rf-1' }], { page_info: { total_pages: 1 } }),
    })
    await expect(driver.findRefund(refundOrder)).rejects.toThrow(Unknown)
  })

  test.each([
    ['comments', { '/refunds': success([row]), '/refunds/7': success(row) }],
    ['payments', { '/refunds': success([{ ...row, tx_id: undefined }]) }],
    ['an end', { '/refunds': success([{ ...row, tx_id: 2 }]) }],
  ])('without %s it is unknown whether the refund exists', async (_name, answers) => {
    const { driver } = await openOdd({ ...verified, ...answers })
    await expect(driver.findRefund(refundOrder)).rejects.toThrow(Unknown)
  })

  test.each([
    ['completed', 0, 'open'],
    ['completed', 30 * day, 'review'],
    ['pending', 0, 'open'],
    ['completed-bank-transfer', 0, 'success'],
    ['completed-offline', 0, 'success'],
    ['failed', 0, 'failed'],
    ['failed-to-be-decided', 0, 'open'],
    ['completed-tomorrow', 0, 'open'],
    ['constructor', 0, 'open'],
  ])('%s after %i ms is %s', async (status, ageMs, state) => {
    const { driver, clock } = await openOdd({
      ...verified,
      '/refunds': success([{ ...row, status, comments: 'rf-1' }], {
        page_info: { total_pages: 1 },
      }),
    })
    clock.advance(ageMs)
    expect(await driver.findRefund(refundOrder)).toMatchObject({ state, amount: 2_500n })
  })
})

test.each([
  ['4473.125', 447_312n],
  ['2168880', 216_888_000n],
  ['0.019', 1n],
  ['-5.5', -550n],
])('a balance of %s', async (balance, kobo) => {
  const { driver } = await openOdd({ '/balances/NGN': success({ available_balance: balance }) })
  expect(await driver.readFloat()).toBe(kobo)
})

// Flutterwave may mean days of UTC or of Lagos, and the last day with or without itself.
test('the days of a period cover it, whatever days Flutterwave means', () => {
  const time = fc.date({
    min: new Date('2026-01-01'),
    max: new Date('2027-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(time, fc.nat(5 * day), (from, lengthMs) => {
      const to = after(from, lengthMs)
      const days = daysOf({ from, to })
      for (const zoneMs of [0, hour]) {
        const start = new Date(days.from).getTime() - zoneMs
        const end = new Date(days.to).getTime() - zoneMs
        expect(start).toBeLessThanOrEqual(from.getTime())
        expect(end).toBeGreaterThan(to.getTime())
      }
    }),
  )
})
