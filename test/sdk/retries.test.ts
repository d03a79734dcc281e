import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  ConnectionError,
  Manilla,
  ManillaError,
  NotFoundError,
  RateLimitError,
} from '../../sdk/src/manilla.js'
import { readRetryAfter, waitBeforeRetry, whyRetry } from '../../sdk/src/retry.js'
import { openManilla, whenDone } from '../support/open-manilla.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openReceiver, type Received } from '../support/receiver.js'

const key = `sk_test_${'x'.repeat(38)}`
const order = { merchantReference: 'order-1', amount: 500_000 }

type Reply = (response: ServerResponse) => void

/** A server with scripted replies; the last one repeats. */
async function openTrouble(...replies: Reply[]) {
  const left = [...replies]
  const answer = (response: ServerResponse) =>
    (left.length > 1 ? left.shift()! : left[0]!)(response)
  const { url, received } = await openReceiver(answer)
  return { received, manilla: new Manilla(key, { baseUrl: url }) }
}

const say =
  (status: number, body: object | string, headers = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'retry-after': '0', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
const fine = say(200, { status: true, message: 'Done', data: { reference: 'va_1' } })
const refuse = (status: number, code: string, reason?: string) =>
  say(status, { status: false, message: 'No.', code, reason, requestId: 'req_1' })
const hangUp: Reply = (response) => response.destroy()
const cutShort: Reply = (response) => {
  response.writeHead(200, { 'content-length': 1_000 }).write('{"status":true,')
  response.flushHeaders()
  setImmediate(() => response.destroy())
}
const stayQuiet: Reply = () => {}

const keysOf = (received: Received[]) => received.map(({ headers }) => headers['idempotency-key'])

describe('a request is retried with the same key', () => {
  test.each<[string, Reply]>([
    ['when the connection is lost', hangUp],
    ['when the answer is cut short', cutShort],
    ['after 408', say(408, '')],
    ['while a copy is worked on', refuse(409, 'validation_failed', 'idempotency_in_progress')],
    ['after 429', refuse(429, 'rate_limited')],
    ['after 500', refuse(500, 'internal_error')],
    ['after 502 of a proxy', say(502, '<html>Bad gateway</html>')],
    ['after 503', refuse(503, 'internal_error', 'outcome_unknown')],
    ['after 504', say(504, '')],
  ])('%s', async (_, trouble) => {
    const { manilla, received } = await openTrouble(trouble, fine)
    expect(await manilla.virtualAccounts.create(order)).toEqual({ reference: 'va_1' })
    expect(received).toHaveLength(2)
    expect(new Set(keysOf(received)).size).toBe(1)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  })

  test('and a 404 after a lost DELETE counts as deleted', async () => {
    const gone = refuse(404, 'not_found')
    const { manilla, received } = await openTrouble(hangUp, gone)
    await manilla.webhookEndpoints.delete('we_1')
    expect(received).toHaveLength(2)
    const busy = await openTrouble(refuse(429, 'rate_limited'), gone)
    await expect(busy.manilla.webhookEndpoints.delete('we_1')).rejects.toThrow(NotFoundError)
  })

  test('at most maxRetries times', async () => {
    const { manilla, received } = await openTrouble(refuse(503, 'internal_error', 'unavailable'))
    const work = manilla.balances.list({}, { maxRetries: 1 })
    await expect(work).rejects.toMatchObject({ status: 503, requestId: 'req_1' })
    expect(received).toHaveLength(2)
  })
})

describe('a request is sent once', () => {
  test.each<[number, string, string?]>([
    [400, 'validation_failed'],
    [401, 'authentication_failed'],
    [402, 'insufficient_balance'],
    [403, 'forbidden', 'test_mode_only'],
    [404, 'not_found'],
    [409, 'dedicated_account_creation_failed', 'duplicate_reference'],
    [422, 'bank_transfer_failed'],
    [422, 'validation_failed', 'idempotency_key_reused'],
  ])('when the answer is %i %s %s', async (status, code, reason) => {
    const { manilla, received } = await openTrouble(refuse(status, code, reason))
    await expect(manilla.virtualAccounts.create(order)).rejects.toMatchObject({ status, code })
    expect(received).toHaveLength(1)
  })

  test('when it has no idempotency key', async () => {
    const { manilla, received } = await openTrouble(hangUp)
    await expect(manilla.checkout.simulate('cs_1')).rejects.toThrow(ConnectionError)
    expect(received).toHaveLength(1)
  })

  test('when Retry-After is too long', async () => {
    const busy = say(429, { code: 'rate_limited', message: 'No.' }, { 'retry-after': '3600' })
    const { manilla, received } = await openTrouble(busy)
    const error = await manilla.balances.list().catch((thrown) => thrown)
    expect(error).toBeInstanceOf(RateLimitError)
    expect([error.retryAfterMs, received.length]).toEqual([3_600_000, 1])
  })

  test('when something answers that is not Manilla', async () => {
    const { manilla, received } = await openTrouble(say(200, '<html>Welcome</html>'))
    await expect(manilla.balances.list()).rejects.toMatchObject({
      code: 'unexpected_answer',
      status: 200,
      message: expect.stringMatching(/not an answer of Manilla/),
      nextStep: expect.stringContaining('baseUrl'),
    })
    expect(received).toHaveLength(1)
  })

  test('when redirected: the key is not sent elsewhere', async () => {
    const elsewhere = await openReceiver()
    const { manilla } = await openTrouble(say(301, '', { location: elsewhere.url }))
    const work = manilla.balances.list()
    await expect(work).rejects.toMatchObject({ code: 'unexpected_answer', status: 301 })
    await expect(work).rejects.toThrow(`redirects to ${elsewhere.url}`)
    expect(elsewhere.received).toEqual([])
  })
})

describe('a caller', () => {
  test('gets a timeout error', async () => {
    const { manilla, received } = await openTrouble(stayQuiet)
    const work = manilla.virtualAccounts.create(order, { timeoutMs: 20, maxRetries: 1 })
    await expect(work).rejects.toThrow(/^No answer from .* within 20 ms\.$/)
    expect(received.length).toBeLessThanOrEqual(2)
  })

  test('who aborts gets the abort reason, and nothing more is sent', async () => {
    const stop = new AbortController()
    const reason = new Error('The customer left')
    const { manilla, received } = await openTrouble(() => stop.abort(reason))
    const work = manilla.virtualAccounts.create(order, { signal: stop.signal })
    await expect(work).rejects.toBe(reason)
    await expect(manilla.balances.list({}, { signal: stop.signal })).rejects.toBe(reason)
    expect(received).toHaveLength(1)
  })

  test('who aborts between attempts does not wait', async () => {
    const stop = new AbortController()
    const patience = say(503, { code: 'internal_error', message: 'No.' }, { 'retry-after': '29' })
    const { manilla, received } = await openTrouble((response) => {
      patience(response)
      response.on('close', () => setTimeout(() => stop.abort(), 50))
    })
    await expect(manilla.balances.list({}, { signal: stop.signal })).rejects.toThrow('aborted')
    expect(received).toHaveLength(1)
  })
})

// The service runs the request and its answer is lost, three times. The caller must get the answer
// to the first attempt, and there must be one account.
test('lost answers never create a second account', async () => {
  const service = await openWithBank()
  let lost = 0
  const baseUrl = await openRoad(service.url, () => {
    lost += 1
    return lost <= 3
  })
  const manilla = new Manilla(service.merchant.test.secret, { baseUrl })
  const account = await manilla.virtualAccounts.create(order)
  expect(lost).toBe(4)
  const { items } = await manilla.virtualAccounts.list({ merchantReference: 'order-1' }).page()
  expect(items).toEqual([account])
})

/** A proxy that drops the first answers. */
async function openRoad(target: string, isLost: () => boolean): Promise<string> {
  const carry = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
    const body = Buffer.concat(chunks)
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    })
    const text = await answer.text()
    if (isLost()) response.destroy()
    else response.writeHead(answer.status).end(text)
  }
  const server = createServer((request, response) => void carry(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// Eight requests at once where the limit is four. All succeed by waiting for Retry-After; the clock
// advances with every refusal.
test('waits for the rate limit', async () => {
  const service = await openManilla({ rateLimitPerSecond: 4 })
  let refused = 0
  const watch = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init)
    if (answer.status !== 429) return answer
    refused += 1
    service.clock.advance(500)
    return answer
  }
  const { secret } = service.merchant.test
  const manilla = new Manilla(secret, { baseUrl: service.url, fetch: watch, maxRetries: 9 })
  const answers = await Promise.all(Array.from({ length: 8 }, () => manilla.balances.list()))
  expect(answers).toHaveLength(8)
  expect(refused).toBeGreaterThan(0)
})

