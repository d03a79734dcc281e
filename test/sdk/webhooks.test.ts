import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { Manilla, verifyWebhook, WebhookError } from '../../sdk/src/manilla.js'
import {
  makeSecret,
  makeSigningKey,
  readSecret,
  readSigningKey,
  signMessage,
} from '../../src/webhooks/deliveries/signing.js'
import { startDeliverer } from '../support/deliverer.js'
import { openManilla } from '../support/open-manilla.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'

/** Signed by the service, verified by the SDK. */

const secret = makeSecret().reveal()
const { signingKey, publicKey } = makeSigningKey()
const now = new Date('2026-01-05T09:00:00Z')
const timestamp = now.getTime() / 1_000
const body = JSON.stringify({
  id: 'evt_1',
  type: 'payment.held',
  timestamp: now.toISOString(),
  mode: 'test',
  sequence: 1,
  data: { reference: 'pay_1', narration: 'Àṣẹ, ₦5,000 for Ada' },
})

function sign(text: string, { id = 'evt_1', at = timestamp, by = secret } = {}) {
  const keys = { secrets: [readSecret(by)], privateKey: readSigningKey(signingKey.reveal()) }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signMessage(keys, { id, timestamp: at, body: text }),
  }
}

async function problemOf(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.catch((thrown) => thrown)
  expect(error).toBeInstanceOf(WebhookError)
  const { problem, message } = error as WebhookError
  return [problem, message]
}

describe('a genuine webhook', () => {
  const headers = sign(body)

  test.each([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', Uint8Array.from(Buffer.from(body)).buffer],
  ])('is believed as %s, by secret and by public key', async (_, raw) => {
    for (const by of [secret, publicKey])
      expect(await verifyWebhook(raw, headers, by, { now })).toEqual(JSON.parse(body))
  })

  test('accepts headers in any form', async () => {
    const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])
    const forms = [new Headers(headers), new Map(Object.entries(headers))]
    for (const form of [...forms, Object.fromEntries(shouted)])
      expect((await verifyWebhook(body, form, secret, { now })).id).toBe('evt_1')
  })

  test('accepts one valid signature among several', async () => {
    const old = sign(body, { by: makeSecret().reveal() })['webhook-signature']
    const both = { ...headers, 'webhook-signature': `${old} ${headers['webhook-signature']}` }
    expect((await verifyWebhook(body, both, secret, { now })).id).toBe('evt_1')
  })

  test('accepts any Standard Webhooks signature', async () => {
    const signature = new Webhook(secret).sign('evt_1', now, body)
    const theirs = { ...headers, 'webhook-signature': signature }
    expect((await verifyWebhook(body, theirs, secret, { now })).type).toBe('payment.held')
  })
})

