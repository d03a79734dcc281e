import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import { openScreening } from '../../../src/rails/screening/open-screening.js'
import { screeningLimits } from '../../../src/screening/limits.js'
import type { ScreeningSubject } from '../../../src/screening/ports.js'
import { manualClock } from '../../support/clock.js'

const secret = 'a-secret-of-thirty-two-characters'
const listFile = 'docs/operating/screening-sample.jsonl'

type Answer = (response: ServerResponse, subjects: ScreeningSubject[]) => void

async function openProvider(
  answer: Answer,
  { listFile: file }: { listFile?: string | undefined } = {},
) {
  const requests: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    requests.push({ headers: request.headers, body })
    answer(response, JSON.parse(body).subjects)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/screen`
  const clock = manualClock(new Date('2026-11-19T09:00:00.000Z'))
  const screening = await openScreening(
    { listFile: file, provider: { url, secret: new Secret(secret) } },
    { clock, logger: createLogger('silent'), timeoutMs: 300 },
  )
  onTestFinished(async () => {
    screening!.stop()
    server.closeAllConnections()
    server.close()
  })
  return { screening: screening!, requests, clock, url }
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Reports every name with "Bad" in it. */
const judge: Answer = (response, subjects) =>
  json(response, {
    list: 'Provider',
    version: '42',
    verdicts: subjects.map(({ value }) =>
      value.includes('Bad') ? { verdict: 'hit', entry: 'P-1' } : { verdict: 'clear' },
    ),
  })

const name = (value: string) => ({ kind: 'name', value, mode: 'live' }) as const

describe('the HTTP hook', () => {
  test('signs requests and reads verdicts in order, also over several requests', async () => {
    const { screening, requests } = await openProvider(judge)
    const count = screeningLimits.subjectsPerRequestMax + 1
    const subjects = Array.from({ length: count }, (_, index) =>
      name(index === count - 1 ? 'Bad Last' : `Payer ${index}`),
    )
    const verdicts = await screening.screen(subjects)
    expect(verdicts).toHaveLength(count)
    expect(verdicts[0]).toEqual({ verdict: 'clear', list: 'Provider', version: '42' })
    expect(verdicts.at(-1)).toEqual({
      verdict: 'hit',
      list: 'Provider',
      version: '42',
      entry: 'P-1',
    })
    expect(requests).toHaveLength(2)
    const { headers, body } = requests[1]!
    expect(JSON.parse(body)).toEqual({ subjects: [name('Bad Last')] })
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
    )
  })

  const verdicts = [{ verdict: 'clear' }]
  const odd: [string, Answer][] = [
    ['a status', (response) => json(response, {}, 503)],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://a.test/' }).end()],
    ['no JSON', (response) => response.end('<html>')],
    ['null', (response) => json(response, null)],
    ['no version', (response) => json(response, { list: 'P', verdicts })],
    ['a long version', (response) => json(response, { list: 'P', version: 'v'.repeat(999) })],
    ['too few verdicts', (response) => json(response, { list: 'P', version: '1', verdicts: [] })],
    [
      'too many verdicts',
      (response) =>
        json(response, { list: 'P', version: '1', verdicts: [...verdicts, ...verdicts] }),
    ],
    [
      'another verdict',
      (response) => json(response, { list: 'P', version: '1', verdicts: [{ verdict: 'ok' }] }),
    ],
    [
      'a hit without an entry',
      (response) => json(response, { list: 'P', version: '1', verdicts: [{ verdict: 'hit' }] }),
    ],
    [
      'null as verdict',
      (response) => json(response, { list: 'P', version: '1', verdicts: [null] }),
    ],
    ['a long answer', (response) => response.end('x'.repeat(screeningLimits.answerBytesMax + 1))],
    ['a closed connection', (response) => response.destroy()],
    ['silence', () => {}],
  ]
  test.each(odd)('%s is unknown', async (_, answer) => {
    const { screening } = await openProvider(answer)
    const [verdict] = await screening.screen([name('Ada Obi')])
    expect(verdict).toEqual({ verdict: 'unknown', why: expect.any(String) })
    expect(JSON.stringify(verdict)).not.toContain('127.0.0.1')
  })

  test('after a failure, subjects are unknown at once for some seconds', async () => {
    let isSilent = true
    const { screening, requests, clock } = await openProvider((response, subjects) => {
      if (isSilent) response.destroy()
      else judge(response, subjects)
    })
    await screening.screen([name('Ada Obi')])
    isSilent = false
    expect(await screening.screen([name('Ada Obi')])).toEqual([
      { verdict: 'unknown', why: 'the provider failed moments ago' },
    ])
    expect(requests).toHaveLength(1)
    clock.advance(screeningLimits.pauseAfterFailureMs)
    expect((await screening.screen([name('Ada Obi')]))[0]!.verdict).toBe('clear')
  })

  test('with a list file, the file decides first and the provider does not learn its hits', async () => {
    const { screening, requests } = await openProvider(judge, { listFile })
    const found = await screening.screen([
      name('Sanctioned, John Q'),
      name('Ada Obi'),
      name('Bad Payer'),
    ])
    expect(found.map(({ verdict }) => verdict)).toEqual(['hit', 'clear', 'hit'])
    expect(found[1]).toMatchObject({ list: 'Made-up sample + Provider' })
    expect(JSON.parse(requests[0]!.body).subjects).toEqual([name('Ada Obi'), name('Bad Payer')])
    // Memory alone never clears a name that a provider has to see.
    expect(screening.screenNow(name('Ada Obi')).verdict).toBe('unknown')
    expect(screening.screenNow(name('Sanctioned, John Q')).verdict).toBe('hit')
    expect(screening.state()).toMatchObject({
      list: { source: 'Made-up sample', entries: 3, problem: null },
      provider: expect.stringContaining('127.0.0.1'),
    })
  })
})

test('a list file alone needs no network, and without either nothing is screened', async () => {
  const dependencies = {
    clock: manualClock(new Date('2026-11-19T09:00:00.000Z')),
    logger: createLogger('silent'),
  }
  const screening = await openScreening({ listFile, provider: undefined }, dependencies)
  onTestFinished(() => screening!.stop())
  expect(screening!.asksProvider).toBe(false)
  expect(screening!.screenNow(name('Ada Obi')).verdict).toBe('clear')
  expect((await screening!.screen([name('B.E.T. Limited')]))[0]!.verdict).toBe('hit')
  expect(
    await openScreening({ listFile: undefined, provider: undefined }, dependencies),
  ).toBeUndefined()
})
