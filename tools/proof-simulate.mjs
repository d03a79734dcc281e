/**
 * npm run proof:simulate -- [--operations 1000000] [--seed 1] [--shrink-minutes 15]: simulates
 * merchants, bank, chain and faults in virtual time, and compares everything with an oracle.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    'shrink-minutes': { type: 'string', default: '15' },
  },
})
for (const [name, value] of Object.entries(values))
  if (!/^\d+$/.test(value)) throw new Error(`--${name} is a whole number`)

console.log(`seed ${values.seed}`)
const file = 'test/proof/simulator/simulate-long.test.ts'
const dayMs = 86_400_000
const { status } = spawnSync('npx', ['vitest', 'run', file, `--testTimeout=${dayMs}`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    LONG_RUN: '1',
    SIMULATE_OPERATIONS: values.operations,
    SIMULATE_SEED: values.seed,
    SIMULATE_SHRINK_MINUTES: values['shrink-minutes'],
  },
})
process.exit(status ?? 1)
