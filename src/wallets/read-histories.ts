import type { HistoryRange, TokenHistory, WalletRail } from '../collections/ports.js'
import { depositLimits } from './limits.js'

/** An error: this history cannot be read, though others can. */
export type HistoryReading = TokenHistory | Error

/**
 * Reads histories in groups until `isTimeUp`, but always the first group. Undefined: there was no
 * time left. Throws when no RPC node responds.
 */
export async function readHistories(
  rail: WalletRail,
  ranges: HistoryRange[],
  isTimeUp: () => boolean,
): Promise<(HistoryReading | undefined)[]> {
  const readings: (HistoryReading | undefined)[] = []
  const { historiesPerCallMax } = depositLimits
  for (let first = 0; first < ranges.length; first += historiesPerCallMax) {
    const group = ranges.slice(first, first + historiesPerCallMax)
    const isSkipped = first > 0 && isTimeUp()
    readings.push(...(isSkipped ? group.map(() => undefined) : await rail.readMoves(group)))
  }
  return readings
}
