import { drawsFor } from './draws.js'
import type { WorldPlan } from './plan.js'
import { World } from './world.js'

export type SimulatedWorld = {
  /** Operations up to the last comparison. */
  operations: number
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
  /** The world, if it failed. */
  failed?: WorldPlan
}

type WorldRequest = {
  /** Of the run, which has many worlds. */
  seed: number
  number: number
  operations: number
  onProgress?: (line: string) => void
}

export async function simulateWorld(request: WorldRequest): Promise<SimulatedWorld> {
  const { number, operations, onProgress } = request
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const plan = { seed: seedOfWorld(request), operations }
  const result = await World.run(plan, (done) => {
    const perSecond = done / ((performance.now() - startedAt) / 1_000)
    onProgress?.(`world ${number}: ${done} operations, ${perSecond.toFixed(0)} per second`)
  })
  const { user, system } = process.cpuUsage(cpuBefore)
  const { done, operations: operationsByKind, accepted: acceptedByKind, ...others } = result
  return {
    ...others,
    operations: done,
    operationsByKind,
    acceptedByKind,
    seconds: (performance.now() - startedAt) / 1_000,
    processorSeconds: (user + system) / 1_000_000,
    ...(result.violations.length > 0 && { failed: { ...plan, operations: done } }),
  }
}

function seedOfWorld({ seed, number }: WorldRequest): number {
  return number === 0 ? seed : drawsFor(seed, `world ${number}`).integer(0, 2 ** 31 - 1)
}
