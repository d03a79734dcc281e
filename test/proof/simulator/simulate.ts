import { drawsFor } from './draws.js'
import { operationsPerWorld, type WorldPlan, type WorldResult } from './plan.js'
import { World } from './world.js'

export type Simulation = {
  seed: number
  operationsWanted: number
  /** Operations of the worlds that have ended. */
  operations: number
  worlds: number
  seconds: number
  /** Of this process, without PostgreSQL. */
  processorSeconds: number
  virtualDays: number
  kills: number
  /** Starts of a process after a kill that failed, and were tried again. */
  failedStarts: number
  webhooks: number
  operationsByKind: Record<string, number>
  /** Those that the service accepted, or that reached the bank or chain. */
  acceptedByKind: Record<string, number>
  answers: Record<string, number>
  faults: Record<string, number>
  violations: string[]
  /** The world that failed. */
  failed?: WorldPlan
}

type SimulationRequest = {
  seed: number
  operations: number
  /** Worlds that a stopped run with the same seed has simulated. */
  before?: Simulation
  onProgress?: (line: string) => void
  /** Called at the start and after every world. */
  onWorld?: (simulation: Simulation) => void
}

/** Simulates worlds one after the other, until one fails. */
export async function simulate({
  seed,
  operations,
  before,
  onProgress,
  onWorld,
}: SimulationRequest): Promise<Simulation> {
  const simulation: Simulation = before
    ? { ...structuredClone(before), operationsWanted: operations }
    : nothingSimulated(seed, operations)
  onWorld?.(simulation)
  while (simulation.operations < operations && !simulation.failed) {
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    const operationsBefore = simulation.operations
    const plan = planWorld(seed, simulation.worlds, operations - operationsBefore)
    const result = await World.run(plan, (done) => {
      const perSecond = done / ((performance.now() - startedAt) / 1_000)
      onProgress?.(`${operationsBefore + done} operations, ${perSecond.toFixed(0)} per second`)
    })
    addResult(simulation, result)
    const { user, system } = process.cpuUsage(cpuBefore)
    simulation.seconds += (performance.now() - startedAt) / 1_000
    simulation.processorSeconds += (user + system) / 1_000_000
    if (result.violations.length > 0) simulation.failed = { ...plan, operations: result.done }
    onWorld?.(simulation)
  }
  return simulation
}

function nothingSimulated(seed: number, operationsWanted: number): Simulation {
  return {
    seed,
    operationsWanted,
    operations: 0,
    worlds: 0,
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

function planWorld(seed: number, number: number, remaining: number): WorldPlan {
  const largest = 2 ** 31 - 1
  return {
    seed: number === 0 ? seed : drawsFor(seed, `world ${number}`).integer(0, largest),
    operations: Math.min(operationsPerWorld, remaining),
  }
}

function addResult(simulation: Simulation, result: WorldResult): void {
  simulation.worlds += 1
  simulation.operations += result.done
  simulation.virtualDays += result.virtualDays
  simulation.kills += result.kills
  simulation.failedStarts += result.failedStarts
  simulation.webhooks += result.webhooks
  simulation.violations.push(...result.violations)
  addCounts(simulation.operationsByKind, result.operations)
  addCounts(simulation.acceptedByKind, result.accepted)
  addCounts(simulation.answers, result.answers)
  addCounts(simulation.faults, result.faults)
}

function addCounts(sums: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}
