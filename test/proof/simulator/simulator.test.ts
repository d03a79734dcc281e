import { expect, test } from 'vitest'
import { seedOf } from '../../support/seed.js'
import { keptSeeds } from './kept-seeds.js'
import { writePlan } from './plan.js'
import { simulate } from './simulate.js'
import { World } from './world.js'

const smallWorld = 100

/** Seconds, but minutes on a machine that does other work. */
const timeoutMs = 600_000

// All operations mixed, with every fault, against an oracle that knows only what merchants were
// told and what bank and chain did. The long run is `npm run proof:simulate`.
test(
  'a small world holds every promise',
  async () => {
    const seed = seedOf('simulator')
    const { violations, answers } = await simulate({ seed, operations: smallWorld })
    expect(violations, `SEED=${seed}`).toEqual([])
    expect(answers['201']).toBeGreaterThan(smallWorld / 4)
  },
  timeoutMs,
)

test(
  'a stopped run continues with the next world',
  async () => {
    const seed = seedOf('simulator')
    const before = await simulate({ seed, operations: 10 })
    const { worlds, operations, operationsByKind } = await simulate({
      seed,
      operations: 20,
      before,
    })
    expect({ worlds, operations }).toEqual({ worlds: 2, operations: 20 })
    expect(Object.values(operationsByKind).reduce((sum, count) => sum + count)).toBe(20)
  },
  timeoutMs,
)

test.each(keptSeeds.map((plan) => [writePlan(plan), plan] as const))(
  'a world that once failed: %s',
  async (_, plan) => {
    expect((await World.run(plan)).violations).toEqual([])
  },
  timeoutMs,
)