describe('the error names the problem', () => {
  const headers = sign(body)
  const verify = (raw: unknown, heads: object = headers, by: unknown = secret, at: Date = now) =>
    problemOf(verifyWebhook(raw as string, heads as Headers, by as string, { now: at }))

  test('the body was parsed', async () => {
    const [problem, message] = await verify(JSON.parse(body))
    expect([problem, message]).toEqual(['body_parsed', expect.stringContaining('express.raw(')])
    expect((await verify(undefined))[0]).toBe('body_parsed')
  })

  test('headers are missing', async () => {
    const { 'webhook-id': _, ...rest } = headers
    const [problem, message] = await verify(body, rest)
    expect([problem, message]).toEqual([
      'headers_missing',
      expect.stringMatching(/no webhook-id\./),
    ])
    expect((await verify(body, {}))[1]).toContain('no webhook-id, no webhook-timestamp')
  })

  test.each([
    [null, 'is missing. Is the variable set?'],
    ['', 'is empty'],
    [`${secret}\n`, 'whitespace around it'],
    ['sk_test_abc', 'is an API key'],
    ['we_01hx', 'is an endpoint id'],
    [secret.slice('whsec_'.length), 'must start with whsec_'],
    ['whsec_abc', 'is incomplete'],
    [publicKey.slice(0, -4), 'is incomplete'],
    ['whsec_!!!!', 'is not a valid key'],
  ])('the secret is %j', async (given, message) => {
    expect(await verify(body, headers, given)).toEqual([
      'secret_malformed',
      expect.stringContaining(message),
    ])
  })

  test.each([
    ['parsed and serialized again', JSON.stringify(JSON.parse(body), null, 2)],
    ['whitespace was added', `${body}\n`],
    ['read as Latin-1', Buffer.from(body).toString('latin1')],
    ['not complete JSON', body.slice(0, -10)],
    ['is empty', ''],
    ['to another event', body.replace('evt_1', 'evt_2')],
  ])('the body was changed: %s', async (how, changed) => {
    for (const by of [secret, publicKey]) {
      const result = await verify(changed, headers, by)
      expect(result).toEqual(['body_changed', expect.stringContaining(how)])
    }
  })

  test('the secret is that of another endpoint', async () => {
    for (const other of [makeSecret().reveal(), makeSigningKey().publicKey]) {
      const [problem, message] = await verify(body, headers, other)
      expect([problem, message]).toEqual([
        'signature_mismatch',
        expect.stringContaining('another secret'),
      ])
    }
  })

  test('the amount was changed on the way', async () => {
    const [problem] = await verify(body.replace('5,000', '9,000'))
    expect(problem).toBe('signature_mismatch')
  })

  test.each(['v2,abc', 'v1', 'nonsense', 'v1a,abc'])('the signature is %j', async (signature) => {
    const [problem, message] = await verify(body, { ...headers, 'webhook-signature': signature })
    expect([problem, message]).toEqual(['signature_mismatch', expect.stringContaining('no v1')])
  })

  test('too old or too new, with the difference and the clock to check', async () => {
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
    expect(await verify(body, headers, secret, later(301))).toEqual([
      'too_old',
      expect.stringMatching(/sent 301 s ago; at most 300 s is allowed.*your clock is fast/),
    ])
    expect(await verify(body, headers, secret, later(-420))).toEqual([
      'too_new',
      expect.stringMatching(/420 s ahead of your clock.*Your clock is slow/),
    ])
    const patient = { now: later(301), toleranceMs: 600_000 }
    expect((await verifyWebhook(body, headers, secret, patient)).id).toBe('evt_1')
  })

  test('the tolerance is not a number', async () => {
    const forgotten = { now, toleranceMs: Number(undefined) }
    await expect(verifyWebhook(body, headers, secret, forgotten)).rejects.toThrow(TypeError)
    const unset = { now: Number.NaN }
    await expect(verifyWebhook(body, headers, secret, unset)).rejects.toThrow(TypeError)
  })

  test('signed, but not JSON', async () => {
    const [problem] = await verify('not json', sign('not json'))
    expect(problem).toBe('body_changed')
  })

  test('the timestamp is not a number', async () => {
    const odd = sign(body, { at: 'soon' as unknown as number })
    expect(await verify(body, odd)).toEqual([
      'headers_missing',
      expect.stringContaining('no webhook-timestamp'),
    ])
  })
})

test('verifies what the service really sends', async () => {
  const service = await openManilla()
  startDeliverer(service.db, { seal: service.seal })
  const { received, url } = await openReceiver()
  const manilla = new Manilla(service.merchant.test.secret, { baseUrl: service.url })
  const endpoint = await manilla.webhookEndpoints.create({ url })
  const { eventId } = await manilla.webhookEndpoints.test(endpoint.id)
  await until(() => received.length === 1)
  const [{ body: raw, headers }] = received as [(typeof received)[0]]
  for (const by of [endpoint.secret, endpoint.publicKey]) {
    const event = await manilla.webhooks.verify(raw, headers, by)
    expect(event).toEqual(await manilla.events.get(eventId))
    // The type narrows the data for the compiler, too.
    if (event.type === 'webhook_endpoint.test') expect(event.data.url).toBe(endpoint.url)
    else expect.unreachable()
  }
})
