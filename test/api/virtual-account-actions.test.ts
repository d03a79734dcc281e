import { beforeEach, describe, expect, test } from 'vitest'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { approveKyc } from '../../src/merchants/kyc/kyc.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import type { Merchant, Reply } from '../support/open-manilla.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { ask, clock, db } = service
const path = '/v1/collections/virtual-accounts'
const order = { merchantReference: 'order-1', amount: 500_000 }

let merchant: Merchant
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  shop = payersOf(service, merchant)
})

const open = async (change: object = {}) => (await shop.openVirtual(change)).json.data
const cancel = (reference: string, headers = {}) =>
  shop.post(`${path}/${reference}/cancel`, {}, headers)
const soon = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()

describe('the list', () => {
  const list = async (query: string) => (await shop.get(`${path}?${query}`)).json.data
  const referencesOf = (items: { reference: string }[]) => items.map(({ reference }) => reference)

  // Three accounts are created between any two pages. Every account that existed at the start is
  // returned once; none is returned twice.
  test('is read page by page, without gaps or repeats, while accounts are created', async () => {
    const before: string[] = []
    for (let count = 0; count < 9; count += 1) {
      before.unshift((await open()).reference)
      clock.advance(1)
    }
    const seen: string[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { items, nextCursor } = await list(`limit=4${cursor && `&cursor=${cursor}`}`)
      seen.push(...referencesOf(items))
      cursor = nextCursor
      await Promise.all([open(), open(), open()])
    }
    expect(pages).toBe(3)
    expect(seen).toEqual(before)
    expect((await list('limit=100')).items).toHaveLength(18)
  })

  test('is filtered by reference, by status and by both', async () => {
    const [one, two, three] = [
      await open({ merchantReference: 'a' }),
      await open({ merchantReference: 'b' }),
      await open({ merchantReference: 'a' }),
    ]
    await cancel(one.reference)
    await shop.payIn(two.accountNumber)
    const found = async (query: string) => referencesOf((await list(query)).items).toSorted()
    expect(await found('merchantReference=a')).toEqual([one.reference, three.reference].toSorted())
    expect(await found('status=ACTIVE')).toEqual([three.reference])
    expect(await found('status=PAID')).toEqual([two.reference])
    expect(await found('status=CANCELLED&merchantReference=a')).toEqual([one.reference])
    expect(await found('status=CANCELLED&merchantReference=b')).toEqual([])
    expect(await found('status=EXPIRED')).toEqual([])
    expect(await found('')).toHaveLength(3)
    const [paid] = (await list('status=PAID')).items
    expect(paid).toEqual(await shop.verify(two.reference))
    expect(paid.payments).toHaveLength(1)
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=1e1',
    'limit=',
    'limit=five',
    'status=INACTIVE',
    'status=active',
    'status=',
    'merchantReference=',
    'externalReference=a',
    'cursor=',
    'cursor=x',
    `merchantReference=${'x'.repeat(101)}`,
    'merchantReference=%00',
    'page=2',
  ])('refuses ?%s', async (query) => {
    const { status, json } = await shop.get(`${path}?${query}`)
    expect([status, json.code]).toEqual([400, 'validation_failed'])
  })

  test('refuses the cursor of another list', async () => {
    await shop.openDedicated('one')
    await shop.openDedicated('two')
    const { json } = await shop.get('/v1/collections/dedicated-accounts?limit=1')
    const other = await shop.get(`${path}?cursor=${json.data.nextCursor}`)
    expect([other.status, other.json.code]).toEqual([400, 'validation_failed'])
  })

  test('is limited to one environment', async () => {
    await open()
    const stranger = payersOf(service, await service.addMerchant('Bola'))
    expect((await stranger.get(path)).json.data).toEqual({ items: [], nextCursor: null })
    const live = await ask('GET', path, { key: merchant.live.secret })
    expect(live.json.data).toEqual({ items: [], nextCursor: null })
  })
})

