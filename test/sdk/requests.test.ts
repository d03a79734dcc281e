import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  type AnswerFacts,
  AuthenticationError,
  ConnectionError,
  InsufficientBalanceError,
  Manilla,
  ManillaError,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from '../../sdk/src/manilla.js'
import { openManilla } from '../support/open-manilla.js'
import { openWithBank } from '../support/open-with-bank.js'

/** The SDK against a real service. */

const service = await openWithBank()
const baseUrl = service.url
const keys = service.merchant.test
const manilla = new Manilla(keys.secret, { baseUrl, maxRetries: 0 })

const order = (merchantReference: string) => ({ merchantReference, amount: 500_000 })

async function collect<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

async function refusalOf(work: Promise<unknown>): Promise<ManillaError> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(ManillaError)
  return error
}

test('onAnswer gets the request id and whether the answer is replayed', async () => {
  const answers: AnswerFacts[] = []
  const options = { idempotencyKey: 'answer-1', onAnswer: (one: AnswerFacts) => answers.push(one) }
  await manilla.virtualAccounts.create(order('answer-1'), options)
  await manilla.virtualAccounts.create(order('answer-1'), options)
  await refusalOf(manilla.payments.get('pay_none', { onAnswer: options.onAnswer }))
  expect(answers).toMatchObject([
    { status: 201, isReplayed: false },
    { status: 201, isReplayed: true },
    { status: 404, isReplayed: false },
  ])
  for (const { requestId } of answers) expect(requestId).toMatch(/^req_/)
})

test('an error in the callback is not a missing answer', async () => {
  let asked = 0
  const options = {
    maxRetries: 3,
    onAnswer: () => {
      asked += 1
      throw new Error('a bug of mine')
    },
  }
  await expect(manilla.balances.list({}, options)).rejects.toThrow(new Error('a bug of mine'))
  expect(asked).toBe(1)
})

describe('a shop that collects', () => {
  test('creates an account, is paid, and reads payments and entries', async () => {
    const account = await manilla.virtualAccounts.create({
      ...order('order-1001'),
      metadata: { cart: 'c-77' },
      expiresAt: undefined,
    })
    expect(account).toMatchObject({ status: 'ACTIVE', metadata: { cart: 'c-77' } })
    const { accountNumber, reference } = account
    const payment = await manilla.test.bankTransfers.create({ accountNumber, amount: 500_000 })
    expect(payment).toMatchObject({ status: 'ACCEPTED', accountReference: reference })
    expect((await manilla.virtualAccounts.get(reference)).status).toBe('PAID')
    expect(await manilla.payments.get(payment.reference)).toEqual(payment)

    const [event] = await collect(manilla.events.list({ type: 'virtual_account.paid' }))
    expect(event).toMatchObject({ type: 'virtual_account.paid', data: { reference } })
    const [naira] = await manilla.balances.list()
    expect(naira).toEqual({ asset: 'NGN', available: 495_000, held: 0, pending: 0 })
    let text = ''
    for await (const part of manilla.balanceEntries.csv({ asset: 'NGN' })) text += part
    expect(text).toMatch(/^number,createdAt,asset,[^\n]+\n2,[^\n]+\n1,[^\n]+\n$/)
  })

  test('reads a public session without sending the key', async () => {
    const customer = { name: 'Ada Obi', email: 'ada@example.com' }
    const session = { amount: 5_000, description: 'Agege bread', customer }
    const { reference } = await manilla.checkout.sessions.create(session)
    const seen: Headers[] = []
    const page = new Manilla(keys.public, {
      baseUrl,
      fetch: (url, init) => {
        seen.push(new Headers(init.headers))
        return fetch(url, init)
      },
    })
    expect((await page.checkout.retrieve(reference)).status).toBe('pending')
    expect((await page.checkout.simulate(reference)).status).toBe('paid')
    expect(seen.map((headers) => [...headers.keys()])).toEqual([
      ['accept'],
      ['accept', 'content-type'],
    ])
    expect((await page.profile.get()).mode).toBe('test')
  })

  test('deletes an endpoint and returns nothing', async () => {
    const endpoint = await manilla.webhookEndpoints.create({ url: 'http://127.0.0.1:9/' })
    expect(endpoint.secret).toMatch(/^whsec_/)
    const changed = await manilla.webhookEndpoints.update(endpoint.id, { enabled: false })
    expect(changed.enabled).toBe(false)
    expect(await manilla.webhookEndpoints.delete(endpoint.id)).toBeUndefined()
    const refusal = await refusalOf(manilla.webhookEndpoints.get(endpoint.id))
    expect(refusal).toBeInstanceOf(NotFoundError)
  })
})

describe('lists', () => {
  test('iterate over all pages, or return one page', async () => {
    const { test: others } = await service.addMerchant('Bola Foods')
    const shop = new Manilla(others.secret, { baseUrl })
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) {
      service.clock.advance(1)
      await shop.virtualAccounts.create(order(name))
    }
    const query = { status: 'ACTIVE', limit: 2 } as const
    const all = await collect(shop.virtualAccounts.list(query))
    expect(all.map(({ merchantReference }) => merchantReference)).toEqual(names.toReversed())

    const first = await shop.virtualAccounts.list(query).page()
    expect(first.items).toEqual(all.slice(0, 2))
    const rest = shop.virtualAccounts.list({ ...query, cursor: first.nextCursor! })
    expect(await collect(rest)).toEqual(all.slice(2))
    expect((await rest.page()).items).toEqual(all.slice(2, 4))
  })

  test('stop fetching when the loop ends', async () => {
    let asked = 0
    const counting = new Manilla(keys.secret, {
      baseUrl,
      fetch: (url, init) => {
        asked += 1
        return fetch(url, init)
      },
    })
    const list = counting.banks.list()
    expect((await list).length).toBeGreaterThan(2)
    for await (const _ of counting.events.list({ limit: 1 })) break
    expect(asked).toBe(2)
  })
})

