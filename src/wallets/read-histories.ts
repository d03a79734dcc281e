import { limits } from '../base/limits.js'
import type { HistoryRange, Moves, WalletRail } from '../collections/ports.js'

/** An error: this history cannot be read, though others can. */
export type HistoryReading = Moves | Error

/**
 * Reads histories in groups until `isTimeUp`, but always the first group. Undefined: there was no
 * time left. Throws when no endpoint responds.
 */
export async function readHistories(
  rail: WalletRail,
  ranges: HistoryRange[],
  isTimeUp: () => boolean,
): Promise<(HistoryReading | undefined)[]> {
  const readings: (HistoryReading | undefined)[] = []
  const { historiesTogether } = limits.deposits
  for (let first = 0; first < ranges.length; first += historiesTogether) {
    const group = ranges.slice(first, first + historiesTogether)
    const isSkipped = first > 0 && isTimeUp()
    readings.push(...(isSkipped ? group.map(() => undefined) : await rail.readMoves(group)))
  }
  return readings
}
