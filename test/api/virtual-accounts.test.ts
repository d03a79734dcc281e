import { beforeEach, describe, expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import type { Merchant, Reply } from '../support/open-manilla.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { ask, clock } = service
const path = '/v1/collections/virtual-accounts'
const order = { merchantReference: 'order-1', amount: 500_000 }

let merchant: Merchant
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  shop = payersOf(service, merchant)
})

/** Raw text: some invalid bodies cannot be expressed as objects. */
const create = (body: unknown, headers = {}) =>
  ask('POST', path, { key: merchant.test.secret, body, headers })

async function countAccounts(): Promise<number> {
  const { json } = await shop.get(`${path}?limit=100`)
  return json.data.items.length
}

const refusalOf = ({ status, json }: Reply) => [status, json.code, json.details?.[0]?.field]

test('a virtual account is returned with every field, the same as by GET', async () => {
  const metadata = { z: 1, a: { B: [null, '₦'] } }
  const { status, json, headers } = await create({ ...order, currency: 'NGN', metadata })
  const createdAt = clock.now()
  expect([status, json]).toEqual([
    201,
    {
      status: true,
      message: 'Virtual account created',
      data: {
        reference: expect.stringMatching(/^va_[0-9a-z]{26}$/),
        merchantReference: 'order-1',
        accountNumber: expect.stringMatching(/^\d{10}$/),
        accountName: 'Ada',
        bankCode: expect.stringMatching(/^\d{3}$/),
        bankName: 'Sandbox Bank',
        amount: 500_000,
        currency: 'NGN',
        status: 'ACTIVE',
        variance: 'NONE',
        amountReceived: 0,
        amountAccepted: 0,
        amountHeld: 0,
        amountReturning: 0,
        amountReturned: 0,
        payments: [],
        metadata,
        expiresAt: after(createdAt, 30 * 60_000).toISOString(),
        paidAt: null,
        cancellationReason: null,
        createdAt: createdAt.toISOString(),
      },
    },
  ])
  const { accountNumber, bankCode, reference } = json.data
  expect(accountNumber).toBe(toNuban({ bankCode, serial: accountNumber.slice(0, 9) }))
  expect(headers.get('cache-control')).toBe('no-store')
  expect(await shop.verify(reference)).toEqual(json.data)
  expect(await shop.eventsOf(reference)).toEqual([])
})

test('metadata is returned unchanged: order, case and numbers', async () => {
  const text = '{"10":1.50,"2":1e2,"B":{"b":12345678901234567890},"e":"\\u0000\\u00e9é"}'
  const made = await create(`{"merchantReference":"a","amount":1,"metadata":${text}}`)
  expect([made.status, made.text.includes(`"metadata":${text}`)]).toEqual([201, true])
  const verified = await shop.get(`${path}/${made.json.data.reference}`)
  expect(verified.text).toContain(`"metadata":${text}`)
})

test('metadata defaults to an empty object, and a reference may repeat', async () => {
  const [one, other] = [await create(order), await create(order)]
  expect(one.json.data.metadata).toEqual({})
  expect(other.status).toBe(201)
  expect(other.json.data.reference).not.toBe(one.json.data.reference)
  expect(other.json.data.accountNumber).not.toBe(one.json.data.accountNumber)
  expect((await shop.get(`${path}?merchantReference=order-1`)).json.data.items).toHaveLength(2)
})

