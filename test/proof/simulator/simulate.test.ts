import { expect, test } from 'vitest'
import { World } from './world.js'

test('a small world', async () => {
  const startedAt = performance.now()
  const count = Number(process.env.SIMULATE_OPERATIONS ?? 600)
  const result = await World.run({
    seed: Number(process.env.SEED ?? 1),
    operations: count,
    without: [],
  })
  console.log({
    ...result,
    violations: result.violations.slice(0, 20),
    count: result.violations.length,
  })
  console.log(`${Math.round(count / ((performance.now() - startedAt) / 1000))} operations/s`)
  expect(result.violations.slice(0, 5)).toEqual([])
}, 600_000)
