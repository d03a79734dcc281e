import { base58 } from '@scure/base'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Refusal } from '../../src/base/refusal.js'
import { Rails } from '../../src/collections/rails.js'
import { claimAttempts, releaseAttempts } from '../../src/payouts/attempts/live-attempts.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { treasuryShort } from '../../src/rails/solana/payouts/simulate.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { PaperRail, paperRefusal } from '../support/paper-rail.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const rail = new PaperRail()
const service = await openManilla({ rails: new Rails({ test: { chain: rail } }) })
const { ask, db, clock } = service
const path = '/v1/disbursements/crypto'
const logger = createLogger('silent')

const wallet = base58.encode(Buffer.alloc(32, 7))
const transferBody = {
  amount: '25.50',
  asset: 'USDC',
  network: 'SOLANA',
  destinationAddress: wallet,
}

let merchant: Merchant
let count = 0
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  rail.refusal = undefined
  rail.extraFees = []
})

function fund(amount: string, asset = 'USDC') {
  const key = merchant.test.secret
  return ask('POST', '/v1/test/balances/fund', { key, body: { asset, amount } })
}

function pay(change: object = {}, idempotencyKey = `key ${count++}`) {
  const headers = { 'idempotency-key': idempotencyKey }
  return ask('POST', path, {
    key: merchant.test.secret,
    headers,
    body: { ...transferBody, ...change },
  })
}

async function available(asset = 'USDC'): Promise<{ available: string; held: string }> {
  const { json } = await ask('GET', '/v1/balances', { key: merchant.test.secret })
  return json.data.items.find((item: { asset: string }) => item.asset === asset)
}

const get = (where: string) => ask('GET', where, { key: merchant.test.secret })

/** Polls every open payout, as a worker does. */
async function pollAll() {
  clock.advance(60_000)
  await pollPayouts({ db, rail, logger, clock }, clock.now())
}