describe('expiresAt', () => {
  const at = (ms: number) => after(clock.now(), ms).toISOString()
  const dayMs = 24 * 60 * 60_000
  const shownFor = async (expiresAt: string) => {
    const { status, json } = await create({ ...order, expiresAt })
    return status === 201 ? json.data.expiresAt : [json.code, json.details[0].issue]
  }

  test('is in the future and at most 24 hours ahead, to the millisecond', async () => {
    const tooFar = ['validation_failed', 'must be at most 24 hours ahead']
    const past = ['validation_failed', 'must be in the future']
    expect(await shownFor(at(dayMs))).toBe(at(dayMs))
    expect(await shownFor(at(dayMs + 1))).toEqual(tooFar)
    expect(await shownFor(at(1))).toBe(at(1))
    expect(await shownFor(at(0))).toEqual(past)
    expect(await shownFor(at(-1))).toEqual(past)
    expect(await shownFor('1970-01-01')).toEqual(past)
    expect(await shownFor('9999-12-31T23:59:59.999Z')).toEqual(tooFar)
  })

  // The test clock is at 2026-01-05T09:00:00Z.
  test.each([
    ['2026-01-06', '2026-01-06T00:00:00.000Z'],
    ['2026-01-05T10:30', '2026-01-05T10:30:00.000Z'],
    ['2026-01-05 10:30:01', '2026-01-05T10:30:01.000Z'],
    ['2026-01-05T10:30:01.5', '2026-01-05T10:30:01.500Z'],
    ['2026-01-05T10:30:01.123456Z', '2026-01-05T10:30:01.123Z'],
    ['2026-01-05T10:30:00+01:00', '2026-01-05T09:30:00.000Z'],
    ['2026-01-05T10:30:00+0100', '2026-01-05T09:30:00.000Z'],
    ['2026-01-05T08:30:00-05:30', '2026-01-05T14:00:00.000Z'],
    ['2026-01-05t10:30:00z', '2026-01-05T10:30:00.000Z'],
    ['2026-01-06T09:00:00.000Z', '2026-01-06T09:00:00.000Z'],
  ])('%s is %s in any server time zone', async (text, time) => {
    expect(await shownFor(text)).toBe(time)
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-01-00',
    '2025-02-29T00:00:00Z',
    '2026-01-05T25:00:00Z',
    '2026-01-05T10:60:00Z',
    '2026-01-05T10:30:61Z',
    '2026-01-05T10:30:00+25:00',
    '2026-01-05T10',
    '20260105',
    'tomorrow',
    '1767605400',
    '',
    ' 2026-01-05T10:30:00Z',
    '2026-01-05T10:30:00Z\n',
    'Mon, 05 Jan 2026 10:30:00 GMT',
  ])('%j is not a time', async (text) => {
    expect(refusalOf(await create({ ...order, expiresAt: text }))).toEqual([
      400,
      'validation_failed',
      'expiresAt',
    ])
  })
})

describe('an Idempotency-Key', () => {
  test('creates one account for twenty concurrent copies', async () => {
    const headers = { 'idempotency-key': 'twenty' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(order, headers)))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    const replayed = replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true')
    expect(replayed).toHaveLength(19)
    expect(await countAccounts()).toBe(1)
  })

  // The bank returns the same number for the same key, which already has an account.
  test('that expired is refused when used again', async () => {
    const headers = { 'idempotency-key': 'forgotten' }
    expect((await create(order, headers)).status).toBe(201)
    await service.db.rows(sql`delete from idempotency_keys where key = 'forgotten'`)
    const { status, json } = await create(order, headers)
    expect([status, json.reason]).toEqual([422, 'idempotency_key_reused'])
  })

  test('replays the first answer after expiresAt and payment', async () => {
    const headers = { 'idempotency-key': 'late' }
    const body = { ...order, expiresAt: after(clock.now(), 1_000).toISOString() }
    const first = await create(body, headers)
    await shop.payIn(first.json.data.accountNumber)
    await shop.post('/v1/test/clock/advance', { seconds: 60 })
    const again = await create(body, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    // The same request under another key is validated at the current time.
    expect((await create(body, { 'idempotency-key': 'later' })).status).toBe(400)
  })

  test('belongs to one request, in any field order', async () => {
    const headers = { 'idempotency-key': 'one' }
    const first = await create(order, headers)
    const turned = { amount: order.amount, merchantReference: order.merchantReference }
    expect((await create(turned, headers)).text).toBe(first.text)
    for (const change of [{ amount: 500_001 }, { merchantReference: 'x' }, { currency: 'NGN' }]) {
      const { status, json } = await create({ ...order, ...change }, headers)
      expect([status, json.code, json.reason]).toEqual([
        422,
        'validation_failed',
        'idempotency_key_reused',
      ])
    }
    expect(await countAccounts()).toBe(1)
  })

  // The account number is derived from the request, including the merchant.
  test('is limited to one environment', async () => {
    const headers = { 'idempotency-key': 'mine' }
    const other = await service.addMerchant('Bola')
    const own = await create(order, headers)
    const theirs = await ask('POST', path, { key: other.test.secret, body: order, headers })
    expect(theirs.status).toBe(201)
    expect(theirs.headers.get('idempotent-replayed')).toBeNull()
    expect(theirs.json.data.accountNumber).not.toBe(own.json.data.accountNumber)
    expect(theirs.json.data.accountName).toBe('Bola')
  })
})

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1]))
const named = (merchantReference: unknown) => ({ ...order, merchantReference })
const worth = (amount: unknown) => ({ ...order, amount })
const about = (metadata: unknown) => ({ ...order, metadata })
/** Metadata of this many bytes as JSON. */
const filled = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })

