import { limits } from '../limits.js'
import type { HistoryRange, Moves, WalletRail } from './ports.js'

/** The error: this history cannot be read, though others can. */
export type Reading = Moves | Error

type Limits = {
  /** Whether enough time was spent: then the rest is left for another time. */
  isOver: () => boolean
}

/**
 * Reads histories together, and where that fails by halves, so that one which cannot be read does
 * not hide what came to others. When several alone cannot be read, it is asked for something cheap
 * besides: throws if that fails too, for then nobody answers, and nothing is known of anybody.
 * Undefined are those for which there was no time; of one at least something is known each time.
 */
export async function readHistories(
  rail: WalletRail,
  ranges: HistoryRange[],
  { isOver }: Limits,
): Promise<(Reading | undefined)[]> {
  let failures = 0
  let isAnyKnown = false
  const read = async (some: HistoryRange[]): Promise<(Reading | undefined)[]> => {
    if (isAnyKnown && isOver()) return some.map(() => undefined)
    try {
      const moves = await rail.readMoves(some)
      failures = 0
      isAnyKnown = true
      return moves
    } catch (error) {
      if (some.length > 1) return readHalves(some)
      failures += 1
      isAnyKnown = true
      if (failures >= limits.deposits.failuresInARow) {
        await rail.readAmounts([some[0]!.tokenAccount])
        failures = 0
      }
      return [error as Error]
    }
  }
  const readHalves = async (some: HistoryRange[]) => {
    const half = Math.ceil(some.length / 2)
    return [...(await read(some.slice(0, half))), ...(await read(some.slice(half)))]
  }
  const readings: (Reading | undefined)[] = []
  const { historiesTogether } = limits.deposits
  for (let first = 0; first < ranges.length; first += historiesTogether)
    readings.push(...(await read(ranges.slice(first, first + historiesTogether))))
  return readings
}
