import { operationsPerWorld } from './plan.js'
import type { SimulatedWorld } from './simulate.js'

/** A run of many worlds, and the sums of those that have ended. */
export type Simulation = SimulatedWorld & {
  seed: number
  operationsWanted: number
  /** Numbers of the worlds that have ended. */
  worlds: number[]
}

export function nothingSimulated(seed: number, operationsWanted: number): Simulation {
  return {
    seed,
    operationsWanted,
    worlds: [],
    operations: 0,
    seconds: 0,
    processorSeconds: 0,
    virtualDays: 0,
    kills: 0,
    failedStarts: 0,
    webhooks: 0,
    operationsByKind: {},
    acceptedByKind: {},
    answers: {},
    faults: {},
    violations: [],
  }
}

/** Worlds that are still to be simulated, with their operations. */
export function listMissing({ worlds, operationsWanted }: Simulation) {
  const count = Math.ceil(operationsWanted / operationsPerWorld)
  return Array.from({ length: count }, (_, number) => ({
    number,
    operations: Math.min(operationsPerWorld, operationsWanted - number * operationsPerWorld),
  })).filter(({ number }) => !worlds.includes(number))
}

export function addWorld(before: Simulation, number: number, world: SimulatedWorld): Simulation {
  const { failed = before.failed } = world
  return {
    seed: before.seed,
    operationsWanted: before.operationsWanted,
    worlds: [...before.worlds, number].sort((one, other) => one - other),
    operations: before.operations + world.operations,
    seconds: before.seconds + world.seconds,
    processorSeconds: before.processorSeconds + world.processorSeconds,
    virtualDays: before.virtualDays + world.virtualDays,
    kills: before.kills + world.kills,
    failedStarts: before.failedStarts + world.failedStarts,
    webhooks: before.webhooks + world.webhooks,
    operationsByKind: addCounts(before.operationsByKind, world.operationsByKind),
    acceptedByKind: addCounts(before.acceptedByKind, world.acceptedByKind),
    answers: addCounts(before.answers, world.answers),
    faults: addCounts(before.faults, world.faults),
    violations: [...before.violations, ...world.violations],
    ...(failed && { failed }),
  }
}

type Counts = Record<string, number>

function addCounts(sums: Counts, counts: Counts): Counts {
  const added = { ...sums }
  for (const [name, count] of Object.entries(counts)) added[name] = (added[name] ?? 0) + count
  return added
}
