import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { noFaults } from '../../../emulators/faults.js'
import { serveProvider } from '../../../emulators/http-server.js'
import { limits } from '../../../src/base/limits.js'
import { ProviderClient, Unknown } from '../../../src/rails/bank/provider-client.js'
import { manualClock } from '../../support/clock.js'

const faults = noFaults()
let calls = 0
let answer: { status: number; body: string } | 'lost' = { status: 200, body: '{}' }
const waiting: (() => void)[] = []
let isHeld = false
let lostFirst = 0

const server = await serveProvider({
  port: 0,
  faults,
  routes: { 'GET /thing': answerThing, 'POST /thing': answerThing },
  notFound: { status: 404, body: '{"missing":true}' },
})
afterAll(() => server.close())

async function answerThing() {
  calls += 1
  if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve))
  if (calls <= lostFirst) return 'lost' as const
  return answer
}

const clock = manualClock()
const lines: string[] = []
const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
let client = newClient()

function newClient(): ProviderClient {
  return new ProviderClient({ name: 'paystack', url: server.url, clock, logger })
}

const headers = { authorization: 'Bearer sk_live_verysecret' }
const late = { method: 'GET', path: '/thing', headers } as const
const early = { ...late, isEarly: true } as const

beforeEach(() => {
  client = newClient()
  calls = 0
  answer = { status: 200, body: '{}' }
  Object.assign(faults, noFaults())
  isHeld = false
  lostFirst = 0
})

it('returns answers below 500, with numbers as texts', async () => {
  answer = { status: 400, body: '{"amount":26.875,"id":9007199254740993}' }
  const expected = { status: 400, body: { amount: '26.875', id: '9007199254740993' } }
  expect(await client.call(late)).toEqual(expected)
})

describe('is unknown', () => {
  it.each([
    ['5xx', { status: 503, body: '{}' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['a lost answer', 'lost'],
    ['a redirect, which could carry the key elsewhere', { status: 302, body: '{}' }],
  ] as const)('with %s', async (_, given) => {
    answer = given
    await expect(client.call(late)).rejects.toBeInstanceOf(Unknown)
  })
})

describe('when the provider closes the connection instead of answering', () => {
  it('makes a query again, once', async () => {
    lostFirst = 1
    expect(await client.call(late)).toEqual({ status: 200, body: {} })
    expect(calls).toBe(2)
    lostFirst = Number.POSITIVE_INFINITY
    await expect(client.call(late)).rejects.toBeInstanceOf(Unknown)
    expect(calls).toBe(4)
  })

  it('never makes a request again that may have moved money', async () => {
    lostFirst = 1
    const post = { ...late, method: 'POST', body: {} } as const
    await expect(client.call(post)).rejects.toBeInstanceOf(Unknown)
    expect(calls).toBe(1)
  })
})

describe('after calls without an answer', () => {
  async function fail(): Promise<void> {
    faults.down = 'refused'
    for (let failure = 0; failure < limits.banks.failuresUntilDown; failure += 1)
      await expect(client.call(late)).rejects.toBeInstanceOf(Unknown)
    expect(client.isDown).toBe(true)
  }

  it('refuses early calls at once, and calls for the others', async () => {
    await fail()
    faults.down = 'no'
    await expect(client.call(early)).rejects.toThrow('the provider is down')
    expect(calls).toBe(0)
    await client.call(late)
    expect(calls).toBe(1)
  })

  it('works again after any answer', async () => {
    await fail()
    faults.down = 'no'
    await client.call(late)
    expect(client.isDown).toBe(false)
    await client.call(early)
    expect(calls).toBe(2)
  })

  it('tries one early call after a pause', async () => {
    await fail()
    faults.down = 'no'
    clock.advance(limits.banks.probeIntervalMs)
    await client.call(early)
    expect(client.isDown).toBe(false)
  })

  it('lets only one early call try', async () => {
    await fail()
    clock.advance(limits.banks.probeIntervalMs)
    const tries = [client.call(early), client.call(early), client.call(early)]
    const results = await Promise.allSettled(tries)
    const refused = results.filter(
      (one) => one.status === 'rejected' && String(one.reason).includes('is down'),
    )
    expect(refused).toHaveLength(2)
  })

  it('logs what happened, without the key', async () => {
    await fail()
    expect(lines.join()).toContain('bank does not answer')
    expect(lines.join()).not.toContain('verysecret')
  })
})

it('bounds the calls under way, and keeps early calls apart from polls', async () => {
  isHeld = true
  const { callsInFlightMax, callsWaitingMax } = limits.banks
  const polls = Array.from({ length: callsInFlightMax + callsWaitingMax }, () => client.call(late))
  await expect(client.call(late)).rejects.toThrow('too many calls are waiting')
  const request = client.call(early)
  await expect.poll(() => calls).toBe(callsInFlightMax + 1)
  isHeld = false
  for (const resolve of waiting.splice(0)) resolve()
  await Promise.all([...polls, request])
  expect(calls).toBe(callsInFlightMax + callsWaitingMax + 1)
})
