/**
 * npm run proof:simulate -- [--operations 1000000] [--seed 1] [--shrink-minutes 15]: simulates
 * merchants, bank, chain and faults in virtual time, and compares everything with an oracle.
 * With --continue, it goes on after the last world that a stopped run has written.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    operations: { type: 'string' },
    seed: { type: 'string' },
    'shrink-minutes': { type: 'string', default: '15' },
    continue: { type: 'boolean', default: false },
  },
})
for (const name of ['operations', 'seed', 'shrink-minutes'])
  if (values[name] !== undefined && !/^\d+$/.test(values[name]))
    throw new Error(`--${name} is a whole number`)

const before = values.continue ? readStopped() : undefined
const seed = String(before?.seed ?? values.seed ?? Math.floor(Math.random() * 2 ** 31))
const operations = values.operations ?? String(before?.operationsWanted ?? 1_000_000)
console.log(`seed ${seed}, ${before?.operations ?? 0} of ${operations} operations done`)

const file = 'test/proof/simulator/simulate-long.test.ts'
const dayMs = 86_400_000
const { status } = spawnSync('npx', ['vitest', 'run', file, `--testTimeout=${dayMs}`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    LONG_RUN: '1',
    SIMULATE_OPERATIONS: operations,
    SIMULATE_SEED: seed,
    SIMULATE_SHRINK_MINUTES: values['shrink-minutes'],
    SIMULATE_CONTINUE: before ? '1' : '',
  },
})
process.exit(status ?? 1)

function readStopped() {
  const results = new URL('../bench/results/proof-simulate.json', import.meta.url)
  const stopped = JSON.parse(readFileSync(results, 'utf8'))
  if (values.seed !== undefined && Number(values.seed) !== stopped.seed)
    throw new Error(`The stopped run has seed ${stopped.seed}; leave out --seed.`)
  if (stopped.failed) throw new Error('The stopped run found violations; it cannot continue.')
  return stopped
}
