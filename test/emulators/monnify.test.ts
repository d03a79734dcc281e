import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Emulator } from '../../emulators/emulator.js'
import {
  createMonnifyEmulator,
  type MonnifyEmulatorOptions,
} from '../../emulators/monnify/emulator.js'
import { hour, minute, second } from '../../src/base/clock.js'
import { manualClock } from '../support/clock.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'

type Answer = { status: number; text: string; body: Record<string, unknown> }
type Fields = Record<string, unknown>

/** The emulator with a client that is logged in, as a caller's server would be. */
async function open(options: Partial<MonnifyEmulatorOptions> = {}) {
  const clock = manualClock(new Date('2026-06-26T22:26:41.000Z'))
  const emulator = await createMonnifyEmulator({ clock, speed: 1_000, ...options })
  onTestFinished(() => emulator.close())
  return { clock, emulator, ...(await connect(emulator)) }
}

async function connect(emulator: Emulator) {
  let token = ''

  /** Logs in again when the token has expired, as clients do. */
  async function call(method: string, route: string, fields?: Fields): Promise<Answer> {
    const answer = await callOnce(method, route, fields)
    if (answer.status !== 401) return answer
    await login()
    return callOnce(method, route, fields)
  }

  async function callOnce(method: string, route: string, fields?: Fields): Promise<Answer> {
    const response = await fetch(`${emulator.url}${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: fields === undefined ? null : JSON.stringify(fields),
    })
    const text = await response.text()
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }

  async function login(): Promise<Fields> {
    const answer = await basicLogin(emulator, emulator.variables.MONNIFY_SECRET_KEY!)
    token = (answer.body.responseBody as { accessToken: string }).accessToken
    return answer.body.responseBody as Fields
  }

  await login()
  return {
    callOnce,
    login,
    get: (route: string) => call('GET', route),
    post: (route: string, fields: Fields) => call('POST', route, fields),
    remove: (route: string) => call('DELETE', route),
  }
}

async function basicLogin(emulator: Emulator, secretKey: string): Promise<Answer> {
  const basic = Buffer.from(`${emulator.variables.MONNIFY_API_KEY}:${secretKey}`).toString('base64')
  const response = await fetch(`${emulator.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}

type Open = Awaited<ReturnType<typeof open>>

function resultOf(answer: Answer): Fields {
  expect(answer.body).toMatchObject({
    requestSuccessful: true,
    responseMessage: 'success',
    responseCode: '0',
  })
  return answer.body.responseBody as Fields
}

function rowsOf(answer: Answer): Fields[] {
  return resultOf(answer).content as Fields[]
}

const contractCode = '5867418298'
const sourceAccountNumber = '8016472829'

function invoice(fields: Fields = {}): Fields {
  return {
    amount: 999,
    currencyCode: 'NGN',
    invoiceReference: 'inv-1',
    customerName: 'Ada Eze',
    customerEmail: 'ada@example.com',
    contractCode,
    description: 'Ada Stores',
    expiryDate: '2026-06-27 01:26:41',
    paymentMethods: ['ACCOUNT_TRANSFER'],
    ...fields,
  }
}

function reservation(fields: Fields = {}): Fields {
  return {
    accountReference: 'acct-1',
    accountName: 'Ada Stores',
    currencyCode: 'NGN',
    contractCode,
    customerEmail: 'ada@example.com',
    getAllAvailableBanks: true,
    bvn: '22222222226',
    ...fields,
  }
}

function payout(fields: Fields = {}): Fields {
  return {
    amount: 100.5,
    reference: 'bt-1',
    narration: 'Rent',
    destinationBankCode: '058',
    destinationAccountNumber: '0123456789',
    currency: 'NGN',
    sourceAccountNumber,
    async: true,
    ...fields,
  }
}

const singles = '/api/v2/disbursements/single'
const invoices = '/api/v1/invoice'
const reserved = '/api/v2/bank-transfer/reserved-accounts'
const refunds = '/api/v1/refunds'

const summary = (reference: string) => `${singles}/summary?reference=${reference}`
const transactionRoute = (id: string) => `/api/v2/transactions/${encodeURIComponent(id)}`

async function openInvoice({ post }: Open, fields: Fields = {}): Promise<Fields> {
  return resultOf(await post(`${invoices}/create`, invoice(fields)))
}

/** A receiver of the emulator's notices, which it can read by event. */
async function receive(opened: Open, answer?: Parameters<typeof openReceiver>[0]) {
  const receiver = await openReceiver(answer)
  opened.emulator.sendNoticesTo(receiver.url)
  const notices = () =>
    receiver.received.map(
      ({ body }) => JSON.parse(body) as { eventType: string; eventData: Fields },
    )
  return { receiver, notices }
}

describe('login', () => {
  test('a token is needed, and a login returns the same one while it is fresh', async () => {
    const { emulator, clock, login, get, callOnce } = await open()
    const wrong = await basicLogin(emulator, 'wrong')
    expect(wrong.status).toBe(401)
    expect(wrong.body).toMatchObject({ requestSuccessful: false, responseCode: '99' })

    const first = await login()
    clock.advance(minute)
    const second = await login()
    expect(second.accessToken).toBe(first.accessToken)
    expect(second.expiresIn).toBe(Number(first.expiresIn) - 60)
    expect((await get('/api/v1/banks')).status).toBe(200)

    clock.advance(hour)
    const expired = await callOnce('GET', '/api/v1/banks')
    expect(expired.status).toBe(401)
    expect(expired.body).toMatchObject({ error: 'invalid_token' })
    expect(expired.body.error_description).toContain('Access token expired')
    await login()
    expect((await get('/api/v1/banks')).status).toBe(200)
  })

  test('a path without a route is not found', async () => {
    const { get } = await open()
    expect((await get('/api/v9/nothing')).status).toBe(404)
  })
})

describe('temporary accounts', () => {
  test('an invoice has an account, in Nigerian time without a zone', async () => {
    const opened = await open()
    const made = await openInvoice(opened)
    expect(made).toMatchObject({
      amount: 999,
      invoiceReference: 'inv-1',
      invoiceStatus: 'PENDING',
      accountName: 'Ada Stores',
      bankName: 'Wema bank',
      bankCode: '035',
      createdOn: '2026-06-26 23:26:41',
      expiryDate: '2026-06-27 01:26:41',
    })
    expect(made.accountNumber).toMatch(/^\d{10}$/)
    expect(made.transactionReference).toBe('MNFY|04|20260626232641|000001')
    expect(resultOf(await opened.get(`${invoices}/inv-1/details`))).toEqual(made)
    expect(rowsOf(await opened.get(`${invoices}/all?page=0&size=5`))).toEqual([made])
    opened.clock.advance(2 * hour)
    expect(resultOf(await opened.get(`${invoices}/inv-1/details`)).invoiceStatus).toBe('EXPIRED')
  })

  test('what an invoice may not be is refused in words', async () => {
    const opened = await open()
    await openInvoice(opened)
    const attempt = async (fields: Fields) =>
      (await opened.post(`${invoices}/create`, invoice(fields))).body.responseMessage
    const other = { invoiceReference: 'inv-2' }
    expect(await attempt({})).toBe('Invoice with this reference already exists.')
    expect(await attempt({ ...other, amount: 19.99 })).toBe('Amount must be greater than 20.')
    expect(await attempt({ ...other, contractCode: '1' })).toBe('Unknown Contract Code provided.')
    expect(await attempt({ ...other, expiryDate: '2026-06-26 23:26:41' })).toBe(
      'Invalid invoice expiry date.',
    )
    expect(await attempt({ ...other, expiryDate: '2026-06-27T01:26:41Z' })).toBe(
      'Invalid invoice expiry date format',
    )
    expect(await attempt({ ...other, expiryDate: '2027-06-27 01:26:41' })).toBe(
      'Invoice expiry date is after system limit.',
    )
    expect(await attempt({ ...other, description: ' ' })).toBe('description must not be blank')
    expect((await opened.get(`${invoices}/inv-2/details`)).status).toBe(404)
  })

  test('a cancelled invoice takes no money', async () => {
    const opened = await open()
    const made = await openInvoice(opened)
    expect(resultOf(await opened.remove(`${invoices}/inv-1/cancel`)).invoiceStatus).toBe(
      'CANCELLED',
    )
    expect((await opened.remove(`${invoices}/inv-1/cancel`)).status).toBe(200)
    const paid = await opened.emulator.pay({
      accountNumber: made.accountNumber as string,
      amount: 999_00n,
    })
    expect(paid?.result).toBe('rejected')
    expect(opened.emulator.books().payments).toEqual([])
  })

  test('a number is given to another account once the first has expired', async () => {
    const opened = await open()
    const first = await openInvoice(opened)
    const second = await openInvoice(opened, { invoiceReference: 'inv-2' })
    expect(second.accountNumber).not.toBe(first.accountNumber)
    opened.clock.advance(3 * hour)
    const expiryDate = '2026-06-27 05:00:00'
    const third = await openInvoice(opened, { invoiceReference: 'inv-3', expiryDate })
    expect(third.accountNumber).toBe(first.accountNumber)
    const fourth = await openInvoice(opened, { invoiceReference: 'inv-4', expiryDate })
    expect(fourth.accountNumber).toBe(second.accountNumber)
    const fifth = await openInvoice(opened, { invoiceReference: 'inv-5', expiryDate })
    expect(fifth.accountNumber).not.toBe(first.accountNumber)
  })

  test('a checkout account lasts forty minutes', async () => {
    const opened = await open()
    const started = resultOf(
      await opened.post('/api/v1/merchant/transactions/init-transaction', {
        amount: '100.00',
        customerEmail: 'ada@example.com',
        paymentReference: 'pay-1',
        paymentDescription: 'Ada Stores',
        currencyCode: 'NGN',
        contractCode,
      }),
    )
    const made = await opened.post('/api/v1/merchant/bank-transfer/init-payment', {
      transactionReference: started.transactionReference,
    })
    expect(made.text).toContain('"amount":100.00,"fee":0.00,"totalPayable":100.00')
    expect(resultOf(made)).toMatchObject({
      accountDurationSeconds: 2400,
      expiresOn: '2026-06-27T00:06:41',
      transactionReference: started.transactionReference,
    })
  })

  test('an opening can be carried out and its answer lost', async () => {
    const opened = await open()
    opened.emulator.faults.lostOpenings = 1
    await expect(opened.post(`${invoices}/create`, invoice())).rejects.toThrow()
    expect((await opened.get(`${invoices}/inv-1/details`)).status).toBe(200)
    expect((await opened.post(`${invoices}/create`, invoice())).status).toBe(422)
  })
})

describe('reserved accounts', () => {
  test('one reference has several numbers, and the name may be cut', async () => {
    const { get, post, remove } = await open()
    const accountName = 'Ada Eze and Daughters Trading Company'
    const made = resultOf(await post(reserved, reservation({ accountName })))
    expect(made).toMatchObject({
      accountReference: 'acct-1',
      accountName: 'Ada Eze and Daughters Trading ',
      status: 'ACTIVE',
    })
    const accounts = made.accounts as { bankCode: string; accountNumber: string }[]
    expect(accounts.map(({ bankCode }) => bankCode)).toEqual(['035', '232'])
    expect(new Set(accounts.map(({ accountNumber }) => accountNumber)).size).toBe(2)
    expect(made.createdOn).toMatch(/^2026-06-26 23:26:41\.\d+$/)

    const again = await post(reserved, reservation())
    expect(again.status).toBe(422)
    expect(again.body.responseMessage).toBe(
      'You can not reserve two accounts with the same reference.',
    )
    expect(resultOf(await get(`${reserved}/acct-1`))).toMatchObject({ ...made })
    const removed = await remove('/api/v1/bank-transfer/reserved-accounts/reference/acct-1')
    expect(removed.status).toBe(200)
    expect((await get(`${reserved}/acct-1`)).status).toBe(404)
  })

  test('a live contract needs a BVN or NIN; the sandbox does not', async () => {
    const live = await open({ needsIdentity: true })
    const missing = await live.post(reserved, reservation({ bvn: undefined }))
    expect(missing.status).toBe(400)
    const short = await live.post(reserved, reservation({ bvn: '123' }))
    expect(short.body.responseMessage).toBe('BVN is invalid. Must be 11 digits')
    const sandbox = await open()
    expect((await sandbox.post(reserved, reservation({ bvn: undefined }))).status).toBe(200)
  })

  test('lists its payments by page, without sender or paidOn', async () => {
    const opened = await open()
    const made = resultOf(await opened.post(reserved, reservation()))
    const [first, second] = made.accounts as { accountNumber: string }[]
    for (const { accountNumber } of [first!, second!, first!])
      await opened.emulator.pay({ accountNumber, amount: 50_25n })
    const route = '/api/v1/bank-transfer/reserved-accounts/transactions?accountReference=acct-1'
    const page = await opened.get(`${route}&page=1&size=2`)
    expect(resultOf(page)).toMatchObject({ totalElements: 3, totalPages: 2, last: true, number: 1 })
    expect(page.text).toContain('"amountPaid":50.25')
    const [row] = rowsOf(page)
    expect(row).toMatchObject({
      paymentStatus: 'PAID',
      completedOn: '2026-06-26T22:26:41.000+0000',
    })
    expect(row).not.toHaveProperty('paidOn')
    const ids = [...rowsOf(await opened.get(`${route}&page=0&size=2`)), row!].map(
      (found) => found.transactionReference,
    )
    expect(new Set(ids).size).toBe(3)
  })
})

describe('payments', () => {
  test('a payment is announced with a signature over the raw body', async () => {
    const opened = await open()
    const { receiver, notices } = await receive(opened)
    const made = await openInvoice(opened)
    const accountNumber = made.accountNumber as string
    const paid = await opened.emulator.pay({
      accountNumber,
      amount: 999_00n,
      senderName: 'NGOZI OBI',
      senderAccountNumber: '0065432190',
    })
    expect(paid).toEqual({ id: made.transactionReference, result: 'received' })
    await opened.emulator.drainNotices()

    const [notice] = notices()
    expect(notice).toMatchObject({
      eventType: 'SUCCESSFUL_TRANSACTION',
      eventData: {
        product: { reference: 'inv-1', type: 'INVOICE' },
        transactionReference: made.transactionReference,
        paymentReference: 'inv-1',
        paidOn: '2026-06-26 23:26:41.0',
        amountPaid: 999,
        settlementAmount: '989.00',
        paymentStatus: 'PAID',
        destinationAccountInformation: { bankCode: '035', accountNumber },
        paymentSourceInformation: [{ accountNumber: '0065432190', accountName: 'NGOZI OBI' }],
      },
    })
    const [request] = receiver.received
    const key = opened.emulator.variables.MONNIFY_SECRET_KEY!
    const signature = createHmac('sha512', key).update(request!.body).digest('hex')
    expect(request!.headers['monnify-signature']).toBe(signature)
  })

  test('the query masks the payer and writes amounts as text', async () => {
    const opened = await open()
    const made = await openInvoice(opened)
    const id = made.transactionReference as string
    expect(resultOf(await opened.get(transactionRoute(id)))).toMatchObject({
      amountPaid: '0.00',
      paidOn: null,
      paymentStatus: 'PENDING',
    })
    await opened.emulator.pay({
      accountNumber: made.accountNumber as string,
      amount: 999_00n,
      senderAccountNumber: '0065432190',
    })
    const found = resultOf(await opened.get(transactionRoute(id)))
    expect(found).toMatchObject({
      amountPaid: '999.00',
      totalPayable: '999.00',
      paidOn: '26/06/2026 11:26:41 PM',
      paymentStatus: 'PAID',
      product: { type: 'INVOICE', reference: 'inv-1' },
      accountDetails: { accountNumber: '******2190' },
    })
    expect(JSON.stringify(found)).not.toMatch(/sessionId|0065432190|destination/)
    const queried = await opened.get('/api/v2/merchant/transactions/query?paymentReference=inv-1')
    expect(resultOf(queried)).toEqual(found)
    expect((await opened.get(transactionRoute('MNFY|none'))).status).toBe(404)
  })

  test('too little is rejected, too much is kept, late and second payments bounce', async () => {
    const opened = await open()
    const { notices } = await receive(opened)
    const made = await openInvoice(opened)
    const accountNumber = made.accountNumber as string
    const pay = async (amount: bigint) =>
      (await opened.emulator.pay({ accountNumber, amount }))?.result
    expect(await pay(998_99n)).toBe('rejected')
    expect(await pay(1000_00n)).toBe('received')
    expect(await pay(999_00n)).toBe('rejected')
    const late = await openInvoice(opened, { invoiceReference: 'inv-2' })
    opened.clock.advance(2 * hour)
    expect(
      await opened.emulator.pay({ accountNumber: late.accountNumber as string, amount: 999_00n }),
    ).toMatchObject({ result: 'rejected' })
    expect(await opened.emulator.pay({ accountNumber: '9999999999', amount: 1n })).toBe(undefined)
    await opened.emulator.drainNotices()
    const [rejected, kept] = notices().sort((a, b) => a.eventType.localeCompare(b.eventType))
    expect(notices()).toHaveLength(2)
    expect(rejected).toMatchObject({
      eventType: 'REJECTED_PAYMENT',
      eventData: {
        transactionReference: made.transactionReference,
        paymentSourceInformation: { amountPaid: 998.99 },
        paymentRejectionInformation: {
          rejectionReason: 'UNDER_PAYMENT',
          expectedAmount: 999,
          destinationAccountNumber: accountNumber,
        },
      },
    })
    expect(kept!.eventData).toMatchObject({ paymentStatus: 'OVERPAID', amountPaid: 1000 })
  })

  test('without rejection, partial payments add up in one transaction', async () => {
    const opened = await open({ rejectsUnderpayment: false })
    const made = await openInvoice(opened)
    const accountNumber = made.accountNumber as string
    const route = transactionRoute(made.transactionReference as string)
    await opened.emulator.pay({ accountNumber, amount: 400_00n })
    expect(resultOf(await opened.get(route))).toMatchObject({
      paymentStatus: 'PARTIALLY_PAID',
      amountPaid: '400.00',
    })
    await opened.emulator.pay({ accountNumber, amount: 599_00n })
    expect(resultOf(await opened.get(route))).toMatchObject({
      paymentStatus: 'PAID',
      amountPaid: '999.00',
    })
    expect(opened.emulator.books().payments).toHaveLength(1)
  })

  test('the sender is a list, an object or empty, and its bank code may be empty', async () => {
    const opened = await open()
    const { notices } = await receive(opened)
    const made = resultOf(await opened.post(reserved, reservation()))
    const [{ accountNumber }] = made.accounts as [{ accountNumber: string }]
    for (let count = 0; count < 8; count += 1)
      await opened.emulator.pay({ accountNumber, amount: 100_00n })
    await opened.emulator.pay({ accountNumber, amount: 100_00n, senderAccountNumber: '' })
    await opened.emulator.drainNotices()
    const sources = notices().map(({ eventData }) => eventData.paymentSourceInformation)
    expect(sources.some((source) => Array.isArray(source))).toBe(true)
    expect(sources.some((source) => (source as Fields).bankCode !== undefined)).toBe(true)
    expect(sources.filter((source) => JSON.stringify(source) === '{}')).toHaveLength(1)
    expect(JSON.stringify(sources)).toContain('"bankCode":""')
  })

  test('the sandbox signs nothing; a forged signature is wrong', async () => {
    const sandbox = await open({ isSandbox: true })
    const unsigned = await receive(sandbox)
    const first = await openInvoice(sandbox)
    await sandbox.emulator.pay({ accountNumber: first.accountNumber as string, amount: 999_00n })
    await sandbox.emulator.drainNotices()
    expect(unsigned.receiver.received[0]!.headers).not.toHaveProperty('monnify-signature')

    const live = await open()
    live.emulator.faults.forgesSignature = true
    const forged = await receive(live)
    const second = await openInvoice(live)
    await live.emulator.pay({ accountNumber: second.accountNumber as string, amount: 999_00n })
    await live.emulator.drainNotices()
    const { body, headers } = forged.receiver.received[0]!
    const key = live.emulator.variables.MONNIFY_SECRET_KEY!
    expect(headers['monnify-signature']).toMatch(/^[0-9a-f]{128}$/)
    expect(headers['monnify-signature']).not.toBe(
      createHmac('sha512', key).update(body).digest('hex'),
    )
  })

  test('notices are repeated until they are taken, at most thirteen times', async () => {
    let refusals = 3
    const opened = await open({ speed: 100_000 })
    const { receiver } = await receive(opened, (response) => {
      refusals -= 1
      response.writeHead(refusals >= 0 ? 500 : 200).end()
    })
    const made = await openInvoice(opened)
    await opened.emulator.pay({ accountNumber: made.accountNumber as string, amount: 999_00n })
    await opened.emulator.drainNotices()
    expect(receiver.received).toHaveLength(4)
    refusals = 100
    const other = await openInvoice(opened, { invoiceReference: 'inv-2' })
    await opened.emulator.pay({ accountNumber: other.accountNumber as string, amount: 999_00n })
    await opened.emulator.drainNotices()
    expect(receiver.received).toHaveLength(4 + 13)
  })

  test('silent payments are found by the time of creation, after the delay', async () => {
    const opened = await open()
    const { receiver } = await receive(opened)
    const made = await openInvoice(opened)
    const createdMs = opened.clock.now().getTime()
    opened.clock.advance(hour)
    opened.emulator.faults.listDelayMs = 30 * second
    const accountNumber = made.accountNumber as string
    await opened.emulator.pay({ accountNumber, amount: 1000_00n, isSilent: true })
    await opened.emulator.drainNotices()
    expect(receiver.received).toEqual([])
    const search = (from: number, to: number) =>
      opened.get(`/api/v1/transactions/search?page=0&size=10&from=${from}&to=${to}`)
    expect(rowsOf(await search(createdMs, createdMs + second))).toEqual([])
    opened.clock.advance(30 * second)
    const [row] = rowsOf(await search(createdMs, createdMs + second))
    expect(row).toMatchObject({
      transactionReference: made.transactionReference,
      paymentReference: 'inv-1',
      amount: 999,
      paymentStatus: 'OVERPAID',
      createdOn: '2026-06-26T22:26:41.000+00:00',
      completedOn: '2026-06-26T23:26:41.000+00:00',
      completed: true,
    })
    expect(rowsOf(await search(createdMs + minute, createdMs + 2 * hour))).toEqual([])
  })
})

describe('directory', () => {
  test('banks have text codes', async () => {
    const { get } = await open()
    const banks = (await get('/api/v1/banks')).body.responseBody as { code: unknown }[]
    expect(banks.map(({ code }) => code)).toEqual(expect.arrayContaining(['035A', '058', '50515']))
  })

  test('an invalid account and an outage look alike', async () => {
    const { get, emulator } = await open()
    const validate = (bankCode: string, number = '0123456789') =>
      get(`/api/v1/disbursements/account/validate?accountNumber=${number}&bankCode=${bankCode}`)
    const found = resultOf(await validate('035A'))
    expect(found).toMatchObject({ accountNumber: '0123456789', bankCode: '035A' })
    const unknown = await validate('058', '0000000000')
    expect(unknown.body).toMatchObject({ requestSuccessful: false, responseCode: '99' })
    expect((await validate('zzz')).text).toBe(unknown.text)
    emulator.faults.resolve = 'fails'
    expect((await validate('035A')).text).toBe(unknown.text)
    emulator.faults.resolve = 'limited'
    expect((await validate('035A')).status).toBe(429)
    emulator.faults.resolve = 'other_name'
    expect(resultOf(await validate('035A')).accountName).not.toBe(found.accountName)
  })
})

describe('payouts', () => {
  test('a payout is accepted, then successful, and announced', async () => {
    const opened = await open({ float: 1_000_00n })
    const { notices } = await receive(opened)
    const accepted = await opened.post(singles, payout())
    expect(accepted.text).toContain('"amount":100.5,')
    expect(accepted.text).toContain('"totalFee":10.00,')
    expect(resultOf(accepted)).toMatchObject({ reference: 'bt-1', status: 'PENDING' })
    await until(async () => resultOf(await opened.get(summary('bt-1'))).status === 'SUCCESS')
    expect((await opened.get(summary('bt-1'))).text).toContain('"amount":100.50,')
    await opened.emulator.drainNotices()
    expect(notices()).toMatchObject([
      {
        eventType: 'SUCCESSFUL_DISBURSEMENT',
        eventData: {
          reference: 'bt-1',
          amount: 100.5,
          status: 'SUCCESS',
          createdOn: '26/06/2026 11:26:41 PM',
        },
      },
    ])
    const balance = await opened.get(
      `/api/v2/disbursements/wallet-balance?accountNumber=${sourceAccountNumber}`,
    )
    expect(balance.text).toContain('"availableBalance":889.50')
    expect(opened.emulator.books()).toMatchObject({
      float: 889_50n,
      payouts: [{ reference: 'bt-1', amount: 100_50n, state: 'success' }],
    })
  })

  test('refusals have codes', async () => {
    const opened = await open({ float: 1_000_00n })
    const code = async (fields: Fields) =>
      (await opened.post(singles, payout(fields))).body.responseCode
    expect(await code({})).toBe('0')
    expect(await code({})).toBe('D05')
    expect(await code({ amount: 7 })).toBe('D05')
    expect(await code({ reference: 'bt-2' })).toBe('D07')
    opened.clock.advance((2 * minute) / 1_000)
    expect(await code({ reference: 'bt-2' })).toBe('0')
    expect(await code({ reference: 'bt-3', amount: '780.00' })).toBe('D04')
    expect(await code({ reference: 'bt-3', destinationAccountNumber: '0000000000' })).toBe('D03')
    expect(await code({ reference: 'bt-3', sourceAccountNumber: '1' })).toBe('D01')
    expect(await code({ reference: 'bt-3', amount: 0 })).toBe('D01')
    opened.emulator.faults.refusesAddress = true
    expect(await code({ reference: 'bt-3' })).toBe('D06')
    opened.emulator.faults.refusesAddress = false
    opened.emulator.faults.refusesBusiness = true
    expect((await opened.post(singles, payout({ reference: 'bt-3' }))).status).toBe(403)
    expect(opened.emulator.books().payouts).toHaveLength(2)
    const missing = await opened.get(summary('bt-3'))
    expect(missing.body).toMatchObject({
      responseCode: 'D02',
      responseMessage: 'Could not find disbursement transaction for given reference',
    })
  })

  test('answers can be lost or wrong although the payout exists', async () => {
    const opened = await open()
    opened.emulator.faults.lostAnswers = 1
    await expect(opened.post(singles, payout())).rejects.toThrow()
    expect((await opened.post(singles, payout())).body.responseCode).toBe('D05')
    opened.emulator.faults.errorsAfterPayout = 3
    const answers: Answer[] = []
    for (const reference of ['bt-2', 'bt-3', 'bt-4'])
      answers.push(
        await opened.post(singles, payout({ reference, amount: Number(reference.slice(3)) })),
      )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 500, 503])
    expect(answers.map(({ body }) => body.responseCode)).toEqual(
      expect.arrayContaining(['99', 99, undefined]),
    )
    opened.emulator.faults.hiddenPayouts = 1
    expect((await opened.get(summary('bt-2'))).body.responseCode).toBe('D02')
    expect((await opened.get(summary('bt-2'))).body.responseCode).toBe('0')
    expect(opened.emulator.books().payouts).toHaveLength(4)
  })

  test('held payouts wait; with OTP they wait for a person; both can be ended', async () => {
    const opened = await open({ float: 1_000_00n })
    const { emulator } = opened
    emulator.faults.arePayoutsHeld = true
    await opened.post(singles, payout())
    emulator.faults.asksForOtp = true
    const waiting = resultOf(await opened.post(singles, payout({ reference: 'bt-2', amount: 50 })))
    expect(waiting.status).toBe('PENDING_AUTHORIZATION')
    expect(resultOf(await opened.get(summary('bt-1'))).status).toBe('PENDING')
    expect(emulator.settle('bt-1', 'failed')).toBe(true)
    expect(emulator.settle('bt-1', 'success')).toBe(false)
    expect(emulator.settle('bt-2', 'success')).toBe(true)
    expect(emulator.settle('bt-3', 'success')).toBe(false)
    expect(resultOf(await opened.get(summary('bt-1'))).status).toBe('FAILED')
    expect(resultOf(await opened.get(summary('bt-2'))).status).toBe('SUCCESS')
    expect(emulator.books().float).toBe(940_00n)
  })

  test('a reversed payout is announced and listed where it was', async () => {
    const opened = await open({ float: 1_000_00n })
    opened.emulator.faults.arePayoutsHeld = true
    const { notices } = await receive(opened)
    await opened.post(singles, payout())
    expect(opened.emulator.reverse('bt-1')).toBe(false)
    opened.emulator.settle('bt-1', 'success')
    opened.clock.advance(24 * hour)
    expect(opened.emulator.reverse('bt-1')).toBe(true)
    expect(opened.emulator.reverse('bt-1')).toBe(false)
    await opened.emulator.drainNotices()
    expect(
      notices()
        .map(({ eventType }) => eventType)
        .sort(),
    ).toEqual(['REVERSED_DISBURSEMENT', 'SUCCESSFUL_DISBURSEMENT'])
    const createdMs = Date.parse('2026-06-26T22:26:41.000Z')
    const search = (from: number) =>
      opened.get(
        `/api/v2/disbursements/search-transactions?sourceAccountNumber=${sourceAccountNumber}` +
          `&startDate=${from}&endDate=${createdMs + 48 * hour}&pageNo=0&pageSize=10`,
      )
    expect(rowsOf(await search(createdMs))).toMatchObject([
      { reference: 'bt-1', status: 'REVERSED' },
    ])
    expect(rowsOf(await search(createdMs + second))).toEqual([])
    expect(rowsOf(await opened.get(`${singles}/transactions?pageNo=0&pageSize=1`))).toHaveLength(1)
    expect(opened.emulator.books().float).toBe(990_00n)
  })

  test('a notice can come before the answer', async () => {
    const opened = await open()
    const order: string[] = []
    await receive(opened, (response) => {
      order.push('notice')
      response.writeHead(200).end()
    })
    opened.emulator.faults.notices = 'early'
    expect(resultOf(await opened.post(singles, payout())).status).toBe('SUCCESS')
    order.push('answer')
    expect(order).toEqual(['notice', 'answer'])
  })
})

describe('refunds', () => {
  const refund = (fields: Fields): Fields => ({
    refundReference: 'rf-1',
    refundAmount: 200,
    refundReason: 'Returned to sender',
    customerNote: 'Refund',
    ...fields,
  })

  async function paidInvoice(opened: Open, senderAccountNumber?: string) {
    const made = await openInvoice(opened)
    await opened.emulator.pay({
      accountNumber: made.accountNumber as string,
      amount: 999_00n,
      ...(senderAccountNumber !== undefined && { senderAccountNumber }),
    })
    return made.transactionReference as string
  }

  test('a refund by our reference is made once, then completed and announced', async () => {
    const opened = await open({ float: 1_000_00n })
    const { notices } = await receive(opened)
    const transactionReference = await paidInvoice(opened)
    const made = await opened.post(`${refunds}/initiate-refund`, refund({ transactionReference }))
    expect(made.text).toContain('"refundAmount":200.00')
    expect(resultOf(made)).toMatchObject({
      refundReference: 'rf-1',
      refundStatus: 'PENDING',
      refundType: 'PARTIAL_REFUND',
      completedOn: '',
    })
    const again = await opened.post(`${refunds}/initiate-refund`, refund({ transactionReference }))
    expect(again.body.responseCode).toBe('R9')
    await until(
      async () => resultOf(await opened.get(`${refunds}/rf-1`)).refundStatus === 'COMPLETED',
    )
    await opened.emulator.drainNotices()
    expect(notices().map(({ eventType }) => eventType)).toContain('SUCCESSFUL_REFUND')
    expect(rowsOf(await opened.get(`${refunds}?page=0&size=10`))).toHaveLength(1)
    expect((await opened.get(`${refunds}/rf-2`)).body.responseCode).toBe('R7')
    expect(opened.emulator.books()).toMatchObject({
      float: 800_00n,
      refunds: [{ note: 'rf-1', paymentId: transactionReference, amount: 200_00n }],
    })
  })

  test('refusals have codes', async () => {
    const opened = await open({ float: 1_000_00n })
    opened.emulator.faults.arePayoutsHeld = true
    const transactionReference = await paidInvoice(opened, '')
    const code = async (fields: Fields) =>
      (await opened.post(`${refunds}/initiate-refund`, refund({ transactionReference, ...fields })))
        .body.responseCode
    expect(await code({ transactionReference: 'MNFY|none' })).toBe('R1')
    expect(await code({ refundAmount: 99.99 })).toBe('R4')
    expect(await code({ refundAmount: 999.01 })).toBe('R3')
    expect(await code({ customerNote: 'longer than sixteen' })).toBe('R8')
    expect(await code({})).toBe('R6')
    const named = { destinationAccountNumber: '0123456789', destinationAccountBankCode: '058' }
    expect(await code({ ...named, refundAmount: 900 })).toBe('0')
    expect(await code({ ...named, refundReference: 'rf-2', refundAmount: 100 })).toBe('R12')
    opened.emulator.settle('rf-1', 'failed')
    expect(opened.emulator.books().float).toBe(1_000_00n)
    opened.emulator.setFloat(50_00n)
    expect(await code({ ...named, refundReference: 'rf-2', refundAmount: 100 })).toBe('R5')
  })
})

describe('outages', () => {
  test('the provider can be unavailable, closed or slow', async () => {
    const { emulator, get } = await open()
    emulator.faults.down = 'unavailable'
    expect((await get('/api/v1/banks')).status).toBe(503)
    emulator.faults.down = 'refused'
    await expect(get('/api/v1/banks')).rejects.toThrow()
    emulator.faults.down = 'no'
    emulator.faults.delayMs = 20
    expect((await get('/api/v1/banks')).status).toBe(200)
  })
})

describe('books in a file', () => {
  test('survive a restart, with everything still under way', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'monnify-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'books.json')
    const opened = await open({ file, float: 1_000_00n })
    opened.emulator.faults.arePayoutsHeld = true
    const made = await openInvoice(opened)
    await opened.emulator.pay({ accountNumber: made.accountNumber as string, amount: 999_00n })
    await opened.post(reserved, reservation())
    await opened.post(singles, payout())
    const before = opened.emulator.books()
    await opened.emulator.close()

    const { clock } = opened
    const emulator = await createMonnifyEmulator({ clock, speed: 1_000, file })
    onTestFinished(() => emulator.close())
    expect(emulator.books()).toEqual(before)
    const { get, post } = await connect(emulator)
    expect((await get(`${reserved}/acct-1`)).status).toBe(200)
    const again = invoice({ invoiceReference: 'inv-2' })
    const next = resultOf(await post(`${invoices}/create`, again))
    expect(next.accountNumber).not.toBe(made.accountNumber)
    expect(next.transactionReference).not.toBe(made.transactionReference)
    await until(() => emulator.books().payouts[0]!.state === 'success')
  })
})
