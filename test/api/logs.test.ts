import { describe, expect, test } from 'vitest'
import { newPageToken } from '../../src/base/page-token.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { magicNumber } from '../simulation/sandbox-bank/open-bank.js'
import { startDeliverer } from '../support/deliverer.js'
import { openManilla } from '../support/open-manilla.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { spawnStart } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'

const service = await openWithBank()
const { ask, merchant, log } = service
const keys = [
  merchant.test.secret,
  merchant.test.public,
  merchant.live.secret,
  merchant.live.public,
]
const fund = '/v1/test/balances/fund'

/** The secret part of a key. */
const randomOf = (key: string) => key.slice('sk_test_'.length)

describe('the log', () => {
  test('contains no secret, wherever the caller put one', async () => {
    for (const key of keys) {
      const body = { asset: 'NGN', amount: 5 }
      await ask('GET', '/v1/balances', { key })
      await ask('GET', '/v1/balances', { headers: { authorization: `Basic ${key}` } })
      await ask('GET', `/v1/${key}`)
      await ask('GET', `/v1/my_${key}/x${key}`)
      await ask('GET', `/v1/%zz${key}`)
      await ask('GET', `/v1/balance-entries?api_key=${key}&cursor=${key}`, { key })
      await ask('POST', fund, { key, body: { ...body, [key]: key } })
      await ask('POST', fund, { key, body: { asset: key, amount: key } })
      await ask('POST', fund, { key, body: `{"asset":"NGN","key":"${key}` })
      await ask('POST', fund, { key, body, headers: { 'content-type': key } })
      await ask('GET', '/v1/profile', { key, headers: { 'x-request-id': key, cookie: key } })
      await ask('PATCH', '/v1/settings', { key, body: { checkout: { displayName: key } } })
      await service.wire(`${key} / HTTP/1.1\r\n\r\n`)
    }
    const text = log.join('')
    for (const key of keys) expect(text).not.toContain(randomOf(key))
    expect(text).not.toContain(service.secret.reveal())
    expect(text).toContain('sk_test_[secret]')
    expect(text).toContain('pk_live_[secret]')
  })

  // Who has the token can open the invoice.
  test('contains no token of an invoice', async () => {
    const start = log.length
    const token = newPageToken()
    for (const more of ['', '/pay', '/invoice.pdf', '/x', '/x/y', '%zz', '?x=1'])
      for (const method of ['GET', 'POST', 'PUT', 'HEAD']) await ask(method, `/i/${token}${more}`)
    await ask('GET', `/I/${token}`)
    const text = log.slice(start).join('')
    expect(text).toContain('/i/:token')
    expect(text).not.toContain(token)
  })

  // Anyone who knows a session's reference can read it, so logs must not contain it.
  test('contains no session reference', async () => {
    const start = log.length
    const reference = `cs_${'0123456789abc'.repeat(3)}`
    const paths = [`/public/checkout/${reference}`, `/checkout/${reference}`]
    for (const path of paths)
      for (const more of ['', '/pay', '/stream', '/x'])
        for (const method of ['GET', 'POST', 'PUT', 'HEAD']) await ask(method, path + more)
    await ask('GET', `/v1/checkout/sessions/${reference}`)
    await ask('GET', `/v1/checkout/sessions/${reference}`, { key: merchant.test.secret })
    const lines = log.slice(start).map((line) => JSON.parse(line))
    const loggedPaths = new Set(lines.map(({ path }) => path))
    expect(loggedPaths).toContain('/public/checkout/:reference')
    expect(loggedPaths).toContain('/checkout/cs_[secret]/x')
    expect(lines.filter((line) => JSON.stringify(line).includes(reference))).toMatchObject([
      { path: `/v1/checkout/sessions/${reference}`, key: 'Ada Stores test secret' },
    ])
  })

  test('contains no secret of a nested error', () => {
    const [key] = keys as [string]
    const url = 'postgres://manilla:hun%40ter2@db.internal:5432/manilla'
    const start = log.length
    const cause = Object.assign(new Error(`cannot reach ${url}`), { url, key })
    const error = new Error(`first line\n${key}\n\t${key}\\${key} Bearer\n${key}`, { cause })
    service.logger.error({ err: error, nested: { list: [{ url, secret: service.secret }] } }, url)
    service.logger.warn(`postgres://manilla:p@ss:w0rd@db/x and ?user=a&password=hunter3&ssl=1`)
    service.logger.warn(
      'Authorization: Bearer abc.def-ghi, and whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    )

    const text = log.slice(start).join('')
    const secrets = ['hun%40ter2', 'p@ss', 'w0rd', 'hunter3', 'abc.def-ghi', 'MfKQ9r8GKYqrTwjUPD8']
    for (const secret of [...secrets, randomOf(key), service.secret.reveal()])
      expect(text).not.toContain(secret)
    expect(text).toContain('postgres://manilla:[secret]@db.internal:5432/manilla')
    expect(text).toContain('"secret":"[secret]"')
    for (const line of log) expect(() => JSON.parse(line)).not.toThrow()
  })

  test('has one line per answer with merchant, route and duration', async () => {
    const start = log.length
    const headers = { 'x-request-id': 'order-42', 'idempotency-key': 'not a secret' }
    const body = { asset: 'NGN', amount: 5 }
    await ask('POST', fund, { key: merchant.test.secret, body, headers })
    await ask('GET', '/v1/nothing?with=query')
    for (const probe of ['/healthz', '/readyz']) await ask('GET', probe)
    const lines = log.slice(start).map((line) => JSON.parse(line))
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        pid: process.pid,
        requestId: 'order-42',
        method: 'POST',
        path: fund,
        status: 201,
        durationMs: expect.any(Number),
        merchant: merchant.reference,
        mode: 'test',
        key: 'Ada Stores test secret',
        msg: 'answered',
      },
      expect.objectContaining({
        method: 'GET',
        path: '/v1/nothing',
        status: 404,
        code: 'not_found',
      }),
      expect.objectContaining({ level: 'debug', path: '/healthz', status: 200 }),
      expect.objectContaining({ level: 'debug', path: '/readyz', status: 200 }),
    ])
  })

  // A replay is a stored text; its line says the same.
  test('names code and reason of a refusal, also of a replayed one', async () => {
    const start = log.length
    const { secret: key } = merchant.test
    const body = { asset: 'NGN', amount: 5 }
    const headers = { 'idempotency-key': 'to be reused' }
    await ask('POST', fund, { key, body, headers })
    await ask('POST', fund, { key, body: { ...body, amount: 6 }, headers })
    const url = 'https://example.com/'
    for (let count = 0; count < 10; count += 1)
      await ask('POST', '/v1/webhook-endpoints', { key, body: { url } })
    const tooMany = { key, body: { url }, headers: { 'idempotency-key': 'one too many' } }
    for (let count = 0; count < 2; count += 1) await ask('POST', '/v1/webhook-endpoints', tooMany)
    const refused = log
      .slice(start)
      .map((line) => JSON.parse(line))
      .filter(({ status }) => status >= 400)
    const line = { level: 'info', merchant: merchant.reference, msg: 'answered' }
    expect(refused).toMatchObject([
      { ...line, code: 'validation_failed', reason: 'idempotency_key_reused' },
      { ...line, code: 'webhook_endpoint_failed', reason: 'too_many' },
      { ...line, code: 'webhook_endpoint_failed', reason: 'too_many' },
    ])
  })
})

