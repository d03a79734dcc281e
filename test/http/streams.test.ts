import { get, type IncomingMessage } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.js'
import { Streams } from '../../src/http/streams.js'
import { limits } from '../../src/limits.js'
import { connect } from '../../src/postgres/connection.js'
import { customersOf, openBankHouse } from '../support/bank-house.js'
import { manualClock } from '../support/clock.js'

const house = await openBankHouse()
let shop: ReturnType<typeof customersOf>
beforeEach(async () => {
  shop = customersOf(house, await house.hire('Ada Stores'))
})

async function create(): Promise<string> {
  const { json } = await shop.post('/v1/checkout/sessions', {
    ...{ amount: 1_250_000, description: 'Bread' },
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  })
  return json.data.reference
}

function open(reference: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${house.url}/public/checkout/${reference}/stream`, resolve).on('error', reject)
  })
}

/** The next words of a stream that are not a sign of life. */
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

// When the line to the database opens, everyone is woken: whoever comes after that hears of its own.
test('a page that listens hears of a payment, and another page does not', async () => {
  const [paid, other] = [await create(), await create()]
  const first = await open(other)
  await nextEvent(first)
  const [stream, quiet] = [await open(paid), await open(other)]
  expect(stream.headers).toMatchObject({
    ...{ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  })
  let heard = 0
  quiet.on('data', (chunk) => {
    heard += chunk.toString().includes('event:') ? 1 : 0
  })
  const next = nextEvent(stream)
  await house.ask('POST', `/public/checkout/${paid}/simulate`)
  expect(await next).toContain('event: changed')
  expect(heard).toBe(0)
  for (const one of [first, stream, quiet]) one.destroy()
})

test('a session has five streams at most, and an unknown one has none', async () => {
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

test('a stream has no head that could stay open', async () => {
  const path = `/public/checkout/${await create()}/stream`
  const { status, headers } = await house.ask('HEAD', path)
  expect([status, headers.get('allow')]).toEqual([405, 'GET'])
})

test('every stream ends after a quarter of an hour, and when the house closes', async () => {
  const clock = manualClock()
  const streams = new Streams({
    clock,
    connect: () => connect(house.db.url, 'test streams'),
    beatMs: 5,
  })
  const body = streams.open({ reference: 'cs_1', address: '1' }).resume()
  const ended = new Promise((resolve) => body.on('close', resolve))
  clock.advance(limits.streams.longestMs - 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(streams.count).toBe(1)
  clock.advance(1)
  await ended
  expect(streams.count).toBe(0)
  const last = streams.open({ reference: 'cs_1', address: '1' }).resume()
  const closed = new Promise((resolve) => last.on('close', resolve))
  await streams.close()
  await closed
  expect(() => streams.open({ reference: 'cs_2', address: '1' })).toThrow()
})

// Printed, so that a person sees what a thousand payers cost.
test('a thousand streams are open at once, and none is left at the end', async () => {
  const streams = new Streams({
    clock: systemClock,
    connect: () => connect(house.db.url, 'test streams'),
  })
  const count = 1_000
  const before = process.memoryUsage()
  const bodies = Array.from({ length: count }, (_, n) =>
    streams.open({ reference: `cs_${n}`, address: `address ${n % 100}` }).resume(),
  )
  const { heapUsed, external } = process.memoryUsage()
  const bytes = (heapUsed + external - before.heapUsed - before.external) / count
  console.info(`${count} streams: about ${Math.round(bytes)} bytes each in the heap`)
  expect(streams.count).toBe(count)
  const ended = Promise.all(bodies.map((body) => new Promise((done) => body.on('close', done))))
  await streams.close()
  await ended
  expect(streams.count).toBe(0)
})

test('a house that closes ends its streams at once', async () => {
  const own = await openBankHouse()
  const seller = customersOf(own, own.merchant)
  const { json } = await seller.post('/v1/checkout/sessions', {
    ...{ amount: 1_250_000, description: 'Bread' },
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  })
  const stream = await new Promise<IncomingMessage>((resolve) => {
    get(`${own.url}/public/checkout/${json.data.reference}/stream`, resolve)
  })
  const ended = whenEnded(stream)
  await own.close()
  await ended
})