describe('how long to wait', () => {
  const failed = (retryAfterMs?: number) =>
    new ManillaError({ code: 'internal_error', message: 'No.', status: 503, retryAfterMs })

  test('doubles up to a maximum, with jitter', () => {
    const waits = (random: number) =>
      [0, 1, 2, 5, 30].map((retries) => waitBeforeRetry(failed(), retries, random))
    expect(waits(1)).toEqual([500, 1_000, 2_000, 8_000, 8_000])
    expect(waits(0)).toEqual([250, 500, 1_000, 4_000, 4_000])
  })

  test('is at least Retry-After, and no retry if that is too long', () => {
    expect(waitBeforeRetry(failed(5_000), 0, 0)).toBe(5_000)
    expect(waitBeforeRetry(failed(30_001), 0, 0)).toBeUndefined()
  })

  test('accepts Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-01-05T09:00:00Z')
    expect(readRetryAfter('3', now)).toBe(3_000)
    expect(readRetryAfter('Mon, 05 Jan 2026 09:00:07 GMT', now)).toBe(7_000)
    expect(readRetryAfter('Mon, 05 Jan 2026 08:00:00 GMT', now)).toBe(0)
    expect([readRetryAfter('soon', now), readRetryAfter(null, now)]).toEqual([undefined, undefined])
  })

  test('has a readable reason', () => {
    expect(whyRetry(failed())).toBe('the service is unavailable')
  })
})