describe('money', () => {
  // References and amounts, and nothing about customers.
  test('has one line per payment, payout and webhook, with its merchant', async () => {
    const { db, clock, bank, logger, seal } = service
    const owner = await service.addMerchant('Bola')
    const { post, openVirtual, payIn } = payersOf(service, owner)
    const receiver = await openReceiver()
    await post('/v1/webhook-endpoints', { url: receiver.url })
    const start = log.length
    const linesOf = (word: string) =>
      log
        .slice(start)
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg.startsWith(word))
    const account = (await openVirtual()).json.data
    const paidIn = await payIn(account.accountNumber, { sender: { name: 'CHUKA OBI' } })
    expect(paidIn.status).toBe(201)
    await until(() => linesOf('payment').length > 0)
    const common = { level: 'info', merchant: owner.reference, mode: 'test' }
    expect(linesOf('payment')).toMatchObject([
      {
        ...common,
        msg: 'payment received',
        payment: expect.stringMatching(/^pay_/),
        amount: '5000',
        asset: 'NGN',
        rail: bank.name,
      },
    ])

    const path = '/v1/disbursements/bank-transfer'
    const [closed, reversing] = [magicNumber(2), magicNumber(3)]
    for (const accountNumber of ['0123456789', closed, reversing]) {
      const body = { amount: 100_000, bankCode: '058', accountNumber }
      const paid = await post(path, body, { 'idempotency-key': accountNumber })
      expect(paid.status).toBe(201)
    }
    const tools = { db, rail: bank, clock, logger }
    await until(async () => {
      clock.advance(2_000)
      await pollPayouts(tools, clock.now())
      await followReversals(tools, clock.now())
      return linesOf('payout').length === 4
    })
    const payouts = linesOf('payout')
    for (const line of payouts)
      expect(line).toMatchObject({
        ...common,
        amount: '1000',
        payout: expect.stringMatching(/^bt_/),
      })
    expect(payouts.map(({ msg, reason }) => [msg, reason]).toSorted()).toEqual([
      ['payout completed', undefined],
      ['payout completed', undefined],
      ['payout failed', 'account_closed'],
      ['payout reversed', undefined],
    ])

    const deliverer = startDeliverer(db, { seal, logger, clock })
    await until(() => linesOf('webhook').length > 0)
    await deliverer.stop()
    expect(linesOf('webhook')[0]).toMatchObject({
      ...common,
      msg: 'webhook delivered',
      event: expect.stringMatching(/^evt_/),
      type: expect.any(String),
      attempt: 1,
      status: 200,
    })
    const text = log.slice(start).join('')
    for (const hidden of ['CHUKA', account.accountNumber, '0123456789', receiver.url])
      expect(text).not.toContain(hidden)
  })
})

