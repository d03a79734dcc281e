import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { dataSchema } from '../../src/api/openapi/event-schemas.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { Rails } from '../../src/collections/rails.js'
import type { EventType } from '../../src/events/catalogue.js'
import { approveKyc } from '../../src/merchants/kyc/kyc.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { sql } from '../../src/postgres/sql.js'
import { type Merchant, openManilla, type Reply } from '../support/open-manilla.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { ask, clock, db } = service
const path = '/v1/collections/dedicated-accounts'
const code = 'dedicated_account_creation_failed'

let merchant: Merchant
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  shop = payersOf(service, merchant)
})

const open = async (name = 'customer-1') => (await shop.openDedicated(name)).json.data
const read = async (reference: string) => (await shop.get(`${path}/${reference}`)).json.data
const list = async (query = '') => (await shop.get(`${path}?${query}`)).json.data
const deactivate = (reference: string) => shop.post(`${path}/${reference}/deactivate`, {})
const refusalOf = ({ status, json }: Reply) => [status, json.code, json.reason]

test('a dedicated account is returned with every field, the same as by GET', async () => {
  const metadata = { b: 1, a: { C: ['₦'] } }
  const { status, json } = await shop.openDedicated('customer-77', { metadata })
  expect([status, json]).toEqual([
    201,
    {
      status: true,
      message: 'Dedicated account created',
      data: {
        externalReference: 'customer-77',
        metadata,
        status: 'ACTIVE',
        customer: null,
        accountName: 'Ada',
        accountReference: expect.stringMatching(/^da_[0-9a-z]{26}$/),
        accountNumber: expect.stringMatching(/^\d{10}$/),
        bankCode: expect.stringMatching(/^\d{3}$/),
        bankName: 'Sandbox Bank',
        createdAt: clock.now().toISOString(),
      },
    },
  ])
  expect(await read(json.data.accountReference)).toEqual(json.data)
  expect((await open('bare')).metadata).toEqual({})
})

test('an account is read by your own reference, whatever its state', async () => {
  const created = await open('customer/7 ä')
  const own = encodeURIComponent('customer/7 ä')
  expect(await read(own)).toEqual(created)
  await deactivate(created.accountReference)
  expect(await read(own)).toMatchObject({ status: 'INACTIVE' })
  const stranger = payersOf(service, await service.addMerchant('Bisi'))
  expect((await stranger.get(`${path}/${own}`)).status).toBe(404)
  expect((await shop.get(`${path}/customer`)).status).toBe(404)
  // A reference of ours comes first, also if another account is named like it.
  const named = await open(created.accountReference)
  expect((await read(created.accountReference)).externalReference).toBe('customer/7 ä')
  expect(await read(named.accountReference)).toEqual(named)
})

test('the customer is returned, without identity numbers', async () => {
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const sent = { customer: { ...customer, bvn: '22222222226', nin: '22222222226' } }
  const { json, text } = await shop.openDedicated('customer-bvn', sent)
  expect(json.data.customer).toEqual({ ...customer, phone: null })
  expect(text).not.toContain('22222222226')
  expect(await read(json.data.accountReference)).toEqual(json.data)
  const [listed] = (await list('externalReference=customer-bvn')).items
  expect(listed.customer).toEqual({ ...customer, phone: null })
  const forced = db.rows(sql`
    update collection_accounts set customer = '{"name":"Ada","bvn":"22222222226"}'
    where merchant_reference = 'customer-bvn'`)
  await expect(forced).rejects.toThrow('customer_has_no_identity_number')
})

test('currency may be NGN, which changes nothing; any other is refused', async () => {
  const named = await shop.openDedicated('customer-ngn', { currency: 'NGN' })
  expect([named.status, Object.keys(named.json.data)]).toEqual([201, Object.keys(await open())])
  for (const currency of ['USD', 'ngn', null]) {
    const { status, json } = await shop.openDedicated('customer-usd', { currency })
    expect([status, json.details[0].field]).toEqual([400, 'currency'])
  }
})

// The bank takes the payment and reports nothing: `rail_unavailable` would promise that no money moved.
test('a test payment that may have moved money answers outcome_unknown', async () => {
  const { accountNumber } = await open()
  const silent = await openManilla({
    beside: service,
    rails: new Rails({ test: { collectBank: service.bank } }),
    sandboxPayers: {
      receivePayment: async () => ({ id: 'sbp_unreported' }),
      sendBack: () => undefined,
      sendNoticesNow: async () => {},
    },
  })
  const body = { accountNumber, amount: 500 }
  const paid = await silent.ask('POST', '/v1/test/bank-transfers', {
    key: merchant.test.secret,
    body,
  })
  expect(refusalOf(paid)).toEqual([503, 'internal_error', 'outcome_unknown'])
})