describe('cancelling', () => {
  test('cancels an account once', async () => {
    const { reference } = await open()
    clock.advance(1_000)
    const replies = await Promise.all(Array.from({ length: 10 }, () => cancel(reference)))
    for (const { status, json } of replies)
      expect([status, json.data]).toMatchObject([200, { reference, status: 'CANCELLED' }])
    expect(await shop.verify(reference)).toEqual(replies[0]!.json.data)
    expect(await shop.eventsOf(reference)).toEqual(['virtual_account.cancelled'])
    const { json } = await shop.get(`/v1/events?resource=${reference}`)
    expect(json.data.items[0]).toMatchObject({ sequence: 1, data: replies[0]!.json.data })
  })

  test('is refused for a paid or expired account, and changes nothing', async () => {
    const [paid, expired] = [await open(), await open({ expiresAt: soon(1_000) })]
    await shop.payIn(paid.accountNumber)
    await service.pass(1)
    for (const [{ reference }, status] of [
      [paid, 'PAID'],
      [expired, 'EXPIRED'],
    ] as const) {
      const before = await shop.verify(reference)
      const refused = await cancel(reference)
      expect([refused.status, refused.json]).toMatchObject([
        409,
        { code: 'account_action_failed', reason: 'invalid_state' },
      ])
      expect(refused.json.message).toContain(`is ${status}`)
      expect(await shop.verify(reference)).toEqual(before)
      expect(before.status).toBe(status)
    }
  })

  // A payment made in time arrives after the cancellation and is late.
  test('makes every later notice late, also of an earlier payment', async () => {
    const { reference, accountNumber } = await open()
    const sentAt = clock.now().toISOString()
    clock.advance(1_000)
    await cancel(reference)
    const { json } = await shop.payIn(accountNumber, { sentAt })
    expect(json.data).toMatchObject({ variance: 'LATE', status: 'HELD', amountHeld: 500_000 })
    expect(await shop.verify(reference)).toMatchObject({
      status: 'CANCELLED',
      variance: 'LATE',
      paidAt: null,
      amountHeld: 500_000,
    })
    expect(await shop.eventsOf(reference)).toEqual([
      'virtual_account.cancelled',
      'virtual_account.late_payment',
    ])
  })

  // Twenty times, a payment and a cancellation race. Either may win, but a cancelled account never
  // has accepted money.
  test('racing with a payment: one wins, and the account shows which', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => open()))
    const ends = await Promise.all(
      accounts.map(async ({ reference, accountNumber }) => {
        const [cancelled, paid] = await Promise.all([cancel(reference), shop.payIn(accountNumber)])
        return [cancelled.status, paid.json.data.status, (await shop.verify(reference)).status]
      }),
    )
    for (const end of ends)
      expect([
        [200, 'HELD', 'CANCELLED'],
        [409, 'ACCEPTED', 'PAID'],
      ]).toContainEqual(end)
  })

  test('under a key replays the first answer', async () => {
    const { reference, accountNumber } = await open()
    const headers = { 'idempotency-key': 'cancel' }
    const first = await cancel(reference, headers)
    await shop.payIn(accountNumber)
    const again = await cancel(reference, headers)
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  })

  test('accepts only an empty body', async () => {
    const { reference } = await open()
    const bare = await ask('POST', `${path}/${reference}/cancel`, { key: merchant.test.secret })
    expect(bare.status).toBe(200)
  })
})

describe('expiry', () => {
  test('happens on time by a worker and emits one event', async () => {
    const { reference, expiresAt } = await open({ expiresAt: soon(2_000) })
    await service.pass(1)
    clock.advance(999)
    await service.work()
    expect((await shop.verify(reference)).status).toBe('ACTIVE')
    clock.advance(1)
    expect(clock.now().toISOString()).toBe(expiresAt)
    await Promise.all([service.work(), service.work(), service.work()])
    const shown = await shop.verify(reference)
    expect(shown).toMatchObject({ status: 'EXPIRED', variance: 'NONE', paidAt: null })
    expect(await shop.eventsOf(reference)).toEqual(['virtual_account.expired'])
    const { json } = await shop.get(`/v1/events?resource=${reference}`)
    expect(json.data.items[0].data).toEqual(shown)
  })

  test('happens at once when the clock of the environment is advanced', async () => {
    const other = payersOf(service, await service.addMerchant('Bola'))
    const theirs = (await other.openVirtual()).json.data
    const [near, far] = [await open(), await open({ expiresAt: soon(60 * 60_000) })]
    const advance = (seconds: number) => shop.post('/v1/test/clock/advance', { seconds })
    await advance(30 * 60 - 1)
    expect((await shop.verify(near.reference)).status).toBe('ACTIVE')
    await advance(1)
    expect((await shop.verify(near.reference)).status).toBe('EXPIRED')
    expect(await shop.eventsOf(near.reference)).toEqual(['virtual_account.expired'])
    expect((await shop.verify(far.reference)).status).toBe('ACTIVE')
    expect((await other.verify(theirs.reference)).status).toBe('ACTIVE')

    // New accounts use the advanced clock.
    const later = await open()
    expect(later.createdAt).toBe(soon(30 * 60_000))
    await service.pass(1)
    expect((await shop.verify(later.reference)).status).toBe('ACTIVE')
    await advance(30 * 60)
    expect((await shop.verify(later.reference)).status).toBe('EXPIRED')
    expect((await shop.verify(far.reference)).status).toBe('EXPIRED')
  })

  test('is undone only by a payment that was made in time', async () => {
    const [one, other] = [
      await open({ expiresAt: soon(2_000) }),
      await open({ expiresAt: soon(2_000) }),
    ]
    const [inTime, atExpiry] = [soon(1_999), soon(2_000)]
    await service.pass(3)
    await shop.payIn(one.accountNumber, { sentAt: inTime })
    await shop.payIn(other.accountNumber, { sentAt: atExpiry })
    expect(await shop.verify(one.reference)).toMatchObject({ status: 'PAID', variance: 'NONE' })
    expect(await shop.eventsOf(one.reference)).toEqual([
      'virtual_account.expired',
      'virtual_account.paid',
    ])
    expect(await shop.verify(other.reference)).toMatchObject({
      status: 'EXPIRED',
      variance: 'LATE',
      amountHeld: 500_000,
    })
  })
})

