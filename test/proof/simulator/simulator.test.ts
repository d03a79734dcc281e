import { expect, test } from 'vitest'
import { seedOf } from '../../support/seed.js'
import { keptSeeds } from './kept-seeds.js'
import { operationsPerWorld, writePlan } from './plan.js'
import { simulateWorld } from './simulate.js'
import { addWorld, listMissing, nothingSimulated } from './simulation.js'
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
    const { violations, answers } = await simulateWorld({ seed, number: 0, operations: smallWorld })
    expect(violations, `SEED=${seed}`).toEqual([])
    expect(answers['201']).toBeGreaterThan(smallWorld / 4)
  },
  timeoutMs,
)

test(
  'a stopped run continues with the worlds that are missing',
  async () => {
    const seed = seedOf('simulator')
    const wanted = 2 * operationsPerWorld + 10
    const world = await simulateWorld({ seed, number: 2, operations: 10 })
    const simulation = addWorld(nothingSimulated(seed, wanted), 2, world)
    expect(listMissing(simulation)).toEqual([
      { number: 0, operations: operationsPerWorld },
      { number: 1, operations: operationsPerWorld },
    ])
    const { operations, operationsByKind } = addWorld(simulation, 1, world)
    expect(operations).toBe(20)
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