describe('idempotency keys', () => {
  test('are generated for every POST unless given', async () => {
    const options = { idempotencyKey: 'order-77' }
    const once = await manilla.virtualAccounts.create(order('order-77'), options)
    expect(await manilla.virtualAccounts.create(order('order-77'), options)).toEqual(once)
    const [one, other] = await Promise.all([
      manilla.virtualAccounts.create(order('order-78')),
      manilla.virtualAccounts.create(order('order-78')),
    ])
    expect(one.reference).not.toBe(other.reference)
    const refusal = await refusalOf(manilla.virtualAccounts.create(order('order-79'), options))
    expect(refusal).toMatchObject({ status: 422, reason: 'idempotency_key_reused' })
    expect(refusal.idempotencyKey).toBe('order-77')
  })
})

describe('a refusal', () => {
  test('carries everything that the service sent', async () => {
    const wrong = { merchantReference: 'x', amount: 5.5 }
    const refusal = await refusalOf(manilla.virtualAccounts.create(wrong))
    expect(refusal).toBeInstanceOf(ValidationError)
    expect(refusal).toMatchObject({
      name: 'ValidationError',
      code: 'validation_failed',
      status: 400,
      details: [{ field: 'amount', issue: expect.any(String) }],
      nextStep: expect.stringContaining('Correct'),
      requestId: expect.any(String),
    })
    expect(refusal.message).toContain('amount')
  })

  test('has the class of its status', async () => {
    const poor = manilla.bankTransfers.create({
      amount: 900_000_000,
      bankCode: '058',
      accountNumber: '0123456789',
    })
    const stranger = new Manilla(`${keys.secret.slice(0, -1)}?`, { baseUrl })
    const live = new Manilla(service.merchant.live.secret, { baseUrl })
    const kinds = await Promise.all(
      [
        poor,
        stranger.balances.list(),
        live.test.fund({ asset: 'NGN', amount: 1 }),
        manilla.payments.get('pay_unknown'),
        manilla.payments.refund('pay/../unknown'),
      ].map(async (work) => (await refusalOf(work)).constructor),
    )
    const [denied, missing] = [AuthenticationError, NotFoundError]
    expect(kinds).toEqual([InsufficientBalanceError, denied, denied, missing, missing])
  })

  test('for too many requests carries the wait', async () => {
    const strict = await openManilla({ rateLimitPerSecond: 1 })
    const { secret } = strict.merchant.test
    const shop = new Manilla(secret, { baseUrl: strict.url, maxRetries: 0 })
    const asked = Array.from({ length: 5 }, () => shop.balances.list())
    const settled = await Promise.allSettled(asked)
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toBeInstanceOf(RateLimitError)
    expect(refused[0].retryAfterMs).toBeGreaterThan(0)
  })
})

describe('wrong options', () => {
  test.each([
    [undefined, 'The key is missing. Is its variable set?'],
    ['', 'The key is empty'],
    [`${keys.secret}\n`, 'whitespace'],
    ['whsec_abc', 'start with sk_test_ or sk_live_'],
  ])('a key such as %j is refused before anything is sent', (key, message) => {
    expect(() => new Manilla(key, { baseUrl })).toThrow(message)
  })

  test('an invalid URL is refused; a trailing slash or /v1 is accepted', async () => {
    expect(() => new Manilla(keys.secret, { baseUrl: 'localhost:8080' })).toThrow('baseUrl must')
    for (const written of [`${baseUrl}/`, `${baseUrl}/v1`, new URL(baseUrl)])
      await new Manilla(keys.secret, { baseUrl: written }).balances.list()
  })

  test('a missing reference is refused, not sent as a list request', async () => {
    const nothing = undefined as unknown as string
    await expect(manilla.virtualAccounts.get(nothing)).rejects.toThrow(
      'manilla.virtualAccounts.get needs reference as a string, but got undefined.',
    )
    await expect(manilla.events.get('')).rejects.toThrow('needs id as a string')
  })

  test('an unreachable service is named, with a next step', async () => {
    const unreachable = new Manilla(keys.secret, { baseUrl: 'http://127.0.0.1:2', maxRetries: 0 })
    const refusal = await refusalOf(unreachable.virtualAccounts.create(order('order-1')))
    expect(refusal).toBeInstanceOf(ConnectionError)
    expect(refusal.message).toBe('No answer from http://127.0.0.1:2 (ECONNREFUSED).')
    expect(refusal.nextStep).toContain(refusal.idempotencyKey)
  })
})

test('printing the client never shows the key', () => {
  expect(inspect(manilla, { depth: 9, showHidden: true })).not.toContain(keys.secret)
  expect(JSON.stringify(manilla)).not.toContain(keys.secret)
})
