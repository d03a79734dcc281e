import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error the benchmarks are plain JavaScript
import { findRegressions } from '../../bench/compare.mjs'
// @ts-expect-error the benchmarks are plain JavaScript
import { renderChart, renderPage } from '../../bench/render.mjs'

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
