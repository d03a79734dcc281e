import { describe, expect, test } from 'vitest'
import {
  acceptsIdempotencyKey,
  httpStatusOf,
  refusalsOf,
} from '../../src/api/openapi/refusals-of.js'
import type { ApiParts } from '../../src/api/pipeline/api-parts.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import { day } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { reasons } from '../../src/base/refusals.js'
import { deleteOldKeys } from '../../src/idempotency/delete-old-keys.js'
import { toIdempotencyKey } from '../../src/idempotency/key.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { sql } from '../../src/postgres/sql.js'
import { addKey } from '../support/add-key.js'
import { readPage } from '../support/doc-pages.js'
import { holdOf } from '../support/movements.js'
import {
  type Keys,
  type Merchant,
  openManilla,
  type Reply,
  type TestService,
} from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { openSession, untilBlocked } from '../support/sessions.js'

const service = await openManilla()
const beside = await openManilla({ beside: service })
const path = '/v1/test/balances/fund'
const most = 9_007_199_254_740_991

/** Money that has been paid out. */
async function spend(environmentId: EnvironmentId, amount: bigint): Promise<void> {
  const hold = holdOf({ environmentId, asset: 'NGN' }, amount)
  const { causeId } = hold
  const now = service.clock.now()
  await service.db.transaction((tx) => moveAll(tx, now, [hold]))
  await service.db.transaction((tx) =>
    resolveAll(tx, now, [{ environmentId, causeId, verb: 'settle' }]),
  )
}

type Fund = { keys: Keys; key?: string; body?: unknown; at?: TestService }

function fund({ keys, key, body = { asset: 'NGN', amount: 700 }, at = service }: Fund) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return at.ask('POST', path, {
    key: keys.secret,
    body,
    headers: headers as Record<string, string>,
  })
}

async function numbersOf(keys: Keys): Promise<{ balance: number; entries: number }> {
  const balances = await service.ask('GET', '/v1/balances', { key: keys.secret })
  const entries = await service.ask('GET', '/v1/balance-entries?limit=100', { key: keys.secret })
  return {
    balance: balances.json.data.items[0].available,
    entries: entries.json.data.items.length,
  }
}

const isReplay = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true'
const copies = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** One execution, and the same answer for every copy, byte for byte. */
function expectOneExecution(replies: Reply[], status: number): void {
  expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([status]))
  expect(new Set(replies.map((reply) => reply.text)).size).toBe(1)
  expect(replies.filter(isReplay)).toHaveLength(replies.length - 1)
  const ids = replies.map((reply) => reply.headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(replies.length)
}

