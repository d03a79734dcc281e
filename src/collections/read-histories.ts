import { limits } from '../limits.js'
import type { HistoryRange, Moves, WalletRail } from './ports.js'

/** The error: this history cannot be read, though others can. */
export type Reading = Moves | Error

/**
 * Reads histories together, and where that fails by halves, so that one which cannot be read does
 * not hide what came to others. When several alone cannot be read, it is asked for something cheap
 * besides: throws if that fails too, for then nobody answers, and nothing is known of anybody.
 */
export async function readHistories(rail: WalletRail, ranges: HistoryRange[]): Promise<Reading[]> {
  let failures = 0
  const read = async (some: HistoryRange[]): Promise<Reading[]> => {
    try {
      const moves = some.length > 0 ? await rail.readMoves(some) : []
      failures = 0
      return moves
    } catch (error) {
      if (some.length > 1) return readHalves(some)
      failures += 1
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
  return read(ranges)
}
