import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import type { BankInstruction, StoredAccount } from '../../../src/rails/bank/driver.js'
import { Unknown } from '../../../src/rails/bank/provider-client.js'
import { createMonnifyDriver } from '../../../src/rails/monnify/driver.js'
import { manualClock } from '../../support/clock.js'

type Answer = { status?: number; text: string }

/** A driver at a server that answers a login, and everything else as told. */
async function openAt(answer: Answer) {
  const server = createServer((request, response) => {
    const isLogin = request.url === '/api/v1/auth/login'
    const { status = 200, text } = isLogin ? { text: login } : answer
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const config = {
    apiKey: new Secret('key'),
    secretKey: new Secret('secret'),
    contractCode: '1',
    sourceAccount: '8016472829',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  const logger = createLogger('silent')
  return createMonnifyDriver(config, {
    payerEmail: 'payer@example.com',
    mode: 'live',
    clock: manualClock(),
    logger,
  })
}

function ok(responseBody: unknown): Answer {
  return {
    text: JSON.stringify({
      requestSuccessful: true,
      responseMessage: 'success',
      responseCode: '0',
      responseBody,
    }),
  }
}

function no(responseCode: unknown, responseMessage = 'no', status = 400): Answer {
  return {
    status,
    text: JSON.stringify({ requestSuccessful: false, responseMessage, responseCode }),
  }
}

const login = ok({ accessToken: 'token', expiresIn: 3567 }).text

const order: BankInstruction = {
  reference: 'bt-1',
  amount: 100_50n,
  bankCode: '058',
  accountNumber: '0123456789',
  accountName: 'EZE NGOZI',
  bankName: 'GTBank',
  narration: null,
  recipient: null,
  refundOf: null,
}

const account: StoredAccount = {
  reference: 'va-1',
  number: '1003440679',
  accountName: 'Ada Stores',
  bankCode: '035',
  bankName: 'Wema bank',
  amount: 100_00n,
  expiresAt: null,
  details: { transactionReference: 'MNFY|1' },
}

const payout = { reference: 'bt-1', amount: 100.5, status: 'SUCCESS' }

const transaction = {
  transactionReference: 'MNFY|1',
  paymentReference: 'MNFY|PAYREF|GENERATED|1',
  amountPaid: '100.00',
  paidOn: '2026-07-17 03:14:51.0',
  paymentStatus: 'PAID',
  currency: 'NGN',
  product: { type: 'INVOICE', reference: 'va-1' },
}

/** Answers that say nothing about what happened. */
const unreadable: [string, Answer][] = [
  ['99', no('99')],
  ['99 as a number', no(99)],
  ['99 with status 200', no('99', 'unexpected', 200)],
  ['an unknown code', no('X17')],
  ['too many requests', no('D04', 'slow down', 429)],
  ['an error of the gateway', { status: 503, text: '<html></html>' }],
  ['a page instead of JSON', { text: '<html></html>' }],
  ['no envelope', { text: '{}' }],
  ['success that contradicts its code', { text: '{"requestSuccessful":true,"responseCode":"99"}' }],
  ['a list', { text: '[]' }],
  ['nothing', { text: '' }],
]

describe.each(unreadable)('%s is unknown', (_, answer) => {
  test('for every call', async () => {
    const driver = await openAt(answer)
    const from = new Date(0)
    const to = new Date()
    const calls = [
      driver.sendPayout(order),
      driver.findPayout(order),
      driver.sendRefund({ ...order, refundOf: 'MNFY|1' }),
      driver.findRefund({ ...order, refundOf: 'MNFY|1' }),
      driver.findPayments(account),
      driver.findPayments({ ...account, amount: null }),
      driver.listPayments({ from, to, after: undefined }),
      driver.listPayouts({ from, to, after: undefined }),
      driver.listRefunds({ from, to, after: undefined }),
      driver.listReversed(from),
      driver.listBanks(),
      driver.resolveName(order),
      driver.readFloat(),
    ]
    const settled = await Promise.allSettled(calls)
    for (const one of settled) {
      expect(one.status).toBe('rejected')
      expect((one as PromiseRejectedResult).reason).toBeInstanceOf(Unknown)
    }
  })
})

describe('payouts', () => {
  test.each([
    ['SUCCESS', 'success'],
    ['COMPLETED', 'success'],
    ['FAILED', 'failed'],
    ['REVERSED', 'reversed'],
    ['PENDING', 'open'],
    ['AWAITING_PROCESSING', 'open'],
    ['IN_PROGRESS', 'open'],
    ['SOMETHING_NEW', 'open'],
    ['PENDING_AUTHORIZATION', 'review'],
    ['OTP_EMAIL_DISPATCH_FAILED', 'review'],
    ['EXPIRED', 'review'],
  ])('%s is %s', async (status, state) => {
    const driver = await openAt(ok({ ...payout, status }))
    expect(await driver.findPayout(order)).toMatchObject({ reference: 'bt-1', state })
  })

  test('amounts are exact, quoted or not, or unknown', async () => {
    for (const amount of ['100.50', '100.5', 100.5]) {
      const driver = await openAt(ok({ ...payout, amount }))
      expect(await driver.findPayout(order)).toMatchObject({ amount: 100_50n })
    }
    for (const amount of ['100.505', null, 'a lot', '1e3']) {
      const driver = await openAt(ok({ ...payout, amount }))
      await expect(driver.findPayout(order)).rejects.toThrow(Unknown)
    }
  })

  test('another payout than asked for is unknown', async () => {
    const driver = await openAt(ok({ ...payout, reference: 'BT-1' }))
    await expect(driver.findPayout(order)).rejects.toThrow(Unknown)
  })

  test('not found has a code or only words', async () => {
    for (const answer of [no('D02'), no('99', 'Could not find disbursement transaction for …')])
      expect(await (await openAt(answer)).findPayout(order)).toBeUndefined()
  })

  test('a payout that is not allowed stays open, in the words of Monnify', async () => {
    const words = 'Disbursement feature not enabled for this merchant'
    for (const answer of [no('99', words, 401), no('99', words, 403), no('D01', words)])
      expect(await (await openAt(answer)).sendPayout(order)).toEqual({
        unclear: `Monnify refused the payout: ${words}`,
      })
  })
})

describe('unknown payouts and refunds', () => {
  const missing = [
    no('R7', 'No refund was initiated with the supplied refund reference.', 404),
    no('99', 'Something', 404),
    no(404, '', 404),
    no('D02', 'Could not find disbursement transaction', 400),
    no('99', 'Refund not found', 422),
  ]

  test.each(missing)('%j means not found', async (answer) => {
    const driver = await openAt(answer)
    expect(await driver.findRefund({ ...order, refundOf: 'MNFY|1' })).toBeUndefined()
    expect(await driver.findPayout(order)).toBeUndefined()
    expect(await driver.fetchPayment('{"id":"MNFY|1","session":null,"rejected":null}')).toBe(
      undefined,
    )
  })

  test.each([
    { status: 404, text: '<html>not found</html>' },
    { status: 404, text: '{"status":404,"error":"Not Found"}' },
    no('99', 'System error', 400),
    no('99', 'Not found', 503),
  ])('%j decides nothing', async (answer) => {
    const driver = await openAt(answer)
    await expect(driver.findRefund({ ...order, refundOf: 'MNFY|1' })).rejects.toThrow(Unknown)
    await expect(driver.findPayout(order)).rejects.toThrow(Unknown)
  })
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'TOMORROW'])(
  'the word %s leaves a payout, a refund and a payment open',
  async (word) => {
    const found = { ...payout, refundReference: 'bt-1', refundAmount: 100.5 }
    const driver = await openAt(ok({ ...found, status: word, refundStatus: word }))
    expect(await driver.findPayout(order)).toMatchObject({ state: 'open' })
    expect(await driver.findRefund({ ...order, refundOf: 'MNFY|1' })).toMatchObject({
      state: 'open',
    })
    const paid = await openAt(ok({ ...transaction, paymentStatus: word }))
    expect((await paid.findPayments(account)).items).toMatchObject([{ state: 'open' }])
  },
)

test('a notice with fields of other types names no payment, or the right one', async () => {
  const driver = await openAt(ok({}))
  const data = { transactionReference: 'MNFY|1', paymentStatus: { toString: 'x' }, amountPaid: [] }
  const body = JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData: data })
  const signature = createHmac('sha512', 'secret').update(body).digest('hex')
  const read = driver.readNotice({ headers: { 'monnify-signature': signature }, body })
  expect(read).toMatchObject({ kind: 'hint', hint: { about: { subject: 'payment' } } })
})

describe('payments', () => {
  test('our reference is found in the product or in the invoice', async () => {
    const found = async (fields: object) =>
      (await (await openAt(ok({ ...transaction, ...fields }))).findPayments(account)).items[0]
        ?.account
    expect(await found({})).toEqual({ reference: 'va-1' })
    const foreign = { type: 'INVOICE', reference: '1636106097661' }
    expect(await found({ product: foreign, invoiceReference: 'va-2' })).toEqual({
      reference: 'va-2',
    })
    expect(await found({ product: foreign })).toEqual({ reference: '1636106097661' })
  })

  test.each([
    ['PAID', 'paid'],
    ['OVERPAID', 'paid'],
    ['PARTIALLY_PAID', 'paid'],
    ['UNDERPAID', 'paid'],
    ['PENDING', 'open'],
    ['SOMETHING_NEW', 'open'],
    ['REVERSED', 'other'],
    ['REFUNDED', 'other'],
    ['FAILED', 'other'],
    ['EXPIRED', 'other'],
  ])('%s is %s', async (paymentStatus, state) => {
    const driver = await openAt(ok({ ...transaction, paymentStatus }))
    expect(await driver.findPayments(account)).toMatchObject({ items: [{ state }] })
  })

  test('a payment without amount, time or with another id is unknown', async () => {
    const broken = [{ amountPaid: null }, { paidOn: null }, { transactionReference: 'MNFY|2' }]
    for (const fields of broken) {
      const driver = await openAt(ok({ ...transaction, ...fields }))
      await expect(driver.findPayments(account)).rejects.toThrow(Unknown)
    }
  })
})

test('an invoice for another amount is refused, with what to change', async () => {
  const invoice = {
    amount: 101.5,
    accountNumber: '1003440679',
    accountName: 'Ada Stores',
    bankName: 'Wema bank',
    bankCode: '035',
    expiryDate: '2026-07-15 12:00:00',
    transactionReference: 'MNFY|1',
  }
  const driver = await openAt(ok(invoice))
  const expected = { amount: 100_00n, expiresAt: new Date(), lifetimeMs: 60_000 }
  const opening = { reference: 'va-1', name: 'Ada', purpose: '', expected, customer: null }
  expect(await driver.openAccount(opening)).toEqual({
    refused: expect.stringContaining('Switch off fees for payers'),
  })
})
