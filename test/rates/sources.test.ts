import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { minute, second } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { readRateSources } from '../../src/base/rate-sources.js'
import { createHttpSource } from '../../src/rails/rates/http-source.js'
import { readRates } from '../../src/rates/read-rates.js'
import { openManilla, whenDone } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

/** A source on loopback that answers what a test sets. */
async function openPlace() {
  const place = {
    answer: '{}',
    /** Instead of the answer. */
    listener: undefined as RequestListener | undefined,
    headers: {} as IncomingHttpHeaders,
    url: '',
  }
  const server = createServer((request, response) => {
    place.headers = request.headers
    if (place.listener) place.listener(request, response)
    else response.end(place.answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rate?key=in-the-url`
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  return place
}

const [a, b, c, lone] = [await openPlace(), await openPlace(), await openPlace(), await openPlace()]
const pair = { asset: 'USDC', buy: '/data/0/buy', sell: '/data/0/sell' }
const sources = readRateSources(
  JSON.stringify([
    { name: 'a', ...pair, url: a.url },
    { name: 'b', ...pair, url: b.url, keyHeader: 'X-Api-Key', keyVariable: 'RATE_KEY_B' },
    { name: 'c', ...pair, url: c.url },
    {
      name: 'lone',
      asset: 'USDT',
      url: lone.url,
      rate: '/rate',
      marginBasisPoints: 50,
      time: '/at',
    },
  ]),
  { RATE_KEY_B: 'key-of-b' },
)
const config = { sources, maxAgeMs: 5 * minute, maxDeviationPercent: 5 }
const service = await openManilla({ rates: config })
const { db, clock, logger, log, merchant } = service
const opened = sources.map((source) => createHttpSource(source, { clock, timeoutMs: 2_000 }))
const newOperator = () => addPerson(service, { isOperator: true, name: 'Ada Operator' })
let ada = await newOperator()

const setAll = (...rates: [number | string, number | string][]) => {
  const places = [a, b, c]
  for (const [index, [buy, sell]] of rates.entries())
    places[index]!.answer = `{"data":[{"buy":${buy},"sell":"${sell}"}]}`
}
const setLone = (rate: string, at = clock.now().toISOString()) => {
  lone.listener = undefined
  lone.answer = `{"rate":${rate},"at":${JSON.stringify(at)}}`
}

/** One poll, half a minute after the last one. Returns the problems that it logged. */
async function poll(): Promise<string[]> {
  clock.advance(limits.rates.pollIntervalMs)
  const from = log.length
  await readRates({ db, sources: opened, bounds: config, logger }, clock.now())
  const lines = log.slice(from).map((line) => JSON.parse(line) as { problems?: string[] })
  return lines.flatMap(({ problems = [] }) => problems)
}

const key = merchant.live.secret
const rates = async () =>
  Object.fromEntries(
    (await service.ask('GET', '/v1/rates', { key })).json.data.items.map(
      (one: { asset: string; buy: string; sell: string }) => [one.asset, [one.buy, one.sell]],
    ),
  )
const quote = (to: 'USDC' | 'USDT') =>
  service.ask('POST', '/v1/conversions/quotes', {
    key,
    body: { from: 'NGN', to, amount: 16_000_000 },
  })
const view = async (asset: string) => {
  const reply = await ada.ask('GET', '/operator/v1/rates')
  return reply.json.data.items.find((one: { asset: string }) => one.asset === asset)
}
const doctor = async () => {
  clock.advance(limits.operator.doctorCacheMs)
  const { checks } = (await ada.ask('GET', '/operator/v1/doctor')).json.data
  return checks
    .filter(({ check }: { check: string }) => check === 'Rates')
    .map(({ state, message }: Record<string, string>) => `${state}: ${message}`)
}

describe('rates of sources', () => {
  test('are the median of all, exactly as written, and price quotes', async () => {
    setAll(['1580.123456789', '1600.000000001'], [1_590, 1_610], ['1.585e3', '1605'])
    setLone('1590.333333333333333333')
    expect(await poll()).toEqual([])
    expect(await rates()).toEqual({
      USDC: ['1585', '1605'],
      USDT: ['1582.381666', '1598.285'],
    })
    expect((await quote('USDC')).json.data).toMatchObject({
      rate: '1605',
      targetAmount: '99.190031',
    })
    expect(await view('USDC')).toMatchObject({
      rate: { origin: 'sources', givenBy: 'a, b, c' },
      isMissing: false,
      sources: [{ source: 'a', buy: '1580.123456', sell: '1600.000001', problem: null }, {}, {}],
    })
    expect(await doctor()).toEqual(['ok: USDC and USDT have a rate'])
  })

  test('are not stored again while they stay the same, and are read by one worker', async () => {
    const history = async () =>
      (await ada.ask('GET', '/operator/v1/rates/USDC/history')).json.data.items.length
    const before = await history()
    setLone('1590')
    await poll()
    expect(await history()).toBe(before)
    const again = await readRates({ db, sources: opened, bounds: config, logger }, clock.now())
    expect(again).toBe(0)
    for (let polls = 0; polls < 5; polls += 1) await poll()
    expect(await history()).toBe(before + 1)
  })

  test('leave out a source that jumps', async () => {
    setAll([1_580, 1_600], [1_590, 1_610], [158, 160])
    setLone('1590')
    const problems = await poll()
    expect(problems).toEqual(['c (USDC): jumped: from 1585 / 1605 to 158 / 160'])
    // Of two in the middle: the lower buy, the higher sell.
    expect((await rates()).USDC).toEqual(['1580', '1610'])
    expect(await doctor()).toEqual([expect.stringMatching(/^warning: c \(USDC\): jumped/)])
  })
})

type Fault = [name: string, spoil: () => void, problem: string | RegExp]

const answering = (listener: RequestListener) => () => {
  lone.listener = listener
}

const faults: Fault[] = [
  ['an old rate', () => setLone('1590', '2026-01-05T08:00:00Z'), /stale: its rate is from/],
  ['an old rate in seconds', () => setLone('1590', '1767600000'), 'stale: its rate is from 2026'],
  ['a rate of the future', () => setLone('1590', '2099-01-05T08:00:00Z'), 'from the future'],
  ['no time', () => setLone('1590', 'yesterday'), 'not a time: /at is "yesterday"'],
  ['an absurd rate', () => setLone('15900'), /jumped: from 1582\.05 \/ 1597\.95/],
  ['no field', () => (lone.answer = '{"rates":1590}'), 'missing: the answer has no /rate'],
  ['a word', () => setLone('"a lot"'), 'not a number: /rate is "a lot"'],
  ['zero', () => setLone('0'), 'not a number: /rate is "0"'],
  ['a negative rate', () => setLone('-1590'), 'not a number: /rate is "-1590"'],
  ['an object', () => setLone('{}'), 'not a number: /rate is not a single value'],
  ['too large a rate', () => setLone('1e18'), 'not a usable rate'],
  ['no JSON', () => (lone.answer = '<html>'), 'the answer is not JSON'],
  ['an error', answering((_, reply) => reply.writeHead(500).end()), 'answers with status 500'],
  [
    'a redirect',
    answering((_, reply) => reply.writeHead(302, { location: a.url }).end()),
    'redirects (status 302): configure the final address',
  ],
  [
    'a long answer',
    answering((_, reply) => reply.end(`{"rate":1590,"x":"${'x'.repeat(300 * 1_024)}"}`)),
    'the answer is longer than 262144 bytes',
  ],
  ['no answer', answering(() => {}), 'slow: no answer within 2 s'],
  ['half an answer', answering((_, reply) => reply.write('{"rate":')), 'slow: no answer'],
  ['a closed connection', answering(({ socket }) => socket.destroy()), 'cannot be reached'],
]

describe('the only source of a coin', () => {
  test.each(faults)(
    'with %s is not used, and the last rate expires',
    async (_name, spoil, problem) => {
      setLone('1590')
      await poll()
      expect((await rates()).USDT).toEqual(['1582.05', '1597.95'])

      spoil()
      const problems = await poll()
      expect(problems).toEqual(
        expect.arrayContaining([
          expect.stringMatching(
            problem instanceof RegExp
              ? problem
              : new RegExp(`^lone \\(USDT\\): .*${escapePattern(problem)}`),
          ),
          'no source of USDT can be used: its last rate expires',
        ]),
      )
      // The last rate still holds, until it is too old.
      expect((await rates()).USDT).toEqual(['1582.05', '1597.95'])
      expect((await quote('USDT')).status).toBe(201)
      clock.advance(config.maxAgeMs)
      expect((await rates()).USDT).toBeUndefined()
      const refused = await quote('USDT')
      expect([refused.status, refused.json.reason]).toEqual([503, 'rate_unavailable'])
      expect(refused.headers.get('retry-after')).toBe('60')
    },
  )

  test('whose time stands still is used for the bound and two polls, not for twice the bound', async () => {
    setLone('1591')
    const start = clock.now()
    const age = () => clock.now().getTime() - start.getTime()
    while (age() < config.maxAgeMs) {
      await poll()
      expect((await rates()).USDT, `after ${age() / second} s`).toEqual(['1583.045', '1598.955'])
    }
    expect(await poll()).toContainEqual(expect.stringContaining('lone (USDT): stale'))
    clock.advance(limits.rates.pollIntervalMs)
    expect((await rates()).USDT).toBeUndefined()
    expect((await quote('USDT')).json.reason).toBe('rate_unavailable')
  })

  test('alarms while there is no rate, and recovers by itself', async () => {
    lone.listener = () => {}
    await poll()
    // The session of the first one has expired.
    ada = await newOperator()
    expect(await view('USDT')).toMatchObject({ rate: null, isMissing: true, median: null })
    expect(await doctor()).toContain('error: no rate for USDT: live conversions are refused')
    const { rates: health } = (await ada.ask('GET', '/operator/v1/health')).json.data
    expect(health[1]).toMatchObject({ asset: 'USDT', isMissing: true, problems: [{}] })
    const metrics = await service.metrics.registry.metrics()
    expect(metrics).toContain('manilla_rate_missing{asset="USDT"} 1')
    expect(metrics).toContain('manilla_rate_source_problem{source="lone",asset="USDT"} 1')
    expect(metrics).not.toContain('manilla_rate_age_seconds{asset="USDT"}')
    setLone('1590')
    await poll()
    expect((await quote('USDT')).status).toBe(201)
    expect(await service.metrics.registry.metrics()).toContain(
      'manilla_rate_age_seconds{asset="USDT"} 0',
    )
  })
})

describe('sources that contradict each other', () => {
  test('leave the last rate until it expires, and cannot be accepted', async () => {
    const down = (_: unknown, reply: { writeHead(status: number): { end(): void } }) =>
      reply.writeHead(500).end()
    setAll([1_585, 1_605], [1_585, 1_605], [1_585, 1_605])
    await poll()
    ;[a.listener, b.listener] = [down, down]
    setAll([1_585, 1_605], [1_585, 1_605], [1_520, 1_540])
    expect(await poll()).toContain('c (USDC): no other source confirms it')
    expect((await rates()).USDC).toEqual(['1585', '1605'])
    ada = await newOperator()
    expect(await view('USDC')).toMatchObject({ median: null, rate: { buy: '1585' } })
    // As wrong as a source that shows the rate of another pair.
    ;[a.listener, b.listener] = [undefined, down]
    setAll([1_585, 1_605], [1_585, 1_605], [15, 16])
    await poll()
    const seen = { buy: '15', sell: '1605' }
    const refused = await ada.ask('POST', '/operator/v1/rates/USDC/accept', { body: seen })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'Fewer than two sources of USDC agree. Set a rate: manilla rates set USDC',
    ])
    clock.advance(config.maxAgeMs)
    expect((await quote('USDC')).json.reason).toBe('rate_unavailable')
    b.listener = undefined
    await poll()
    expect((await rates()).USDC).toEqual(['1585', '1605'])
  })
})

describe('a real jump', () => {
  test('is used when an operator accepts it', async () => {
    setAll([2_000, 2_020], [2_005, 2_025], [2_010, 2_030])
    setLone('1590')
    expect(await poll()).toHaveLength(4)
    clock.advance(config.maxAgeMs - second)
    await poll()
    expect((await quote('USDC')).json.reason).toBe('rate_unavailable')
    ada = await newOperator()
    const { median } = await view('USDC')
    expect(median).toEqual({ buy: '2005', sell: '2025' })
    const accept = (body: object) => ada.ask('POST', '/operator/v1/rates/USDC/accept', { body })
    const other = await accept({ buy: '1585', sell: '1605' })
    expect([other.status, other.json.message]).toEqual([
      400,
      'The sources changed meanwhile, to 2005 / 2025. Review them again.',
    ])
    expect((await accept(median)).status).toBe(200)
    clock.advance(limits.rates.cacheMs)
    expect((await rates()).USDC).toEqual(['2005', '2025'])
    expect((await poll()).filter((problem) => problem.includes('USDC'))).toEqual([])
    expect((await quote('USDC')).json.data.rate).toBe('2025')
  })
})

test('keys and addresses of sources are sent to them only', () => {
  expect([a, b, c].map(({ headers }) => headers['x-api-key'])).toEqual([
    undefined,
    'key-of-b',
    undefined,
  ])
  const all = log.join('\n')
  for (const secret of ['key-of-b', 'in-the-url']) expect(all).not.toContain(secret)
  expect(JSON.stringify(sources)).not.toContain('key-of-b')
})

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