describe('a crypto transfer', () => {
  test('is held, sent as committed and confirmed, with every field', async () => {
    await fund('100')
    const metadata = { Order: 'A-1', nested: { b: 1, a: [2] } }
    const reply = await pay({ merchantReference: 'payout-9', metadata })
    expect(reply.status).toBe(201)
    const { data } = reply.json
    const createdAt = clock.now().toISOString()
    expect(data).toEqual({
      reference: expect.stringMatching(/^ct_[0-9a-z]{26}$/),
      merchantReference: 'payout-9',
      asset: 'USDC',
      network: 'SOLANA',
      amount: '25.50',
      fee: '0.5',
      feeVat: '0',
      totalDebit: '26',
      destinationAddress: wallet,
      status: 'SUBMITTED',
      failureReason: null,
      metadata,
      transactionSignature: data.attempts[0].signature,
      submittedAt: createdAt,
      confirmedAt: null,
      failedAt: null,
      createdAt,
      attempts: [{ signature: data.transactionSignature, submittedAt: createdAt, state: 'LIVE' }],
    })
    expect(await available()).toMatchObject({ available: '74', held: '26' })
    await until(() => rail.sent.some(({ token }) => token === data.transactionSignature))
    const [row] = await db.rows(sql<{ wire: Buffer }>`
      select wire from payout_attempts where token = ${data.transactionSignature}`)
    const sent = rail.sent.find(({ token }) => token === data.transactionSignature)!
    expect(sent.wire.equals(row!.wire)).toBe(true)

    await pollAll()
    const { json } = await get(`${path}/${data.reference}`)
    const confirmedAt = clock.now().toISOString()
    const landed = { ...data.attempts[0], state: 'LANDED' }
    expect(json.data).toEqual({ ...data, status: 'CONFIRMED', confirmedAt, attempts: [landed] })
    expect(await available()).toMatchObject({ available: '74', held: '0' })
    const events = (await get(`/v1/events?resource=${data.reference}`)).json.data.items
    expect(events.map((event: { type: string; data: object }) => [event.type, event.data])).toEqual(
      [
        ['crypto_transfer.confirmed', json.data],
        ['crypto_transfer.submitted', data],
      ],
    )
    await expectAllProofs(db)
  })

  // Number-like keys and number formats would not survive parsing and serializing.
  test.each([
    '{"2":1,"1":{"b":1.0,"a":"Ọ"},"A":[]}',
    '{"constructor":{"prototype":1},"__proto__":{"isAdmin":true}}',
    '{"id":12345678901234567890}',
  ])('returns metadata unchanged: %s', async (metadata) => {
    await fund('100')
    const body = `${JSON.stringify(transferBody).slice(0, -1)}, "metadata" : ${metadata} }`
    const headers = { 'idempotency-key': 'metadata' }
    const reply = await ask('POST', path, { key: merchant.test.secret, headers, body })
    expect(reply.text).toContain(`"metadata":${metadata}`)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    const verified = await get(`${path}/${reply.json.data.reference}`)
    expect(verified.text).toContain(`"metadata":${metadata}`)
  })

  test('costs more if the destination has no token account; a quote says so', async () => {
    await fund('100')
    rail.extraFees = ['crypto_account_creation']
    const quote = await ask('POST', `${path}/quote`, {
      key: merchant.test.secret,
      body: transferBody,
    })
    const lines = [
      { operation: 'crypto_payout', amount: '0.5' },
      { operation: 'crypto_account_creation', amount: '0.5' },
    ]
    const expected = { amount: '25.50', fee: '1', feeVat: '0', totalDebit: '26.5', lines }
    expect([quote.status, quote.json.data]).toEqual([200, expected])
    expect((await pay()).json.data).toMatchObject({ fee: '1', totalDebit: '26.5' })
  })

  // A quote costs nothing, so its answer must not reveal what the hot wallet holds.
  test('is priced although the treasury is short, and then waits for the operator', async () => {
    await fund('100')
    const body = transferBody
    const quote = () => ask('POST', `${path}/quote`, { key: merchant.test.secret, body })
    const before = (await quote()).json
    rail.refusal = treasuryShort()
    const { status, json } = await quote()
    const paid = await pay()
    const beyond = await pay({ amount: '100000' })
    rail.refusal = undefined
    expect([status, json.data]).toEqual([200, before.data])
    expect([paid.status, paid.json.code, paid.json.reason]).toEqual([
      503,
      'crypto_transfer_failed',
      'treasury_short',
    ])
    expect(paid.headers.get('retry-after')).toBe('60')
    expect(paid.json.message).not.toMatch(/\d/)
    // Above the own balance, the treasury is never the answer.
    expect([beyond.status, beyond.json.code]).toEqual([402, 'insufficient_balance'])
  })

  test('that certainly failed releases the whole hold', async () => {
    await fund('100')
    const { data } = (await pay()).json
    rail.sayings.set(data.transactionSignature, { state: 'failed', reason: 'chain_error' })
    await pollAll()
    const failed = (await get(`${path}/${data.reference}`)).json.data
    expect(failed).toMatchObject({ status: 'FAILED', failureReason: 'chain_error' })
    expect([failed.failedAt, failed.confirmedAt]).toEqual([clock.now().toISOString(), null])
    expect(await available()).toMatchObject({ available: '100', held: '0' })
    await expectAllProofs(db)
  })

  // The first attempt can no longer land: only then is another made, and only one lands.
  test('whose attempt expired is attempted again and lands once', async () => {
    await fund('100')
    const { data } = (await pay()).json
    rail.sayings.set(data.transactionSignature, { state: 'gone' })
    await pollAll()
    const tried = (await get(`${path}/${data.reference}`)).json.data
    expect(tried.attempts.map(({ state }: { state: string }) => state)).toEqual(['DEAD', 'LIVE'])
    expect(tried.transactionSignature).toBe(tried.attempts[1].signature)
    expect(rail.sent.some(({ token }) => token === tried.transactionSignature)).toBe(true)
    await pollAll()
    expect((await get(`${path}/${data.reference}`)).json.data.status).toBe('CONFIRMED')
    expect(await available()).toMatchObject({ available: '74', held: '0' })
  })

  test('that the chain has not seen is sent again with the same bytes', async () => {
    await fund('100')
    const { data } = (await pay()).json
    await until(() => rail.sent.some(({ token }) => token === data.transactionSignature))
    const before = rail.sent.length
    rail.sayings.set(data.transactionSignature, { state: 'unseen' })
    await pollAll()
    const again = rail.sent.slice(before)
    expect(again.map(({ token }) => token)).toEqual([data.transactionSignature])
    rail.sayings.delete(data.transactionSignature)
    await pollAll()
    expect((await get(`${path}/${data.reference}`)).json.data.attempts).toHaveLength(1)
  })
})

