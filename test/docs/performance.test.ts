import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error the benchmarks are plain JavaScript
import { findRegressions } from '../../bench/compare.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { drawFlame } from '../../bench/flame.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { growthPerHour, judgeMemory, judgeQueue } from '../../bench/growth.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { addHistograms, percentileOf, toHistogram } from '../../bench/histogram.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { renderChart, renderPage } from '../../bench/render.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { sumStatements, sumSteps } from '../../bench/steps.mjs'
import { randomOf } from '../support/seed.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the performance page and its chart show the published run', () => {
  const published = JSON.parse(read('bench/published.json'))
  const before = JSON.parse(read('bench/before.json'))
  expect(read('docs/operating/performance.md')).toBe(renderPage(published, before))
  expect(read('docs/operating/performance.svg')).toBe(renderChart(published))
})

test('the guard names paths that need over 10 % more time', () => {
  const baseline = [
    { key: 'fund', api: 400, postgres: 100, bare: 100 },
    { key: 'crypto', api: 800, postgres: 200, bare: 100 },
  ]
  const regressionsOf = (rows: object[]) =>
    findRegressions(baseline, rows)
      .compared.filter(({ isRegression }: { isRegression: boolean }) => isRegression)
      .map(({ key, role }: { key: string; role: string }) => `${key} ${role}`)

  expect(regressionsOf([{ key: 'fund', api: 430, postgres: 109, bare: 100 }])).toEqual([])
  expect(regressionsOf([{ key: 'fund', api: 450, postgres: 100, bare: 100 }])).toEqual(['fund api'])
  // A machine of half the speed takes twice the time everywhere.
  expect(
    regressionsOf([
      { key: 'fund', api: 800, postgres: 200, bare: 200 },
      { key: 'crypto', api: 1_600, postgres: 450, bare: 200 },
    ]),
  ).toEqual(['crypto postgres'])
})

// One second: half of it idle, a ledger write that creation called, and a frame too short to show.
const frame = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
})
const profile = {
  nodes: [
    frame(1, '(root)', '', [2, 3, 6]),
    frame(2, '(idle)', ''),
    frame(3, 'createPayouts', 'payouts/requests/create-payouts.js', [4, 5]),
    frame(4, 'move', 'ledger/move.js'),
    frame(5, 'write', 'postgres/wire/messages.js'),
    frame(6, 'tiny', 'node:net'),
  ],
  samples: [2, 4, 5, 6],
  timeDeltas: [500_000, 300_000, 199_500, 500],
  lives: 1_000,
}

test('time belongs to the innermost step on the stack', () => {
  expect(sumSteps(profile)).toEqual({ ledger: 300_000, create: 199_500, other: 500 })
  expect(
    sumStatements([
      { name: 'finish_payouts', us: 5 },
      { name: 'end_payout_attempts', us: 2 },
      { name: 'insert_payouts', us: 3 },
      { name: 'select 1', us: 1 },
    ]),
  ).toEqual({ conclude: 7, create: 3, other: 1 })
})

test('a flame graph leaves out idle time and what is too short to see', () => {
  const graph = drawFlame(profile, 'A life')
  expect(graph).toContain('A life: 500 µs of Node per life')
  expect(graph).toContain('<title>move ledger/move.js: 60.0 %</title>')
  expect(graph).not.toMatch(/idle|tiny/)
})

// An hour, sampled every 10 seconds, with noise that is larger than the growth between two samples.
const samplesOf = (valueAt: (seconds: number) => number) =>
  Array.from({ length: 361 }, (_, index) => ({
    atSeconds: index * 10,
    value: valueAt(index * 10) + (index % 2) * 8,
  }))

test('memory grows if a line through the samples after warm-up rises', () => {
  const leak = judgeMemory(samplesOf((seconds) => 300 + seconds / 100))
  expect(leak.isGrowing).toBe(true)
  expect(leak.perHour).toBeCloseTo(36, 0)
  expect(leak.max).toBe(343.9)
  const filledAtFirst = judgeMemory(samplesOf((seconds) => Math.min(300, 100 + seconds)))
  expect(filledAtFirst.isGrowing).toBe(false)
  expect(filledAtFirst.perHour).toBeCloseTo(0, 0)
})

const growsWith = (lengthAt: (index: number) => number) =>
  judgeQueue(
    Array.from({ length: 360 }, (_, index) => ({ atSeconds: index * 10, value: lengthAt(index) })),
    500,
  ).isGrowing

test('a queue grows if more waits in it than arrives in a second', () => {
  // Of 500 that arrive in a second, one is left over.
  expect(growsWith((index) => index * 10)).toBe(true)
  expect(growsWith((index) => (index % 7) * 400)).toBe(false)
  expect(growsWith((index) => (index < 300 ? 0 : 450))).toBe(false)
  expect(growsWith((index) => (index < 300 ? 0 : (index - 300) * 100))).toBe(true)
})

test('a queue grows if its slope is more than its ups and downs explain', () => {
  const random = randomOf(35)
  const noise = () => random.integer(0, 60)
  // One row in a minute is never taken.
  expect(growsWith((index) => index / 6 + random.integer(0, 10))).toBe(true)
  expect(growsWith(noise)).toBe(false)
  expect(growsWith((index) => 100 + 40 * Math.sin(index / 9) + noise())).toBe(false)
  expect(growsWith((index) => (index === 350 ? 400 : 0))).toBe(false)
  // It fills at first and stays so.
  expect(growsWith((index) => Math.min(index * 20, 2_000) + noise())).toBe(false)
})

test('percentiles of added histograms are those of all latencies, up to a hundredth', () => {
  const slowMinute = Array.from({ length: 100 }, (_, index) => 100 + index)
  const quickMinute = Array.from({ length: 9_900 }, () => 2)
  const sum = addHistograms([toHistogram(slowMinute), toHistogram(quickMinute)])
  expect(percentileOf(sum, 0.5) / 2).toBeCloseTo(1, 1)
  expect(percentileOf(sum, 0.99) / 2).toBeCloseTo(1, 1)
  expect(percentileOf(sum, 0.995) / 149).toBeCloseTo(1, 1)
  expect(percentileOf({}, 0.99)).toBe(0)
})

test('growth is per hour, largest first, without tables and indexes that stayed', () => {
  const table = (name: string, bytes: number, rows: number) => ({
    kind: 'table',
    name,
    bytes,
    rows,
  })
  const index = (name: string, bytes: number) => ({ kind: 'index', name, bytes, rows: null })
  const before = [table('events', 10, 1), table('payouts', 0, 0), index('payouts_due', 8)]
  const after = [table('events', 20, 3), table('payouts', 20, 5), index('payouts_due', 24)]
  const stayed = [table('users', 8, 1), index('users_email', 8)]
  expect(growthPerHour([...before, ...stayed], [...after, ...stayed], 1_800)).toEqual([
    table('payouts', 40, 10),
    index('payouts_due', 32),
    table('events', 20, 4),
  ])
})