describe('an externalReference', () => {
  const duplicate = [409, code, 'duplicate_reference']

  test('is refused the second time, and the first account is unchanged', async () => {
    const first = await open()
    const second = await shop.openDedicated('customer-1', { metadata: { other: true } })
    expect(refusalOf(second)).toEqual(duplicate)
    expect(second.json.message).toContain('customer-1')
    expect(second.json.details).toEqual([{ field: 'externalReference', issue: 'must be unique' }])
    expect(await list()).toEqual({ items: [first], nextCursor: null })
    expect(await shop.eventsOf(first.accountReference)).toEqual(['dedicated_account.created'])
  })

  test('creates one account for twenty concurrent requests, with or without keys', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, count) =>
        shop.post(
          ...([path, { externalReference: 'raced' }] as const),
          count % 2 ? { 'idempotency-key': `race ${count}` } : {},
        ),
      ),
    )
    const won = replies.filter(({ status }) => status === 201)
    const lost = replies.filter(({ status }) => status !== 201)
    expect(won).toHaveLength(1)
    expect(lost.map(refusalOf)).toEqual(lost.map(() => duplicate))
    expect((await list()).items).toEqual([won[0]!.json.data])
  })

  // Each process has its own lane, so copies can meet at the unique index.
  test('creates one account across two processes', async () => {
    const { secret } = service
    const beside = await openManilla({
      beside: { db, clock, secret },
      rails: new Rails({ test: { collectBank: service.bank } }),
    })
    const key = merchant.test.secret
    for (let round = 0; round < 10; round += 1) {
      const body = { externalReference: `process ${round}` }
      const replies = await Promise.all(
        [service, beside, service, beside].map((one) => one.ask('POST', path, { key, body })),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    }
  })

  test('creates one account per idempotency key', async () => {
    const headers = { 'idempotency-key': 'twenty' }
    const body = { externalReference: 'keyed' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => shop.post(path, body, headers)),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(201)
    const replayed = replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true')
    expect(replayed).toHaveLength(19)
    const refused = await shop.post(path, body, { 'idempotency-key': 'other' })
    const again = await shop.post(path, body, { 'idempotency-key': 'other' })
    expect(refusalOf(refused)).toEqual(duplicate)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true'])
    const changed = await shop.post(path, { externalReference: 'another' }, headers)
    expect(refusalOf(changed)).toEqual([422, 'validation_failed', 'idempotency_key_reused'])
  })

  test('can be used in another environment, but never again in this one', async () => {
    const own = await open()
    const other = payersOf(service, await service.addMerchant('Bola'))
    const theirs = await other.openDedicated('customer-1')
    expect(theirs.status).toBe(201)
    expect(theirs.json.data.accountNumber).not.toBe(own.accountNumber)
    await deactivate(own.accountReference)
    expect(refusalOf(await shop.openDedicated('customer-1'))).toEqual(duplicate)
    expect((await shop.openDedicated('customer-1 ')).status).toBe(201)
    expect((await shop.openDedicated('Customer-1')).status).toBe(201)
    // A virtual account may have the same merchantReference, which is not unique.
    expect((await shop.openVirtual({ merchantReference: 'customer-1' })).status).toBe(201)
  })
})

describe('creating one is refused as validation_failed for', () => {
  const name = { externalReference: 'a' }
  const wrong: Record<string, [unknown, string]> = {
    'no reference': [{}, 'externalReference'],
    'an empty reference': [{ externalReference: '' }, 'externalReference'],
    'a number': [{ externalReference: 7 }, 'externalReference'],
    null: [{ externalReference: null }, 'externalReference'],
    'a list': [{ externalReference: ['a'] }, 'externalReference'],
    '101 characters': [{ externalReference: 'x'.repeat(101) }, 'externalReference'],
    'a control character': [{ externalReference: 'a\tb' }, 'externalReference'],
    'a list of metadata': [{ ...name, metadata: [] }, 'metadata'],
    'null metadata': [{ ...name, metadata: null }, 'metadata'],
    'metadata in text': [{ ...name, metadata: '{}' }, 'metadata'],
    'a number of metadata': [{ ...name, metadata: 1 }, 'metadata'],
    'metadata over 8 kB': [{ ...name, metadata: { a: 'x'.repeat(8 * 1024) } }, 'metadata'],
    'another field': [{ ...name, merchantReference: 'a' }, 'merchantReference'],
  }
  test.each(Object.entries(wrong))('%s', async (_, [body, field]) => {
    const { status, json } = await ask('POST', path, { key: merchant.test.secret, body })
    expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', field])
    expect((await list()).items).toEqual([])
  })
})

