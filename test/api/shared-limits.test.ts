import { describe, expect, test } from 'vitest'
import { streamLimits } from '../../src/api/limits.js'
import { createRateLimit } from '../../src/api/server/rate-limit.js'
import { createGrants, SharedStreams } from '../../src/api/server/shared-limits.js'
import { manualClock } from '../support/clock.js'

/** Limits that the API processes of one service share. */

const processes = 4

function openLimits(perSecond: number) {
  const clock = manualClock()
  const grant = createGrants(perSecond, processes, clock)
  let claims = 0
  const shared = {
    async claim(_policy: string, name: string | number) {
      claims += 1
      return grant(name)
    },
  }
  const each = Array.from({ length: processes }, () =>
    createRateLimit('environment', { max: perSecond, clock, shared }),
  )
  /** Sends so many requests at once, the nth to the process that `choose` names. */
  async function countAllowed(count: number, choose: (n: number) => number): Promise<number> {
    const answers = Array.from({ length: count }, (_, n) => each[choose(n)]!('env'))
    return (await Promise.all(answers)).filter(({ isAllowed }) => isAllowed).length
  }
  return { clock, each, countAllowed, claims: () => claims }
}

describe('requests per second', () => {
  test.each([1, 20, 2_000])('%i are allowed, however they are spread', async (perSecond) => {
    const { clock, countAllowed } = openLimits(perSecond)
    for (const choose of [() => 0, (n: number) => n % processes, (n: number) => (n % 9) % 2]) {
      expect(await countAllowed(perSecond * 2 + 10, choose)).toBe(perSecond)
      expect(await countAllowed(10, choose)).toBe(0)
      clock.advance(1_000)
    }
  })

  test('processes that become idle hold back less than a tenth', async () => {
    const { countAllowed } = openLimits(2_000)
    expect(await countAllowed(3, (n) => n)).toBe(3)
    const allowed = await countAllowed(3_000, () => 3)
    expect(allowed).toBeLessThanOrEqual(1_997)
    expect(allowed).toBeGreaterThan(1_800)
  })

  test('most requests need no claim, and refused ones none', async () => {
    const { countAllowed, claims } = openLimits(2_000)
    await countAllowed(1_000, (n) => n % processes)
    expect(claims()).toBeLessThan(100)
    await countAllowed(3_000, (n) => n % processes)
    const before = claims()
    await countAllowed(1_000, (n) => n % processes)
    expect(claims()).toBe(before)
  })

  test('headers name the shared limit and what remains of it', async () => {
    const { each } = openLimits(3)
    const answers = [await each[0]!('env'), await each[1]!('env'), await each[2]!('env')]
    expect(answers.map(({ headers }) => headers.ratelimit)).toEqual([
      '"environment";r=2;t=1',
      '"environment";r=1;t=1',
      '"environment";r=0;t=1',
    ])
    const refused = await each[3]!('env')
    expect(refused.isAllowed).toBe(false)
    expect(refused.headers).toEqual({
      ratelimit: '"environment";r=0;t=1',
      'ratelimit-policy': '"environment";q=3;w=1',
      'retry-after': '1',
    })
    expect((await each[3]!('other')).isAllowed).toBe(true)
  })
})

test('streams are counted over all processes and freed with their process', () => {
  const streams = new SharedStreams()
  const { perSessionMax, perNetworkMax } = streamLimits
  const place = (session: number, network = 'a') => ({ reference: `cs_${session}`, network })
  for (let n = 0; n < perSessionMax; n += 1)
    expect(streams.take(n % 2, place(0, `${n}`))).toBe(true)
  expect(streams.take(0, place(0, 'z'))).toBe(false)
  streams.release(1, place(0, '1'))
  expect(streams.take(0, place(0, 'z'))).toBe(true)

  for (let n = 1; n <= perNetworkMax; n += 1) expect(streams.take(n % 2, place(n))).toBe(true)
  expect(streams.take(0, place(99))).toBe(false)
  streams.drop(1)
  expect(streams.take(0, place(99))).toBe(true)
})