describe('concurrent copies', () => {
  test('twenty copies of one request run once, and nineteen are replays', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const replies = await Promise.all(copies(20, () => fund({ keys, key: 'once' })))
    expectOneExecution(replies, 201)
    expect(await numbersOf(keys)).toEqual({ balance: 700, entries: 1 })
  })

  // The first claim is blocked while it moves the money, so that the other server has to wait for a
  // key whose outcome is open.
  test('twenty copies over two servers run once', async () => {
    const { test: keys, environments } = await service.addMerchant('Ada')
    await fund({ keys, key: 'before' })
    const session = await openSession(service.db)
    await session.query('begin')
    await session.query('select from ledger_accounts where environment_id = $1 for update', [
      environments.test.id,
    ])
    const asking = copies(20, (index) =>
      fund({ keys, key: 'once', at: index % 2 === 0 ? service : beside }),
    )
    await untilBlocked(service.db, 1)
    await session.query('rollback')

    expectOneExecution(await Promise.all(asking), 201)
    expect(await numbersOf(keys)).toEqual({ balance: 1_400, entries: 2 })
  })

  test('twenty copies of a refused request are refused once', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    await fund({ keys, body: { asset: 'NGN', amount: most } })
    const replies = await Promise.all(
      copies(20, (index) => fund({ keys, key: 'once', at: index % 2 === 0 ? service : beside })),
    )
    expectOneExecution(replies, 422)
    expect(await numbersOf(keys)).toEqual({ balance: most, entries: 1 })
  })

  // Ten ask for 5 and ten for 7 under one key: the first wins, the others are refused.
  test('of two different requests with one key, one runs and the other is refused', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const amounts = copies(20, (index) => (index % 2 === 0 ? 5 : 7))
    const replies = await Promise.all(
      amounts.map((amount, index) => {
        const at = index % 4 < 2 ? service : beside
        return fund({ keys, key: 'once', body: { asset: 'NGN', amount }, at })
      }),
    )
    const { balance, entries } = await numbersOf(keys)
    expect(entries).toBe(1)
    expectOneExecution(
      replies.filter((_, index) => amounts[index] === balance),
      201,
    )
    for (const loser of replies.filter((_, index) => amounts[index] !== balance)) {
      expect([loser.status, loser.json.reason]).toEqual([422, 'idempotency_key_reused'])
      expect(isReplay(loser)).toBe(false)
    }
  })

  test('a hundred keys at once run a hundred times', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const replies = await Promise.all(
      copies(100, (index) => fund({ keys, key: `key ${index}`, at: index % 2 ? service : beside })),
    )
    expect(replies.filter(isReplay)).toEqual([])
    expect(new Set(replies.map(({ json }) => json.data.reference)).size).toBe(100)
    expect(await numbersOf(keys)).toEqual({ balance: 70_000, entries: 100 })
  })

  test('without a key every copy runs', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    await Promise.all(copies(5, () => fund({ keys })))
    expect(await numbersOf(keys)).toEqual({ balance: 3_500, entries: 5 })
  })

  test('a key whose first request has not finished is in progress', async () => {
    const { test: keys, environments } = await service.addMerchant('Ada')
    const { digest } = toIdempotencyKey('stuck', {
      method: 'POST',
      path,
      body: {},
      callerId: 'a key',
    })
    const session = await openSession(service.db)
    await session.query('begin')
    await session.query(
      `insert into idempotency_keys (environment_id, digest, key, fingerprint, created_at)
       values ($1, $2, 'stuck', decode(repeat('00', 32), 'hex'), now())`,
      [environments.test.id, digest],
    )
    const waiting = await fund({ keys, key: 'stuck' })
    await session.query('rollback')
    expect([waiting.status, waiting.json.code, waiting.json.reason]).toEqual([
      409,
      'validation_failed',
      'idempotency_in_progress',
    ])
    const retried = await fund({ keys, key: 'stuck' })
    expect([retried.status, isReplay(retried)]).toEqual([201, false])
    expect(await numbersOf(keys)).toEqual({ balance: 700, entries: 1 })
  })
})

describe('a key used again', () => {
  test('with another body is refused, and the first answer stays', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const first = await fund({ keys, key: 'once', body: { asset: 'USDC', amount: '1.0' } })
    const others = [
      { asset: 'USDC', amount: '1.00' },
      { asset: 'USDC', amount: '2.0' },
      { asset: 'USDT', amount: '1.0' },
      { asset: 'NGN', amount: 1 },
    ]
    for (const body of others) {
      const reply = await fund({ keys, key: 'once', body, at: beside })
      expect(reply.status).toBe(422)
      expect(reply.json).toMatchObject({
        status: false,
        code: 'validation_failed',
        reason: 'idempotency_key_reused',
        message: expect.stringMatching(/used before with a different request. Use a new key/),
      })
    }
    const again = await fund({ keys, key: 'once', body: { asset: 'USDC', amount: '1.0' } })
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
    expect((await numbersOf(keys)).entries).toBe(1)
  })

  test('with the same body formatted differently is a retry', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const first = await fund({ keys, key: 'once', body: '{"asset":"NGN","amount":700}' })
    const same = [
      '{"amount":700,"asset":"NGN"}',
      '\n{ "amount" : 700.0,\t"asset" : "NGN" }\n',
      '{"\\u0061sset":"NGN","amount":7e2}',
    ]
    for (const body of same) {
      const again = await fund({ keys, key: 'once', body })
      expect([again.text, isReplay(again)]).toEqual([first.text, true])
    }
    expect(await numbersOf(keys)).toEqual({ balance: 700, entries: 1 })
  })

  test('keys that differ in case or inner spaces are different', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    for (const key of ['one key', 'One key', 'one  key', 'onekey'])
      expect(isReplay(await fund({ keys, key }))).toBe(false)
    expect((await numbersOf(keys)).entries).toBe(4)
  })

  test('returns the first answer even after the state has changed', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const first = await fund({ keys, key: 'once' })
    await fund({ keys, body: { asset: 'NGN', amount: most - 700 } })
    service.clock.advance(30 * day - 1)
    await deleteOldKeys(service.db, service.clock.now())

    const again = await fund({ keys, key: 'once', at: beside })
    expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
    expect(await numbersOf(keys)).toEqual({ balance: most, entries: 2 })
  })

  test('is a new key after thirty days', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const first = await fund({ keys, key: 'once' })
    service.clock.advance(30 * day)
    await deleteOldKeys(service.db, service.clock.now())
    const anew = await fund({ keys, key: 'once', body: { asset: 'NGN', amount: 1 } })
    expect([anew.status, isReplay(anew)]).toEqual([201, false])
    expect(anew.json.data.reference).not.toBe(first.json.data.reference)
  })

  test('belongs to one environment', async () => {
    const merchants: Merchant[] = [
      await service.addMerchant('Ada'),
      await service.addMerchant('Bola'),
    ]
    const replies = await Promise.all(
      merchants.map(({ test: keys }, index) =>
        fund({ keys, key: 'once', body: { asset: 'NGN', amount: index + 1 } }),
      ),
    )
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual([
      [201, false],
      [201, false],
    ])
    // The live environment cannot fund; it must not get the answer of the test one.
    const live = await fund({
      keys: merchants[0]!.live,
      key: 'once',
      body: { asset: 'NGN', amount: 1 },
    })
    expect([live.status, live.json.reason]).toEqual([403, 'test_mode_only'])
    for (const [index, { test: keys }] of merchants.entries())
      expect(await numbersOf(keys)).toEqual({ balance: index + 1, entries: 1 })
  })
})

