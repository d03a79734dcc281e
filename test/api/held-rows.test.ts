import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Merchant } from '../support/open-manilla.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openSession, until, untilInTheWay } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db } = service
const ada = service.merchant
const bola = await service.addMerchant('Bola')

function fund({ test: keys }: Merchant, key: string) {
  return service.ask('POST', '/v1/test/balances/fund', {
    key: keys.secret,
    body: { asset: 'NGN', amount: 1_000 },
    headers: { 'idempotency-key': key },
  })
}

function openAccount({ test: keys }: Merchant, merchantReference: string) {
  return service.ask('POST', '/v1/collections/virtual-accounts', {
    key: keys.secret,
    body: { merchantReference, amount: 500 },
  })
}

/** Another transaction holds a row of Ada's until the test releases it. */
async function hold(text: string): Promise<pg.Client> {
  const session = await openSession(db)
  await session.query('begin')
  await session.query(text)
  return session
}

/** Whether it has been answered by now; checked after others were, without waiting. */
function watch<Value>(promise: Promise<Value>): { isAnswered: boolean; promise: Promise<Value> } {
  const watched = { isAnswered: false, promise }
  promise.then(() => {
    watched.isAnswered = true
  })
  return watched
}

// A lane gathers calls of many merchants. Something of one merchant is held by another transaction:
// only that merchant's calls may wait for it. All others are answered before its release.
test('a held balance delays only its own merchant', async () => {
  await Promise.all([fund(ada, 'ada first'), fund(bola, 'bola first')])
  const holder = await hold(
    `select from ledger_accounts where environment_id = ${ada.environments.test.id} for update`,
  )
  const waiting = watch(fund(ada, 'ada held'))
  await untilInTheWay(db, holder)
  for (let index = 0; index < 3; index += 1)
    expect((await fund(bola, `bola ${index}`)).status).toBe(201)
  const second = watch(fund(ada, 'ada held too'))
  expect((await fund(bola, 'bola last')).status).toBe(201)
  expect([waiting.isAnswered, second.isAnswered]).toEqual([false, false])

  await holder.query('commit')
  expect((await waiting.promise).status).toBe(201)
  expect((await second.promise).status).toBe(201)
})

// The first request with a key still runs, in another process. Its copy waits for a while and is
// then refused; requests of the same batch with other keys are answered, those of Ada as well.
test('a held idempotency key delays only its own copies', async () => {
  const digest = await digestOf('held key')
  const holder = await hold(
    `select pg_advisory_xact_lock(${ada.environments.test.id}, uuid_hash('${digest}'))`,
  )
  const copy = watch(fund(ada, 'held key'))
  for (let index = 0; index < 3; index += 1) {
    expect((await fund(bola, `beside key ${index}`)).status).toBe(201)
    expect((await fund(ada, `own beside key ${index}`)).status).toBe(201)
  }
  const refused = await copy.promise
  expect([refused.status, refused.json.reason]).toEqual([409, 'idempotency_in_progress'])
  await holder.query('commit')
  expect((await fund(ada, 'held key')).status).toBe(201)
})

async function digestOf(text: string): Promise<string> {
  const { toIdempotencyKey } = await import('../../src/idempotency/key.js')
  return toIdempotencyKey(text, { method: 'POST', path: '/', body: {}, callerId: 'a key' }).digest
}

// A clock is being moved: new accounts of its environment wait for that, those of others do not.
test('moving a test clock delays no account of another merchant', async () => {
  const holder = await hold(
    `select from environments where id = ${ada.environments.test.id} for no key update`,
  )
  const waiting = watch(openAccount(ada, 'behind the clock'))
  await untilInTheWay(db, holder)
  expect((await openAccount(bola, 'beside the clock')).status).toBe(201)
  expect(waiting.isAnswered).toBe(false)
  await holder.query('commit')
  expect((await waiting.promise).status).toBe(201)
})

// Payments of two merchants are judged in one batch. The account of one is held, as a moving clock
// does: the other must be judged meanwhile, and the first as soon as it is free.
test('a held collection account delays no payment of another merchant', async () => {
  const [held, free] = await Promise.all([openAccount(ada, 'held'), openAccount(bola, 'free')])
  const pay = (merchant: Merchant, accountNumber: string) =>
    service.ask('POST', '/v1/test/bank-transfers', {
      key: merchant.test.secret,
      body: { accountNumber, amount: 500 },
    })
  const holder = await hold(
    `select from collection_accounts where environment_id = ${ada.environments.test.id} for update`,
  )
  const waiting = watch(pay(ada, held.json.data.accountNumber))
  await untilInTheWay(db, holder)
  expect((await pay(bola, free.json.data.accountNumber)).status).toBe(201)
  const statusOf = async (merchant: Merchant, reference: string) => {
    const path = `/v1/collections/virtual-accounts/${reference}`
    return (await service.ask('GET', path, { key: merchant.test.secret })).json.data.status
  }
  expect(await statusOf(bola, free.json.data.reference)).toBe('PAID')
  expect(waiting.isAnswered).toBe(false)
  await holder.query('commit')
  await waiting.promise
  await until(async () => (await statusOf(ada, held.json.data.reference)) === 'PAID')
})

// Workers conclude payouts of many merchants in one transaction. Rows of one merchant are held, so
// that transaction gives up: the payouts of the other must be concluded all the same.
test('held payouts delay no payout of another merchant', async () => {
  const pay = async (merchant: Merchant) => {
    await fund(merchant, `before payout ${merchant.reference}`)
    const reply = await service.ask('POST', '/v1/disbursements/bank-transfer', {
      key: merchant.test.secret,
      body: { amount: 100, bankCode: '058', accountNumber: '0123456789' },
      headers: { 'idempotency-key': `payout ${merchant.reference}` },
    })
    expect([reply.status, reply.json.message]).toEqual([201, reply.json.message])
    return reply.json.data.reference
  }
  for (const merchant of [ada, bola])
    await service.ask('POST', '/v1/test/balances/fund', {
      key: merchant.test.secret,
      body: { asset: 'NGN', amount: 100_000 },
    })
  const [held, free] = [await pay(ada), await pay(bola)]
  const statusOf = async (merchant: Merchant, reference: string) => {
    const path = `/v1/disbursements/bank-transfer/${reference}`
    return (await service.ask('GET', path, { key: merchant.test.secret })).json.data.status
  }
  const holder = await hold(
    `select from payouts where environment_id = ${ada.environments.test.id} for update`,
  )
  await service.pass(3)
  expect(await statusOf(bola, free)).toBe('COMPLETED')
  expect(await statusOf(ada, held)).toBe('SUBMITTED')
  await holder.query('commit')
  await service.pass(130)
  expect(await statusOf(ada, held)).toBe('COMPLETED')
})

test('all ledger proofs hold', async () => {
  await expectAllProofs(db)
})
