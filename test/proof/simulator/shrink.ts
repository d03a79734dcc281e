import { faultKinds } from './faults.js'
import type { WorldPlan } from './plan.js'
import { World } from './world.js'

/** PostgreSQL decides the order of concurrent transactions, so a failure may need some tries. */
const triesPerPlan = 3

/** Parts of the operations that are left out, at first. */
const partsAtFirst = 4

/**
 * Looks for a smaller world that still fails: fewer operations, then fewer faults, then gaps in
 * the operations. Returns the smallest that it found before the time was up.
 */
export async function shrink(
  plan: WorldPlan,
  { minutes, onProgress }: { minutes: number; onProgress: (line: string) => void },
): Promise<WorldPlan> {
  const endsAt = performance.now() + minutes * 60_000
  let smallest = plan

  /** Whether the smaller plan fails, too; it is then the smallest. */
  async function accept(smaller: WorldPlan): Promise<boolean> {
    for (let tries = 0; tries < triesPerPlan; tries += 1) {
      if (performance.now() > endsAt) return false
      const { violations } = await World.run(smaller)
      if (violations.length === 0) continue
      smallest = smaller
      onProgress(`still fails: ${JSON.stringify(smaller)}: ${violations[0]}`)
      return true
    }
    return false
  }

  for (const fraction of [1 / 2, 3 / 4]) {
    let hasShrunk = true
    while (hasShrunk && smallest.operations > 1)
      hasShrunk = await accept({
        ...smallest,
        operations: Math.floor(smallest.operations * fraction),
      })
  }
  for (const kind of faultKinds)
    await accept({ ...smallest, without: [...(smallest.without ?? []), kind] })
  const { operations } = smallest
  for (let parts = partsAtFirst; parts <= operations && performance.now() < endsAt; parts *= 2)
    for (let part = 0; part < parts; part += 1) {
      const range = [
        Math.floor((operations * part) / parts),
        Math.floor((operations * (part + 1)) / parts),
      ] as const
      await accept({ ...smallest, skipped: [...(smallest.skipped ?? []), range] })
    }
  return smallest
}