describe('the key remembers', () => {
  test('a business refusal, byte for byte, even if it would now succeed', async () => {
    const { test: keys, environments } = await service.addMerchant('Ada')
    await fund({ keys, body: { asset: 'NGN', amount: most } })
    const first = await fund({ keys, key: 'refused' })
    expect([first.status, first.json.code, first.json.reason, isReplay(first)]).toEqual([
      422,
      'balance_funding_failed',
      'balance_limit',
      false,
    ])
    expect(first.json.message).toMatch(
      /Adding ₦7.00 would exceed the largest balance\..*smaller amount/,
    )

    await spend(environments.test.id, 1_000_000n)
    expect((await fund({ keys, key: 'another' })).status).toBe(201)
    const again = await fund({ keys, key: 'refused', at: beside })
    expect([again.status, again.text, isReplay(again)]).toEqual([422, first.text, true])
    expect(again.headers.get('x-request-id')).not.toBe(again.json.requestId)
  })

  test('no validation error or temporary failure: the key stays free', async () => {
    const { test: keys, live } = await service.addMerchant('Ada')
    const count = async () => {
      const [row] = await service.db.rows(sql<{ count: number }>`
        select count(*)::int as count from idempotency_keys`)
      return row!.count
    }
    const before = await count()
    const statuses = [
      await fund({ keys, key: 'free', body: { asset: 'NGN', amount: '700' } }),
      await fund({ keys, key: 'free', body: '{bad' }),
      await fund({ keys, key: 'free', body: `{}${' '.repeat(70_000)}` }),
      await fund({ keys: { ...keys, secret: keys.public }, key: 'free' }),
      await fund({ keys: live, key: 'free' }),
    ].map((reply) => reply.status)
    expect(statuses).toEqual([400, 400, 413, 401, 403])
    expect(await count()).toBe(before)

    const good = await fund({ keys, key: 'free' })
    expect([good.status, isReplay(good)]).toEqual([201, false])
  })

  test('no internal error: the same key works later', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    await service.db.rows(sql`alter table ledger_transfers rename to ledger_transfers_hidden`)
    const failed = await Promise.all(copies(3, () => fund({ keys, key: 'free' })))
    await service.db.rows(sql`alter table ledger_transfers_hidden rename to ledger_transfers`)
    expect(failed.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(failed.filter(isReplay)).toEqual([])

    const good = await fund({ keys, key: 'free' })
    expect([good.status, isReplay(good)]).toEqual([201, false])
    expect(await numbersOf(keys)).toEqual({ balance: 700, entries: 1 })
  })
})

/** Refusals about the key itself, which nothing stores. */
const ofKey: unknown[] = ['idempotency_in_progress', 'secret_of_another_caller']

