/**
 * npm run proof:simulate -- [--operations 1000000] [--seed 1] [--at-once 2] [--shrink-minutes 15]:
 * simulates merchants, bank, chain and faults in virtual time, and compares everything with an
 * oracle. Each world has a process and a PostgreSQL of its own. With --continue, it goes on with the
 * worlds that a stopped run has not ended.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const { values } = parseArgs({
  options: {
    operations: { type: 'string' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: `${availableParallelism()}` },
    'shrink-minutes': { type: 'string', default: '15' },
    continue: { type: 'boolean', default: false },
  },
})
for (const name of ['operations', 'seed', 'at-once', 'shrink-minutes'])
  if (values[name] !== undefined && !/^\d+$/.test(values[name]))
    throw new Error(`--${name} is a whole number`)

const { module } = await runnerImport('./test/proof/simulator/simulation.ts')
const { addWorld, listMissing, nothingSimulated } = module
const dayMs = 86_400_000
const results = new URL('../bench/results/', import.meta.url)
const file = new URL('proof-simulate.json', results)
mkdirSync(results, { recursive: true })
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-simulate-'))

const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
let simulation = values.continue
  ? readStopped()
  : nothingSimulated(seed, Number(values.operations ?? 1_000_000))
console.log(
  `seed ${simulation.seed}, ${simulation.operations} of ${simulation.operationsWanted} operations done`,
)
const missing = listMissing(simulation).values()
let hasCrashed = false
try {
  await Promise.all(Array.from({ length: Number(values['at-once']) }, simulateWorlds))
} finally {
  rmSync(folder, { recursive: true })
}
const shown = { ...simulation, violations: simulation.violations.slice(0, 20) }
console.log(JSON.stringify(shown, null, 2))
if (simulation.failed || hasCrashed) process.exitCode = 1

async function simulateWorlds() {
  for (const { number, operations } of missing) {
    const result = path.join(folder, `${number}.json`)
    const isDone = await simulateInProcess({ number, operations, result })
    const world = readResult(result)
    if (world) {
      simulation = addWorld(simulation, number, world)
      writeFileSync(file, `${JSON.stringify(simulation, null, 2)}\n`)
      console.log(`${simulation.operations} of ${simulation.operationsWanted} operations done`)
    }
    hasCrashed ||= !isDone
    if (simulation.failed || hasCrashed) return
  }
}

/** Whether it ended without a violation. */
async function simulateInProcess({ number, operations, result }) {
  const test = 'test/proof/simulator/simulate-long.test.ts'
  const child = spawn('npx', ['vitest', 'run', test, `--testTimeout=${dayMs}`], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SIMULATE_SEED: simulation.seed,
      SIMULATE_WORLD: number,
      SIMULATE_OPERATIONS: operations,
      SIMULATE_RESULT: result,
      SIMULATE_SHRINK_MINUTES: values['shrink-minutes'],
      LONG_RUN: '1',
    },
  })
  const [code] = await once(child, 'exit')
  return code === 0
}

function readResult(result) {
  try {
    return JSON.parse(readFileSync(result, 'utf8'))
  } catch {
    return undefined
  }
}

/** On another machine, what was published. */
function readStopped() {
  const published = new URL('../bench/proof.json', import.meta.url)
  const stopped = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : JSON.parse(readFileSync(published, 'utf8')).simulation
  if (values.seed !== undefined && Number(values.seed) !== stopped.seed)
    throw new Error(`The stopped run has seed ${stopped.seed}; leave out --seed.`)
  if (stopped.failed) throw new Error('The stopped run found violations; it cannot continue.')
  return values.operations === undefined
    ? stopped
    : { ...stopped, operationsWanted: Number(values.operations) }
}