describe('refuses and names the field:', () => {
  const wrong: Record<string, [unknown, string]> = {
    'an amount in text': [worth('500'), 'amount'],
    'a fraction': [worth(5.5), 'amount'],
    'no number': [worth(null), 'amount'],
    'no amount': [{ merchantReference: 'a' }, 'amount'],
    'nothing to pay': [worth(0), 'amount'],
    'less than nothing': [worth(-1), 'amount'],
    'what is no kobo': ['{"merchantReference":"a","amount":1e21}', 'amount'],
    'a whole number with a point': ['{"merchantReference":"a","amount":5.5e0}', 'amount'],
    'a truth': [worth(true), 'amount'],
    'a list': [worth([5]), 'amount'],
    'an object': [worth({ kobo: 5 }), 'amount'],
    'more than the most': [worth(1_000_000_001), 'amount'],
    'the largest on the wire': [worth(9_007_199_254_740_991), 'amount'],
    'an unknown field': [{ ...order, callbackUrl: 'x' }, 'callbackUrl'],
    'a field in another case': [{ ...order, ExpiresAt: '2026-01-05T10:00:00Z' }, 'ExpiresAt'],
    'no reference': [{ amount: 1 }, 'merchantReference'],
    'an empty reference': [named(''), 'merchantReference'],
    'a null reference': [named(null), 'merchantReference'],
    'a reference that is a number': [named(7), 'merchantReference'],
    'a reference of 101 characters': [named('x'.repeat(101)), 'merchantReference'],
    'a reference of two lines': [named('a\nb'), 'merchantReference'],
    'a reference with a null': [named('a\u0000b'), 'merchantReference'],
    'a reference with a delete': [named('a\u007fb'), 'merchantReference'],
    'a reference with a next line': [named('a\u0085b'), 'merchantReference'],
    'a list of metadata': [about([1]), 'metadata'],
    'null metadata': [about(null), 'metadata'],
    'metadata in text': [about('{}'), 'metadata'],
    '51 keys': [about(keys(51)), 'metadata'],
    'metadata over 8 kB': [about(filled(8 * 1024 + 1)), 'metadata'],
    dollars: [{ ...order, currency: 'USD' }, 'currency'],
    'naira in small letters': [{ ...order, currency: 'ngn' }, 'currency'],
    'null for a currency': [{ ...order, currency: null }, 'currency'],
    'null for a time': [{ ...order, expiresAt: null }, 'expiresAt'],
    'a time in milliseconds': [{ ...order, expiresAt: 1_767_605_400_000 }, 'expiresAt'],
  }
  test.each(Object.entries(wrong))('%s', async (_, [body, field]) => {
    const reply = await create(body)
    expect(refusalOf(reply)).toEqual([400, 'validation_failed', field])
    expect(await countAccounts()).toBe(0)
  })

  test.each(['', '[]', 'null', '7', '"a"', '{', '{"amount":1,"amount":2}', '{"a":"\\ud800"}'])(
    'the body %j',
    async (body) => {
      const { status, json } = await create(body)
      expect([status, json.code]).toEqual([400, 'validation_failed'])
    },
  )
})

test('values just within the limits are accepted', async () => {
  const most = [
    named('x'.repeat(100)),
    named('🪙'.repeat(100)),
    named(' '),
    named("';--\\%_"),
    about(keys(50)),
    about(filled(8 * 1024)),
    worth(1),
    worth(1_000_000_000),
    '{"merchantReference":"a","amount":5.0}',
  ]
  for (const body of most) {
    const { status, json } = await create(body)
    expect(status).toBe(201)
    expect(await shop.verify(json.data.reference)).toEqual(json.data)
  }
  expect(limits.names.length).toBe(100)
})

test('magic references make the sandbox bank refuse or fail', async () => {
  const headers = { 'idempotency-key': 'refused' }
  const refused = await create(named('sandbox-refused'), headers)
  expect([refused.status, refused.json]).toMatchObject([
    422,
    { code: 'virtual_account_creation_failed', reason: 'account_refused' },
  ])
  const again = await create(named('sandbox-refused'), headers)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true'])

  const away = { 'idempotency-key': 'away' }
  for (const _ of [1, 2]) {
    const reply = await create(named('sandbox-unreachable'), away)
    expect([reply.status, reply.json]).toMatchObject([
      503,
      { code: 'virtual_account_creation_failed', reason: 'rail_unavailable' },
    ])
    expect(reply.headers.get('idempotent-replayed')).toBeNull()
  }
  expect(await countAccounts()).toBe(0)
})

test('all ledger proofs hold', () => expectAllProofs(service.db))