// Both parse to the same number.
test('a reused key with another long number in its metadata is refused', async () => {
  await fund('100')
  const send = (id: string) => {
    const body = `${JSON.stringify(transferBody).slice(0, -1)},"metadata":{"id":${id}}}`
    const headers = { 'idempotency-key': 'long number' }
    return ask('POST', path, { key: merchant.test.secret, headers, body })
  }
  const first = await send('12345678901234567890')
  const other = await send('12345678901234567891')
  expect([other.status, other.json.reason]).toEqual([422, 'idempotency_key_reused'])
  expect((await send('12345678901234567890')).text).toBe(first.text)
  expect((await send('1e400')).json.details[0].field).toBe('metadata.id')
})

// The only process had claimed the attempt and was killed.
test('rows claimed by a killed process become due for its successor', async () => {
  await fund('100')
  const { reference } = (await pay()).json.data
  clock.advance(2_000)
  await claimAttempts(db, clock.now(), rail.name)
  clock.advance(1_000)
  await pollPayouts({ db, rail, clock, logger }, clock.now())
  expect((await get(`${path}/${reference}`)).json.data.status).toBe('SUBMITTED')
  await releaseAttempts(db, clock.now())
  await pollPayouts({ db, rail, clock, logger }, clock.now())
  expect((await get(`${path}/${reference}`)).json.data.status).toBe('CONFIRMED')
})

describe('what is refused', () => {
  test.each([
    ['no key', {}, 400, 'validation_failed', undefined],
    ['an amount as a number', { amount: 25.5 }, 400, 'validation_failed', 'k'],
    ['too many digits', { amount: '0.0000001' }, 400, 'validation_failed', 'k'],
    ['zero', { amount: '0.00' }, 400, 'validation_failed', 'k'],
    ['naira', { asset: 'NGN' }, 400, 'validation_failed', 'k'],
    ['another network', { network: 'ETHEREUM' }, 400, 'validation_failed', 'k'],
    ['no address', { destinationAddress: '0x1234' }, 400, 'validation_failed', 'k'],
    [
      '31 bytes',
      { destinationAddress: base58.encode(Buffer.alloc(31, 9)) },
      400,
      'validation_failed',
      'k',
    ],
    ['an unknown field', { memo: 'x' }, 400, 'validation_failed', 'k'],
    ['metadata as a list', { metadata: [] }, 400, 'validation_failed', 'k'],
    ['metadata of 9 kB', { metadata: { a: 'x'.repeat(9_000) } }, 400, 'validation_failed', 'k'],
    ['an empty reference', { merchantReference: '' }, 400, 'validation_failed', 'k'],
    ['more than there is', { amount: '1000' }, 402, 'insufficient_balance', 'k'],
  ])('%s', async (_name, change, status, code, key) => {
    await fund('100')
    const body = { ...transferBody, ...change }
    const headers: Record<string, string> = key ? { 'idempotency-key': `refused ${count++}` } : {}
    const reply = await ask('POST', path, { key: merchant.test.secret, headers, body })
    expect([reply.status, reply.json.code]).toEqual([status, code])
    expect(await available()).toMatchObject({ available: '100', held: '0' })
  })

  test('a bad destination, remembered under its key; an unavailable rail is not', async () => {
    await fund('100')
    rail.refusal = paperRefusal()
    const refused = await pay({}, 'bad destination')
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([
      422,
      'crypto_transfer_failed',
      'destination_is_mint',
    ])
    rail.refusal = new Refusal('crypto_transfer_failed', {
      reason: 'rail_unavailable',
      message: 'The chain does not answer.',
    })
    expect((await pay({}, 'bad destination')).text).toBe(refused.text)
    expect((await pay({}, 'away')).status).toBe(503)
    rail.refusal = undefined
    expect((await pay({}, 'bad destination')).headers.get('idempotent-replayed')).toBe('true')
    expect((await pay({}, 'away')).status).toBe(201)
  })

  // The request may succeed later; only keys of created transfers are kept forever.
  test('is forgotten after thirty days; the key of a transfer never', async () => {
    await fund('100')
    rail.refusal = paperRefusal()
    await pay({}, 'kept: refused before the lane')
    rail.refusal = undefined
    const amounts = ['70', '71'].map((amount) => pay({ amount }, `kept: ${amount}`))
    const paid = (await Promise.all(amounts)).filter(({ status }) => status === 201)
    expect(paid).toHaveLength(1)
    const rows = await service.db.rows<{ key: string; status: number; days: number | null }>({
      text: `select key, status, extract(day from forget_at - created_at)::int as days
        from idempotency_keys where key like 'kept: %' order by status`,
      values: [],
    })
    expect(rows.map(({ status, days }) => [status, days])).toEqual([
      [201, null],
      [402, 30],
      [422, 30],
    ])
  })

  test('live mode without a rail, after the balance check', async () => {
    const headers = { 'idempotency-key': 'live' }
    const reply = await ask('POST', path, {
      key: merchant.live.secret,
      headers,
      body: transferBody,
    })
    expect([reply.status, reply.json.code]).toEqual([402, 'insufficient_balance'])
  })
})