describe('what is kept', () => {
  test('no table holds a key, only its hash', async () => {
    const tables = await service.db.rows(sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = 'public'`)
    for (const { name } of tables) {
      const rows = await service.db.rows(sql<{ row: string }>`
        select row_to_json(t)::text as row from ${sql.identifier(name)} t`)
      // A display name that contains the key was made public by the merchant.
      const text = name === 'environment_settings' ? '' : rows.map(({ row }) => row).join('\n')
      for (const key of keys) expect(text).not.toContain(randomOf(key))
    }
  })
})

describe('a bug', () => {
  test('is logged in full and answered without details', async () => {
    const broken = await openManilla()
    await broken.db.rows(sql`drop table environment_settings`)
    await broken.db.rows(sql`drop table ledger_transfers cascade`)
    const key = broken.merchant.test.secret
    const body = { asset: 'NGN', amount: 5 }
    const replies = [
      { reply: await broken.ask('GET', '/v1/settings', { key }), table: 'environment_settings' },
      { reply: await broken.ask('POST', fund, { key, body }), table: 'ledger_transfers' },
    ]
    for (const { reply, table } of replies) {
      expect(reply.status).toBe(500)
      expect(reply.json).toEqual({
        status: false,
        code: 'internal_error',
        message: expect.stringMatching(
          /went wrong on our side. It was logged; quote the requestId/,
        ),
        nextStep: expect.any(String),
        requestId: reply.headers.get('x-request-id'),
      })
      expect(reply.text).not.toMatch(/relation|ledger|settings|postgres|select|at .*\.[jt]s/i)

      const lines = broken.log.map((line) => JSON.parse(line))
      const [bug] = lines.filter(
        ({ level, requestId }) => level === 'error' && requestId === reply.json.requestId,
      )
      expect(bug.err.message).toBe(`relation "${table}" does not exist`)
      expect(bug.err.code).toBe('42P01')
      expect(bug.err.stack).toMatch(/at .*dist\/(ledger|postgres|merchants)\//)
    }
  })
})

describe('the program', () => {
  const secret = 'a secret that is long enough to be taken'
  const url = 'postgres://manilla:hunter2@127.0.0.1:1/manilla'
  const mistakes = [
    { DATABASE_URL: url, MANILLA_SECRET: secret },
    { DATABASE_URL: url.replace(':1', ':none'), MANILLA_SECRET: secret },
    { DATABASE_URL: url, MANILLA_SECRET: 'hunter2, too short' },
  ]

  test('reports why it cannot start, without the secret', async () => {
    const loggedPaths = mistakes.map(async (more) => {
      const program = spawnStart('/nowhere', { ...more, LOG_LEVEL: 'trace' })
      expect((await program.ended).code).toBe(1)
      expect(program.text()).not.toMatch(/hunter2|long enough/)
      expect(program.text().trim().split('\n')).toHaveLength(1)
      expect(program.text()).toMatch(/^(DATABASE_URL|MANILLA_SECRET)\b/)
    })
    await Promise.all(loggedPaths)
  })
})
