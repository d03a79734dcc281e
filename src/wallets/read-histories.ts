import { limits } from '../base/limits.js'
import type { HistoryRange, Moves, WalletRail } from '../collections/ports.js'

/** The error: this history cannot be read, though others can. */
export type Reading = Moves | Error

type Limits = {
  /** Whether enough time was spent: then the rest is left for another time. */
  isOver: () => boolean
}

/**
 * Reads histories, some at a time. Throws when no endpoint answers. Undefined are those for which
 * there was no time; some are read each time.
 */
export async function readHistories(
  rail: WalletRail,
  ranges: HistoryRange[],
  { isOver }: Limits,
): Promise<(Reading | undefined)[]> {
  const readings: (Reading | undefined)[] = []
  const { historiesTogether } = limits.deposits
  for (let first = 0; first < ranges.length; first += historiesTogether) {
    const some = ranges.slice(first, first + historiesTogether)
    const isLeft = first > 0 && isOver()
    readings.push(...(isLeft ? some.map(() => undefined) : await rail.readMoves(some)))
  }
  return readings
}