describe('at the same time', () => {
  // Ten transfers of 30 and their fees race for 100. Three fit.
  test('never holds more than the balance', async () => {
    await fund('100')
    const replies = await Promise.all(Array.from({ length: 10 }, () => pay({ amount: '30' })))
    const statuses = replies.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([201, 201, 201, 402, 402, 402, 402, 402, 402, 402])
    expect(await available()).toMatchObject({ available: '8.5', held: '91.5' })
    await expectAllProofs(db)
  })

  test('twenty copies are one transfer with one answer', async () => {
    await fund('1000')
    const replies = await Promise.all(Array.from({ length: 20 }, () => pay({}, 'copies')))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19)
    expect((await get(path)).json.data.items).toHaveLength(1)
    expect(await available()).toMatchObject({ available: '974', held: '26' })
    expect((await pay({ amount: '1' }, 'copies')).json.reason).toBe('idempotency_key_reused')
  })

  // Two assets share no ledger account, so only the unique index separates their references.
  test('a merchant reference is used once, forever', async () => {
    await fund('1000')
    await fund('1000', 'USDT')
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        pay({ merchantReference: 'only once', asset: index % 2 ? 'USDT' : 'USDC' }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)])
    const [refused] = replies.filter(({ status }) => status === 409)
    expect(refused!.json).toMatchObject({
      code: 'crypto_transfer_failed',
      reason: 'duplicate_reference',
    })
    const { json } = await get(`${path}?merchantReference=only%20once`)
    expect(json.data.items).toHaveLength(1)
  })

  test('a repeat that the balance no longer covers is refused as a repeat', async () => {
    await fund('1000')
    const order = { amount: '600', merchantReference: 'repeated' }
    expect((await pay(order)).status).toBe(201)
    expect((await pay(order)).json.reason).toBe('duplicate_reference')
    expect((await pay({ ...order, merchantReference: 'new' })).json.code).toBe(
      'insufficient_balance',
    )
  })
})

// Two processes, two assets: only the unique index separates the references, and the second caller
// must get a refusal, not an internal error.
test('a merchant reference is used once across processes', async () => {
  const rails = new Rails({ test: { chain: rail } })
  const other = await openManilla({ beside: service, rails })
  await fund('1000')
  await fund('1000', 'USDT')
  const key = merchant.test.secret
  for (let round = 0; round < 20; round += 1) {
    const body = { ...transferBody, merchantReference: `round ${round}` }
    const one = (where: typeof ask, asset: string) =>
      where('POST', path, {
        key,
        body: { ...body, asset },
        headers: { 'idempotency-key': `${asset} ${round} ${count++}` },
      })
    const replies = await Promise.all([one(ask, 'USDC'), one(other.ask, 'USDT')])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409])
  }
  await expectAllProofs(db)
})

describe('the list', () => {
  test('is newest first, paged, filtered by status, and limited to this environment', async () => {
    await fund('1000')
    const made: string[] = []
    for (let number = 0; number < 5; number += 1) {
      clock.advance(1)
      made.push((await pay()).json.data.reference)
    }
    const first = (await get(`${path}?limit=3`)).json.data
    const second = (await get(`${path}?limit=3&cursor=${first.nextCursor}`)).json.data
    const shown = [...first.items, ...second.items].map(({ reference }) => reference)
    expect(shown).toEqual(made.toReversed())
    expect(second.nextCursor).toBeNull()
    expect((await get(`${path}?status=CONFIRMED`)).json.data.items).toEqual([])
    await pollAll()
    expect((await get(`${path}?status=CONFIRMED`)).json.data.items).toHaveLength(5)
    const { amount } = first.items[0]
    const found = async (query: string) => (await get(`${path}?${query}`)).json.data.items.length
    expect(await found(`minAmount=${amount}&maxAmount=${amount}`)).toBe(5)
    expect(await found(`currency=USDC&minAmount=${amount}`)).toBe(5)
    expect(await found('minAmount=900')).toBe(0)
    const stranger = await service.addMerchant('Bola')
    const reply = await ask('GET', `${path}/${made[0]}`, { key: stranger.test.secret })
    expect(reply.status).toBe(404)
    expect((await ask('GET', path, { key: stranger.test.secret })).json.data.items).toEqual([])
  })
})
