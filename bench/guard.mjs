/**
 * npm run bench:guard: measures processor time per request and per life and compares it with baseline.json. Exits
 * with 1 if a path needs over 10 % more. `--update` writes the baseline instead.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { findRegressions } from './compare.mjs'
import { readOptions } from './options.mjs'

const baselineFile = new URL('baseline.json', import.meta.url)
/** Their figures depend on waiting more than on code. */
const unguarded = [
  'crypto-localnet',
  'crypto-alone',
  'localnet-life',
  'batch-life',
  'webhook-latency',
  'ledger',
]

await buildOrExit()
const { measure } = await import('./measure.mjs')
const options = readOptions('guard')
const result = await measure({
  ...options,
  isSelected: (path) => options.isSelected(path) && !unguarded.includes(path.key),
})
const rows = result.rows
  .filter(({ lowest }) => lowest.api !== undefined)
  .map(({ key, node, lowest, bare }) => ({
    key,
    node,
    // Of a whole life, workers count with the API.
    api: Math.round(lowest.api + (lowest.workers ?? 0)),
    postgres: Math.round(lowest.postgres),
    bare: bare && Math.round(bare.lowest.api),
  }))

if (process.argv.includes('--update')) {
  const { measuredAt, machine, rounds, seconds, warmRequests } = result
  const baseline = { measuredAt, machine, rounds, seconds, warmRequests, rows }
  writeFileSync(baselineFile, `${JSON.stringify(baseline, null, 2)}\n`)
  console.log('Written to bench/baseline.json')
} else {
  const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'))
  const { scale, compared } = findRegressions(baseline.rows, rows)
  console.log(
    `\nBaseline: ${baseline.machine.cpu ?? baseline.machine.arch}, Node ${baseline.machine.node}. ` +
      `Bare routes take ${scale.toFixed(2)} times as long here; the baseline is scaled by that.`,
  )
  for (const { key, role, before, now, isRegression } of compared)
    console.log(
      `${isRegression ? 'SLOWER' : 'ok    '}  ${key.padEnd(25)} ${role.padEnd(9)} ${before} → ${now} µs`,
    )
  const regressions = compared.filter(({ isRegression }) => isRegression)
  console.log(`${regressions.length} regressions over 10 %`)
  if (regressions.length > 0) process.exitCode = 1
}
