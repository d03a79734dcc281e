import type { FaultKind } from './faults.js'

/** So many share a database: proofs read all of it, so their cost grows with the square. */
export const operationsPerWorld = 50_000

/** What one world simulates. Leaving out operations or faults does not change the others. */
export type WorldPlan = {
  seed: number
  operations: number
  /** Faults that are not injected. */
  without?: readonly FaultKind[]
  /** Numbers of operations that are left out, from the first to before the second. */
  skipped?: readonly (readonly [number, number])[]
}

export type WorldResult = {
  /** Operations up to the last comparison. */
  done: number
  /** How often each operation was begun. */
  operations: Record<string, number>
  /** How often each operation was accepted by the service, or reached the bank or chain. */
  accepted: Record<string, number>
  /** How often the API gave each answer. */
  answers: Record<string, number>
  faults: Record<string, number>
  kills: number
  failedStarts: number
  virtualDays: number
  webhooks: number
  violations: string[]
}

export function isSkipped({ skipped = [] }: WorldPlan, number: number): boolean {
  return skipped.some(([first, end]) => number >= first && number < end)
}

/** Whether a world is so large that every kind of operation and fault must occur in it. */
export function isVaried({ operations, without = [], skipped = [] }: WorldPlan): boolean {
  return operations >= operationsPerWorld && without.length === 0 && skipped.length === 0
}

/** A line for `kept-seeds.ts`. */
export function writePlan({ seed, operations, without = [], skipped = [] }: WorldPlan): string {
  const fields = [
    `seed: ${seed}`,
    `operations: ${operations}`,
    ...(without.length > 0 ? [`without: [${without.map((kind) => `'${kind}'`).join(', ')}]`] : []),
    ...(skipped.length > 0 ? [`skipped: ${JSON.stringify(skipped)}`] : []),
  ]
  return `{ ${fields.join(', ')} },`
}