// Each cause has its own message and reason, so that the caller knows what to fix.
test('every cause has its own refusal', async () => {
  const { id: environmentId } = merchant.environments.live
  const openLive = (externalReference: string) =>
    ask('POST', path, { key: merchant.live.secret, body: { externalReference } })
  const bankless = () => openLive('live-1')
  const messages = new Set<string>()
  const expectRefused = ({ status, json }: Reply, expected: [number, string]) => {
    expect([status, json.code, json.reason]).toEqual([expected[0], code, expected[1]])
    expect(json.nextStep).toEqual(expect.any(String))
    messages.add(json.message)
  }
  expectRefused(await bankless(), [403, 'kyc_missing'])
  await db.transaction((tx) => approveKyc(tx, environmentId))
  expectRefused(await bankless(), [422, 'no_bank_account'])
  const account = { environmentId, bankCode: '058', accountNumber: '0123456789' }
  const { reference } = await db.transaction((tx) =>
    addBankAccount(tx, clock.now(), { ...account, accountName: 'ADA STORES' }),
  )
  // Active, but not the primary one.
  expectRefused(await bankless(), [422, 'no_bank_account'])
  await db.transaction((tx) => makePrimary(tx, { environmentId, reference }))
  expectRefused(await bankless(), [503, 'rail_unavailable'])
  expectRefused(await shop.openDedicated('sandbox-refused'), [422, 'account_refused'])
  expectRefused(await shop.openDedicated('sandbox-unreachable'), [503, 'rail_unavailable'])
  await open('twice')
  expectRefused(await shop.openDedicated('twice'), [409, 'duplicate_reference'])
  expect(messages.size).toBe(6)
  expect((await list()).items).toHaveLength(1)
})

test('the list shows active accounts, and others on request', async () => {
  const [one, two, three] = [await open('one'), await open('two'), await open('three')]
  const ended = (await deactivate(two.accountReference)).json.data
  const found = async (query: string) =>
    (await list(query)).items
      .map((item: { externalReference: string }) => item.externalReference)
      .toSorted()
  expect(await found('')).toEqual(['one', 'three'])
  expect(await found('status=ACTIVE')).toEqual(['one', 'three'])
  expect(await found('status=INACTIVE')).toEqual(['two'])
  expect((await list('status=INACTIVE')).items).toEqual([ended])
  expect(await found('externalReference=one')).toEqual(['one'])
  expect(await found('externalReference=two')).toEqual([])
  expect(await found('externalReference=two&status=INACTIVE')).toEqual(['two'])
  expect(await found('externalReference=ONE')).toEqual([])
  const [first] = (await list('limit=1')).items
  const { nextCursor } = await list('limit=1')
  const rest = await list(`limit=1&cursor=${nextCursor}`)
  expect([first, ...rest.items]).toEqual(expect.arrayContaining([one, three]))
  expect(rest.nextCursor).toBeNull()
  for (const query of ['status=PAID', 'merchantReference=one', 'cursor=x', 'limit=0'])
    expect((await shop.get(`${path}?${query}`)).status).toBe(400)
})

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** The events of an account, oldest first, valid by schema and numbered without gaps. */
async function eventsOf(reference: string) {
  const { json } = await shop.get(`/v1/events?resource=${reference}&limit=100`)
  const events: { type: EventType; sequence: number; data: object }[] = json.data.items
  const sorted = events.toSorted((one, other) => one.sequence - other.sequence)
  for (const [index, { type, sequence, data }] of sorted.entries()) {
    const schema = dataSchema(type)
    const isRight = ajv.compile(schema)
    expect([isRight(data), isRight.errors ?? []]).toEqual([true, []])
    // Only an account with a split shows one, and only that of a customer shows whose it is.
    const { splits: _, customerReference: __, invoiceReference: ___, ...always } = schema.properties
    expect(Object.keys(data).toSorted()).toEqual(Object.keys(always).toSorted())
    expect(sequence).toBe(index + 1)
  }
  return sorted
}

