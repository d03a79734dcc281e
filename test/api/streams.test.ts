import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { streamLimits } from '../../src/api/limits.js'
import { Streams } from '../../src/api/streams/streams.js'
import { systemClock } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { manualClock } from '../support/clock.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

const service = await openWithBank()
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  shop = payersOf(service, await service.addMerchant('Ada Stores'))
})

const order = {
  amount: 1_250_000,
  description: 'Bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}

async function create(): Promise<string> {
  const { json } = await shop.post('/v1/checkout/sessions', order)
  return json.data.reference
}

function open(reference: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${service.url}/public/checkout/${reference}/stream`, resolve).on('error', reject)
  })
}

/** The next message of a stream that is not a heartbeat. */
function nextEvent(stream: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      if (!chunk.toString().includes('event:')) return
      stream.off('data', onData)
      resolve(chunk.toString())
    }
    stream.on('data', onData)
  })
}

const whenEnded = (stream: IncomingMessage) =>
  new Promise((resolve) => stream.on('close', resolve).resume())

// Opening the database listener wakes every stream: wait for it first.
test('a stream reports a payment of its own session only', async () => {
  const [paid, other] = [await create(), await create()]
  const first = await open(other)
  await nextEvent(first)
  const [stream, quiet] = [await open(paid), await open(other)]
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  })
  let heard = 0
  quiet.on('data', (chunk) => {
    heard += chunk.toString().includes('event:') ? 1 : 0
  })
  const next = nextEvent(stream)
  await service.ask('POST', `/public/checkout/${paid}/simulate`)
  expect(await next).toContain('event: changed')
  expect(heard).toBe(0)
  // The application name identifies the connection to operators.
  const lines = await service.db.rows(sql`select from pg_stat_activity
    where application_name like 'manilla streams %' and datname = current_database()`)
  expect(lines).toHaveLength(1)
  for (const one of [first, stream, quiet]) one.destroy()
})

test('a session has at most five streams, an unknown one none', async () => {
  const reference = await create()
  const streams = await Promise.all(Array.from({ length: 5 }, () => open(reference)))
  expect((await open(reference)).statusCode).toBe(429)
  expect((await open('cs_unknown')).statusCode).toBe(404)
  streams[0]!.destroy()
  await expect
    .poll(async () => {
      const again = await open(reference)
      again.destroy()
      return again.statusCode
    })
    .toBe(200)
  for (const stream of streams) stream.destroy()
})

test('an address has at most twenty streams, and the service has a limit', async () => {
  const streams = new Streams({
    clock: systemClock,
    logger: service.logger,
    streamLimits: { totalMax: 21 },
    connect: () => connect(service.db.url, 'test streams'),
  })
  const open = async (reference: string, network: string) =>
    (await streams.open({ reference, network })).resume()
  const bodies = await Promise.all(Array.from({ length: 20 }, (_, n) => open(`cs_${n}`, 'one')))
  const isRefused = (network: string, refusal: object) =>
    expect(open('cs_x', network)).rejects.toThrow(expect.objectContaining(refusal))
  await isRefused('one', { status: 429, retryAfterSeconds: 3 })
  await open('cs_y', 'other')
  await isRefused('another', { status: 503, reason: 'unavailable', retryAfterSeconds: 60 })
  bodies[0]!.destroy()
  await expect.poll(() => streams.count).toBe(20)
  await open('cs_x', 'one')
  await streams.close()
  await expect.poll(() => streams.count).toBe(0)
})

test('a refused stream gets Retry-After and the usual envelope', async () => {
  const small = await openWithBank({ streamLimits: { totalMax: 0 } })
  const { json } = await payersOf(small, small.merchant).post('/v1/checkout/sessions', order)
  const path = `/public/checkout/${json.data.reference}/stream`
  const refused = await small.ask('GET', path)
  expect([refused.status, refused.headers.get('retry-after'), refused.json]).toMatchObject([
    503,
    '60',
    { status: false, code: 'internal_error', reason: 'unavailable' },
  ])
})

// Header, message and next step must agree.
test.each([
  [{ perSessionMax: 0 }, 429, '3'],
  [{ totalMax: 0 }, 503, '60'],
])('Retry-After, message and next step agree: %j', async (streamLimits, status, seconds) => {
  const small = await openWithBank({ streamLimits })
  const { json } = await payersOf(small, small.merchant).post('/v1/checkout/sessions', order)
  const refused = await small.ask('GET', `/public/checkout/${json.data.reference}/stream`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, seconds])
  expect(refused.json.message).toContain(`Try again in ${seconds} seconds; until then, poll`)
  expect(refused.json.nextStep).toContain('`Retry-After`')
})

test('HEAD on a stream ends at once', async () => {
  const path = `/public/checkout/${await create()}/stream`
  const { status, headers } = await service.ask('HEAD', path)
  expect([status, headers.get('allow')]).toEqual([405, 'GET'])
})

test('every stream ends after 15 minutes and when the service closes', async () => {
  const clock = manualClock()
  const streams = new Streams({
    clock,
    logger: service.logger,
    streamLimits: { heartbeatIntervalMs: 5 },
    connect: () => connect(service.db.url, 'test streams'),
  })
  const body = (await streams.open({ reference: 'cs_1', network: '1' })).resume()
  const ended = new Promise((resolve) => body.on('close', resolve))
  clock.advance(streamLimits.durationMaxMs - 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(streams.count).toBe(1)
  clock.advance(1)
  await ended
  expect(streams.count).toBe(0)
  const last = (await streams.open({ reference: 'cs_1', network: '1' })).resume()
  const closed = new Promise((resolve) => last.on('close', resolve))
  await streams.close()
  await closed
  await expect(streams.open({ reference: 'cs_2', network: '1' })).rejects.toThrow()
})

test('a closing service ends its streams at once', async () => {
  const own = await openWithBank()
  const seller = payersOf(own, own.merchant)
  const { json } = await seller.post('/v1/checkout/sessions', order)
  const stream = await new Promise<IncomingMessage>((resolve) => {
    get(`${own.url}/public/checkout/${json.data.reference}/stream`, resolve)
  })
  const ended = whenEnded(stream)
  await own.close()
  await ended
})

/** Payers in their own process: fifty addresses with the maximum number of streams each. */
function startListeners(url: string, references: string[]) {
  const listeners = references.flatMap((reference, n) =>
    Array.from({ length: 5 }, () => ({ reference, address: `203.0.113.${Math.floor(n / 4)}` })),
  )
  const child = fork(path.resolve(import.meta.dirname, '../support/hold-streams.mjs'))
  onTestFinished(() => child.disconnect())
  child.send({ url, listeners })
  return { said: async () => (await once(child, 'message'))[0] }
}

/** Heap of this process after garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// Over real connections; prints the memory per stream.
test('a thousand concurrent streams all end after 15 minutes or a drain', async () => {
  const own = await openWithBank({ trustProxy: true, streamLimits: { heartbeatIntervalMs: 50 } })
  const seller = payersOf(own, own.merchant)
  const creating = Array.from({ length: 200 }, () => seller.post('/v1/checkout/sessions', order))
  const references = (await Promise.all(creating)).map(({ json }) => json.data.reference)
  const connections = () =>
    new Promise((resolve) => own.app.server.getConnections((_error, count) => resolve(count)))
  const idle = Number(await connections())

  const before = usedBytes()
  const first = startListeners(own.url, references)
  expect(await first.said()).toEqual({ open: { 200: 1_000 } })
  const kilobytes = ((usedBytes() - before) / 1_024_000).toFixed(1)
  console.info(`1,000 streams over HTTP: ${kilobytes} kB of memory each`)

  own.clock.advance(streamLimits.durationMaxMs - 1)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(Number(await connections())).toBeGreaterThanOrEqual(1_000)
  own.clock.advance(1)
  expect(await first.said()).toEqual({ ended: 1_000 })
  await expect.poll(connections).toBeLessThanOrEqual(idle)

  const last = startListeners(own.url, references)
  expect(await last.said()).toEqual({ open: { 200: 1_000 } })
  const ended = last.said()
  await own.close()
  expect(await ended).toEqual({ ended: 1_000 })
})