describe('requery', () => {
  const requery = (reference: string) => shop.post(`${path}/${reference}/requery`, {})

  test('finds a payment without a notice, once', async () => {
    const { reference, accountNumber } = await open()
    const none = await requery(reference)
    expect([none.status, none.json.data.status]).toEqual([200, 'ACTIVE'])
    await service.bank.receivePayment({
      id: 'sbp_silent1',
      accountNumber,
      amount: 500_000n,
      paidAt: clock.now(),
      copies: 1,
      isSilent: true,
    })
    expect((await shop.verify(reference)).status).toBe('ACTIVE')
    const replies = await Promise.all(Array.from({ length: 5 }, () => requery(reference)))
    for (const { json } of replies)
      expect(json.data).toMatchObject({ status: 'PAID', amountReceived: 500_000 })
    expect((await shop.verify(reference)).payments).toHaveLength(1)
    expect(await shop.eventsOf(reference)).toEqual(['virtual_account.paid'])
  })
})

/** The answer without request id and reference. */
function anonymous({ status, json }: Reply, reference: string) {
  const { requestId, message, ...rest } = json
  expect(requestId).toEqual(expect.any(String))
  expect(message).toContain(reference)
  return { ...rest, status, message: message.replace(reference, '…') }
}

// Guessing references must not reveal which exist elsewhere.
test('a reference of another environment is not found', async () => {
  const stranger = payersOf(service, await service.addMerchant('Bola'))
  const theirs = (await stranger.openVirtual()).json.data.reference
  const own = (await open()).reference
  const dedicated = (await shop.openDedicated('customer-1')).json.data.accountReference
  const unknown = toReference(prefixes.virtualAccount, newId(clock.now()))
  const malformed = ['va_', 'x', `${unknown}0`, unknown.toUpperCase(), 'va_%27;--', "va_' or 1=1"]
  const key = merchant.test.secret
  const others = [theirs, unknown, dedicated, dedicated.replace('da_', 'va_'), ...malformed]
  const asked = [
    ...others.map((reference) => ({ key, reference })),
    ...[own, unknown, 'x'].map((reference) => ({ key: merchant.live.secret, reference })),
  ]
  for (const [method, end] of [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/requery'],
  ] as const) {
    const answers = await Promise.all(
      asked.map(async ({ key, reference }) => {
        const place = `${path}/${encodeURIComponent(reference)}${end}`
        const reply = await ask(method, place, { key, ...(end && { body: {} }) })
        return anonymous(reply, reference)
      }),
    )
    for (const answer of answers) expect(answer).toEqual(answers[1])
    expect(answers[1]).toMatchObject({ status: 404, code: 'not_found' })
  }
  expect((await stranger.verify(theirs)).status).toBe('ACTIVE')
  expect((await shop.verify(own)).status).toBe('ACTIVE')
})

// The three refusals come in the order of how long they take to fix; only the second is final, so
// the key stays free after the others.
test('live mode requires KYC approval, then a bank account, then a bank', async () => {
  const environment = merchant.environments.live
  const create = (amount: number, name: string) =>
    ask('POST', path, {
      key: merchant.live.secret,
      body: { ...order, amount },
      headers: { 'idempotency-key': name },
    })
  const refusal = async (name: string) => {
    const { status, json } = await create(500_000, name)
    return [status, json.code, json.reason]
  }
  const code = 'virtual_account_creation_failed'
  expect((await create(9_999, 'small')).json.details[0].issue).toContain('₦100.00')
  expect(await refusal('one')).toEqual([403, code, 'kyc_missing'])
  await db.transaction((tx) => approveKyc(tx, environment.id))
  expect(await refusal('one')).toEqual([422, code, 'no_bank_account'])
  await db.transaction(async (tx) => {
    const { reference } = await addBankAccount(tx, clock.now(), {
      environmentId: environment.id,
      bankCode: '058',
      accountNumber: '0123456789',
      accountName: 'ADA STORES',
    })
    await makePrimary(tx, { environmentId: environment.id, reference })
  })
  expect(await refusal('one')).toEqual([422, code, 'no_bank_account'])
  expect(await refusal('two')).toEqual([503, code, 'rail_unavailable'])
  const test = await ask('POST', path, { key: merchant.test.secret, body: order })
  expect(test.status).toBe(201)
})

test('every operation needs a secret key', async () => {
  const { reference } = await open()
  for (const [method, place] of [
    ['POST', path],
    ['GET', path],
    ['GET', `${path}/${reference}`],
    ['POST', `${path}/${reference}/cancel`],
    ['POST', `${path}/${reference}/requery`],
  ] as const)
    for (const key of [undefined, merchant.test.public, 'sk_test_wrong']) {
      const body = method === 'POST' ? { body: order } : {}
      const reply = await ask(method, place, { ...(key && { key }), ...body })
      expect([reply.status, reply.json.code]).toEqual([401, 'authentication_failed'])
    }
})

test('all ledger proofs hold', () => expectAllProofs(db))