test('an account emits events for its creation, every credit and its deactivation', async () => {
  const account = await open()
  const { accountReference, accountNumber } = account
  const paid = [
    (await shop.payIn(accountNumber, { amount: 1, copies: 3 })).json.data,
    (await shop.payIn(accountNumber, { amount: 100_000_000 })).json.data,
  ]
  expect(paid[0]).toMatchObject({ status: 'ACCEPTED', source: 'dedicated_account', fee: 0 })
  expect(paid[1]).toMatchObject({ status: 'ACCEPTED', variance: 'NONE', fee: 30_000 })
  const ended = (await deactivate(accountReference)).json.data
  expect(ended).toEqual({ ...account, status: 'INACTIVE' })
  const events = await eventsOf(accountReference)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['dedicated_account.created', account],
    ['dedicated_account.credited', { ...account, payment: paid[0] }],
    ['dedicated_account.credited', { ...account, payment: paid[1] }],
    ['dedicated_account.deactivated', ended],
  ])
  expect(await shop.naira()).toMatchObject({ available: 100_000_001 - 30_000, pending: 0 })
})

test('deactivation is final and emits one event', async () => {
  const { accountReference } = await open()
  const replies = await Promise.all(Array.from({ length: 10 }, () => deactivate(accountReference)))
  for (const { status, json } of replies)
    expect([status, json.data]).toMatchObject([200, { accountReference, status: 'INACTIVE' }])
  expect(await read(accountReference)).toMatchObject({ status: 'INACTIVE' })
  expect((await eventsOf(accountReference)).map(({ type }) => type)).toEqual([
    'dedicated_account.created',
    'dedicated_account.deactivated',
  ])
})

// What counts is when the bank received the money, not when its notice arrived.
test('a payment after deactivation is held; one before it is accepted', async () => {
  const { accountReference, accountNumber } = await open()
  clock.advance(60_000)
  const endedAt = clock.now().getTime()
  await deactivate(accountReference)
  clock.advance(60_000)
  const pay = async (ms: number) => {
    const sentAt = new Date(endedAt + ms).toISOString()
    return (await shop.payIn(accountNumber, { sentAt })).json.data
  }
  const [before, at, later] = [await pay(-1), await pay(0), await pay(1)]
  expect(before).toMatchObject({ status: 'ACCEPTED', variance: 'NONE', fee: 5_000 })
  for (const late of [at, later]) {
    expect(late).toMatchObject({ status: 'HELD', variance: 'LATE', fee: 0, amountHeld: 500_000 })
    expect(await shop.eventsOf(late.reference)).toEqual(['payment.held'])
  }
  expect(await shop.naira()).toMatchObject({ available: 495_000, pending: 1_000_000 })
  expect((await eventsOf(accountReference)).map(({ type }) => type)).toEqual([
    'dedicated_account.created',
    'dedicated_account.deactivated',
    'dedicated_account.credited',
  ])
  expect((await read(accountReference)).status).toBe('INACTIVE')
})

test('deactivation uses the clock of the environment', async () => {
  const { accountReference, accountNumber } = await open()
  await shop.post('/v1/test/clock/advance', { seconds: 86_400 })
  await deactivate(accountReference)
  const worldNow = clock.now().toISOString()
  const early = await shop.payIn(accountNumber, { sentAt: worldNow })
  expect(early.json.data.status).toBe('ACCEPTED')
  expect((await shop.payIn(accountNumber)).json.data.status).toBe('HELD')
})

test('a reference of another environment is not found', async () => {
  const other = payersOf(service, await service.addMerchant('Bola'))
  const theirs = (await other.openDedicated('customer-1')).json.data.accountReference
  const own = (await open()).accountReference
  const virtual = (await shop.openVirtual()).json.data.reference
  const unknown = toReference(prefixes.dedicatedAccount, newId(clock.now()))
  for (const [method, end] of [
    ['GET', ''],
    ['POST', '/deactivate'],
  ] as const) {
    const answerTo = async (reference: string, key: string) => {
      const reply = await ask(method, `${path}/${reference}${end}`, {
        key,
        ...(end && { body: {} }),
      })
      const { requestId, message, ...rest } = reply.json
      expect([reply.status, requestId]).toEqual([404, expect.any(String)])
      return { ...rest, message: message.replace(reference, '…') }
    }
    const expected = await answerTo(unknown, merchant.test.secret)
    for (const reference of [theirs, virtual, virtual.replace('va_', 'da_'), 'da_', 'x'])
      expect(await answerTo(reference, merchant.test.secret)).toEqual(expected)
    expect(await answerTo(own, merchant.live.secret)).toEqual(expected)
  }
  expect((await read(own)).status).toBe('ACTIVE')
})

test('all ledger proofs hold', () => expectAllProofs(db))