test('the guide names every refusal with 409 that is stored, and those of conversions say it', () => {
  const routes = createRoutes({ collections: {}, simulated: [] } as unknown as ApiParts)
  const refusals = routes
    .filter((route) => acceptsIdempotencyKey(route) && route.access !== 'user')
    .flatMap(refusalsOf)
    .filter((one) => httpStatusOf(one) === 409 && !ofKey.includes(one.reason))
  const found = new Set(refusals.map(({ reason }) => reason!))
  const guide = readPage('docs/guides/idempotency.md')
  const table = guide.slice(guide.indexOf('| reason | of |'), guide.indexOf('Wait between'))
  const named = [...table.matchAll(/^\| (`.+`) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!)
  expect(named.toSorted()).toEqual([...found].toSorted())
  const ofConversions = refusals.filter(({ code }) => code === 'conversion_failed')
  for (const { reason } of ofConversions)
    expect(reasons[reason!].nextStep, reason).toContain('new `Idempotency-Key`')
})

// All callers of an environment share its idempotency keys, which logs and tickets may show. A
// secret is for the API key or the user that requested it.
describe('an answer that holds a secret', () => {
  const url = 'https://shop.example/webhooks'
  const endpoints = '/v1/webhook-endpoints'

  async function openCallers() {
    const otherKey = await addKey(service)
    const owner = await addPerson(service, { role: 'owner' })
    const admin = await addPerson(service, { role: 'admin' })
    type Send = (path: string, body: object, key: string) => Promise<Reply>
    const byKey =
      (secret: string): Send =>
      (path, body, key) =>
        service.ask('POST', path, { key: secret, body, headers: { 'idempotency-key': key } })
    const byUser =
      ({ ask }: typeof owner): Send =>
      (path, body, key) =>
        ask('POST', path, { body, headers: { 'idempotency-key': key } })
    return {
      key: byKey(service.merchant.test.secret),
      otherKey: byKey(otherKey),
      owner: byUser(owner),
      admin: byUser(admin),
    }
  }

  test('is repeated to the caller that made the first request, and to no other', async () => {
    const callers = await openCallers()
    const endpoint = await callers.key(endpoints, { url }, 'endpoint of all')
    const made = await callers.owner('/v1/api-keys', { name: 'A', kind: 'secret' }, 'key of all')
    const rotate = `${endpoints}/${endpoint.json.data.id}/rotate-secret`
    const roll = `/v1/api-keys/${made.json.data.id}/roll`
    const keyBody = { name: 'Till', kind: 'secret' }
    const cases = [
      ['createWebhookEndpoint', endpoints, { url }, 'key', ['otherKey', 'owner', 'admin']],
      ['createWebhookEndpoint', endpoints, { url }, 'owner', ['key', 'otherKey', 'admin']],
      ['rotateWebhookSecret', rotate, {}, 'otherKey', ['key', 'owner', 'admin']],
      ['createApiKey', '/v1/api-keys', keyBody, 'owner', ['admin']],
      ['rollApiKey', roll, {}, 'admin', ['owner']],
    ] as const
    for (const [operation, path, body, first, others] of cases) {
      const name = `${operation} by ${first}`
      const answered = await callers[first](path, body, name)
      expect(answered.status, answered.text).toBeLessThan(300)
      const { secret = answered.json.data.key } = answered.json.data
      const repeated = await callers[first](path, body, name)
      expect([repeated.text, isReplay(repeated)], name).toEqual([answered.text, true])
      for (const other of others) {
        const refused = await callers[other](path, body, name)
        const { reason, status } = refused.json
        expect([refused.status, status, reason], `${name}, then ${other}`).toEqual([
          409,
          false,
          'secret_of_another_caller',
        ])
        expect(refused.text).not.toContain(secret)
      }
    }
  })

  test('goes to one of two callers that send the same key at once', async () => {
    const callers = await openCallers()
    const replies = await Promise.all(
      [callers.key, callers.otherKey, callers.owner, callers.admin].map((send) =>
        send(endpoints, { url }, 'at once'),
      ),
    )
    const secrets = replies.map(({ json }) => json.data?.secret).filter((one) => one !== undefined)
    expect(secrets).toHaveLength(1)
    const reasonsGiven = replies.map(({ json }) => json.reason).filter((one) => one !== undefined)
    expect(reasonsGiven).toEqual(Array(3).fill('secret_of_another_caller'))
  })
})
