import { drawsFor } from './draws.js'
import type { WorldPlan, WorldResult } from './plan.js'
import { World } from './world.js'

/** So many share a database: proofs read all of it, so their cost grows with the square. */
const operationsPerWorld = 50_000

export type Simulation = {
  seed: number
  operations: number
  worlds: number
  seconds: number
  /** Of this process, without PostgreSQL. */
  processorSeconds: number
  virtualDays: number
  kills: number
  webhooks: number
  operationsByKind: Record<string, number>
  answers: Record<string, number>
  faults: Record<string, number>
  violations: string[]
  /** The world that failed. */
  failed?: WorldPlan
}

type Order = { seed: number; operations: number; onProgress?: (line: string) => void }

/** Simulates worlds one after the other, until one fails. */
export async function simulate({ seed, operations, onProgress }: Order): Promise<Simulation> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const simulation: Simulation = {
    seed,
    operations: 0,
    worlds: 0,
    seconds: 0,
    processorSeconds: 0,
    virtualDays: 0,
    kills: 0,
    webhooks: 0,
    operationsByKind: {},
    answers: {},
    faults: {},
    violations: [],
  }
  while (simulation.operations < operations && !simulation.failed) {
    const before = simulation.operations
    const plan = planWorld(seed, simulation.worlds, operations - before)
    const result = await World.run(plan, (done) => {
      const perSecond = (before + done) / ((performance.now() - startedAt) / 1_000)
      onProgress?.(`${before + done} operations, ${perSecond.toFixed(0)} per second`)
    })
    addResult(simulation, result)
    if (result.violations.length > 0) simulation.failed = { ...plan, operations: result.done }
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  simulation.seconds = (performance.now() - startedAt) / 1_000
  simulation.processorSeconds = (user + system) / 1_000_000
  return simulation
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
  simulation.webhooks += result.webhooks
  simulation.violations.push(...result.violations)
  addCounts(simulation.operationsByKind, result.operations)
  addCounts(simulation.answers, result.answers)
  addCounts(simulation.faults, result.faults)
}

function addCounts(sums: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}
