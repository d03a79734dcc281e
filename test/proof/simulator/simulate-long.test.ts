import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writePlan } from './plan.js'
import { shrink } from './shrink.js'
import { type Simulation, simulate } from './simulate.js'

const results = new URL('../../../bench/results/', import.meta.url)
const file = new URL('proof-simulate.json', results)
const { SIMULATE_OPERATIONS, SIMULATE_SEED, SIMULATE_SHRINK_MINUTES, SIMULATE_CONTINUE } =
  process.env
const print = (line: string) => process.stderr.write(`${line}\n`)

// Run by `npm run proof:simulate`, which sets the environment.
test.skipIf(SIMULATE_OPERATIONS === undefined)('worlds of many operations', async () => {
  mkdirSync(results, { recursive: true })
  const simulation = await simulate({
    seed: Number(SIMULATE_SEED),
    operations: Number(SIMULATE_OPERATIONS),
    ...(SIMULATE_CONTINUE && { before: readSimulation() }),
    onProgress: print,
    // A run that is stopped keeps the worlds that it has simulated.
    onWorld: (soFar) => writeFileSync(file, `${JSON.stringify(soFar, null, 2)}\n`),
  })
  print(JSON.stringify({ ...simulation, violations: simulation.violations.slice(0, 20) }, null, 2))
  if (simulation.failed) {
    const minutes = Number(SIMULATE_SHRINK_MINUTES)
    const smallest = await shrink(simulation.failed, { minutes, onProgress: print })
    print(`Keep this line in test/proof/simulator/kept-seeds.ts:\n  ${writePlan(smallest)}`)
  }
  expect(simulation.violations.slice(0, 20)).toEqual([])
})

function readSimulation(): Simulation {
  return JSON.parse(readFileSync(file, 'utf8'))
}
