import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { isRunning, type Program, spawnServe } from '../support/program.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { trackPrograms } from '../support/track-programs.js'

/** `manilla serve` with several processes on one port. The tests follow one service in order. */

const secret = new Secret('7'.repeat(64))
const perSecond = 60
const programs = trackPrograms()
const db = await freshDatabase()
let program: Program
let url: string
let metricsUrl: string
let key: string

type LogLine = {
  msg: string
  pid: number
  process?: number
  level: string
  [field: string]: unknown
}

function readLog(): LogLine[] {
  const lines = program.text().split('\n')
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
}

/** Process ids by process number, as of the last answers. */
function processIds(): Map<number, number> {
  const answers = readLog().filter(({ msg }) => msg === 'answered')
  return new Map(answers.map((line) => [line.process!, line.pid]))
}

type Reply = { status: number; headers: IncomingMessage['headers']; text: string }

/** Every request has its own connection. */
function ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      const { statusCode, headers: answered } = response
      response.on('end', () => resolve({ status: statusCode!, headers: answered, text }))
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

const times = <Result>(count: number, act: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)))

async function readMetric(line: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return Number(found?.split(' ').at(-1))
}

/** Waits for the first request of a second, which it spends. */
async function untilFreshSecond(): Promise<void> {
  await until(async () => {
    const { headers } = await ask('GET', '/v1/profile')
    return headers.ratelimit === `"environment";r=${perSecond - 1};t=1`
  })
}

beforeAll(async () => {
  program = spawnServe(db.url, secret.reveal(), 0, {
    API_PROCESSES: '2',
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_SECOND: `${perSecond}`,
  })
  programs.push(program)
  key = await db.transaction(async (tx) => {
    const now = new Date()
    const { environments } = await createMerchant(tx, now, 'Ada')
    const issued = await issueKey(tx, now, {
      seal: createSeal(secret),
      kind: 'secret',
      name: 'test',
      expiresAt: null,
      environment: environments.test,
      allowedAddresses: [],
    })
    return issued.key.reveal()
  })
  await program.untilPrinted('"msg":"serving"')
  const serving = readLog().find(({ msg }) => msg === 'serving')
  if (!serving) throw new Error(program.text())
  url = serving.url as string
  metricsUrl = serving.metrics as string
  expect(serving.processes).toBe(2)
})

afterAll(() => expectAllProofs(db))

test('connections are spread over the processes, and one scrape counts all of them', async () => {
  const replies = await times(20, () => ask('GET', '/v1/balances'))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  await until(() => readLog().filter(({ path }) => path === '/v1/balances').length === 20)
  const answered = readLog().filter(({ path }) => path === '/v1/balances')
  const byProcess = [1, 2].map((n) => answered.filter((line) => line.process === n).length)
  // A process that is busy gets fewer.
  expect(Math.min(...byProcess)).toBeGreaterThan(0)
  const labels = 'method="GET",route="/v1/balances",status="200"'
  expect(await readMetric(`manilla_http_requests_total{${labels}}`)).toBe(20)
  expect(
    await readMetric('manilla_http_request_seconds_count{method="GET",route="/v1/balances"}'),
  ).toBe(20)
  expect(await readMetric('manilla_api_processes')).toBe(2)
  // Read from the database by each process; not a sum.
  expect(await readMetric('manilla_due_lag_seconds{work="payouts"}')).toBe(0)
})

test('one request sent twenty times to all processes creates one payout', async () => {
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  const before = readLog().length
  const path = '/v1/disbursements/bank-transfer'
  const body = { amount: 1_000_000, bankCode: '058', accountNumber: '0123456789' }
  const replies = await times(20, () => ask('POST', path, body, 'one payout'))
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(
    19,
  )
  const rows = await db.rows(sql`select from payouts`)
  expect(rows).toHaveLength(1)
  await until(() => readLog().length >= before + 20)
  const answering = readLog()
    .slice(before)
    .map((line) => line.process)
  expect(new Set(answering)).toEqual(new Set([1, 2]))
})

