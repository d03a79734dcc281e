import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writePlan } from './plan.js'
import { shrink } from './shrink.js'
import { simulateWorld } from './simulate.js'

const {
  SIMULATE_RESULT,
  SIMULATE_SEED,
  SIMULATE_WORLD,
  SIMULATE_OPERATIONS,
  SIMULATE_SHRINK_MINUTES,
} = process.env
const print = (line: string) => process.stderr.write(`${line}\n`)

// Run by `npm run proof:simulate`, which sets the environment.
test.skipIf(SIMULATE_RESULT === undefined)('a world of many operations', async () => {
  const world = await simulateWorld({
    seed: Number(SIMULATE_SEED),
    number: Number(SIMULATE_WORLD),
    operations: Number(SIMULATE_OPERATIONS),
    onProgress: print,
  })
  writeFileSync(SIMULATE_RESULT!, `${JSON.stringify(world, null, 2)}\n`)
  if (world.failed) {
    const minutes = Number(SIMULATE_SHRINK_MINUTES)
    const smallest = await shrink(world.failed, { minutes, onProgress: print })
    print(`Keep this line in test/proof/simulator/kept-seeds.ts:\n  ${writePlan(smallest)}`)
  }
  expect(world.violations.slice(0, 20)).toEqual([])
})