test('all processes together allow the advertised number of requests', async () => {
  // A burst that took longer than its second proves nothing and is repeated.
  for (;;) {
    await untilFreshSecond()
    const startedAt = performance.now()
    const replies = await times(perSecond + 20, () => ask('GET', '/v1/profile'))
    if (performance.now() - startedAt > 900) continue
    const allowed = replies.filter(({ status }) => status === 200)
    expect(allowed).toHaveLength(perSecond - 1)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(21)
    const policies = new Set(replies.map(({ headers }) => headers['ratelimit-policy']))
    expect(policies).toEqual(new Set([`"environment";q=${perSecond};w=1`]))
    break
  }
  await until(async () => (await ask('GET', '/v1/profile')).status === 200)
})

test('a session has five streams, whichever process serves them', async () => {
  const order = { amount: 5_000, description: 'Bread', customer: { name: 'A', email: 'a@b.co' } }
  const session = await ask('POST', '/v1/checkout/sessions', order, 'session')
  const { reference } = JSON.parse(session.text).data
  const streams = await times(
    6,
    () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const path = `${url}/public/checkout/${reference}/stream`
        request(path, { agent: false }, resolve).on('error', reject).end()
      }),
  )
  const statuses = streams.map(({ statusCode }) => statusCode).toSorted()
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  for (const stream of streams) stream.destroy()
})

test('a killed process is replaced while the other one answers', async () => {
  const labels = 'method="GET",route="/v1/balances",status="200"'
  const counted = await readMetric(`manilla_http_requests_total{${labels}}`)
  const killed = processIds().get(1)!
  process.kill(killed, 'SIGKILL')
  await until(() => !isRunning(killed))
  // The replacement takes a while to start.
  await until(() => program.text().includes('API process ended unexpectedly'))
  expect((await times(5, () => ask('GET', '/v1/balances'))).map(({ status }) => status)).toEqual(
    Array(5).fill(200),
  )
  await until(async () => (await readMetric('manilla_api_processes')) === 2)
  expect(await readMetric(`manilla_http_requests_total{${labels}}`)).toBe(counted + 5)
  expect(await readMetric('manilla_api_process_restarts_total')).toBe(1)
  const line = readLog().find(({ msg }) => msg.startsWith('API process ended'))
  expect(line).toMatchObject({ level: 'error', process: 1, endedPid: killed, signal: 'SIGKILL' })
  await times(4, () => ask('GET', '/v1/balances'))
  await until(() => processIds().get(1) !== killed)
})

test('SIGTERM finishes the requests of all processes and leaves none behind', async () => {
  await db.rows({
    text: `create function wait_a_moment() returns trigger language plpgsql as
           $$ begin perform pg_sleep(0.5); return null; end $$`,
    values: [],
  })
  await db.rows(sql`
    create trigger moment after insert on ledger_transfers
    for each statement execute function wait_a_moment()`)
  const pids = [...processIds().values(), program.pid]
  const body = { asset: 'NGN', amount: 5 }
  const funding = times(4, (n) => ask('POST', '/v1/test/balances/fund', body, `fund ${n}`))
  await until(async () => {
    const waiting = await db.rows(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`)
    return waiting.length > 0
  })
  const before = readLog().length
  program.signal('SIGTERM')
  expect((await funding).map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(pids).toHaveLength(3)
  expect(pids.filter(isRunning)).toEqual([])
  const lines = readLog().slice(before)
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
  expect(lines.find(({ msg }) => msg === 'stopping')).toMatchObject({ signal: 'SIGTERM' })
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
})

test('a port in use ends the start with its message', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const refused = spawnServe(db.url, secret.reveal(), port, { API_PROCESSES: '2' })
  programs.push(refused)
  expect((await refused.ended).code).not.toBe(0)
  expect(refused.text()).toContain(`Port ${port} is in use. Choose another: PORT=`)
  taken.close()
})
