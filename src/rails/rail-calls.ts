import { systemClock } from '../base/clock.js'

/** Upper bounds of the buckets, in seconds. */
export const railCallBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type RailCallSeries = {
  /** A provider and mode, or the host of a chain's node. */
  rail: string
  answered: number
  failed: number
  /** Calls per bucket, not cumulative; the last bucket has no bound. */
  callsByBucket: number[]
  seconds: number
}

const series = new Map<string, RailCallSeries>()

/** Measures a call to a bank or chain for the metrics of this process. */
export async function measureRailCall<Result>(
  rail: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const startedAt = systemClock.elapsedMs()
  try {
    const result = await call()
    note(rail, 'answered', startedAt)
    return result
  } catch (error) {
    note(rail, 'failed', startedAt)
    throw error
  }
}

export function listRailCalls(): RailCallSeries[] {
  return [...series.values()]
}

function note(rail: string, outcome: 'answered' | 'failed', startedAt: number): void {
  const counts = series.get(rail) ?? {
    rail,
    answered: 0,
    failed: 0,
    callsByBucket: new Array(railCallBounds.length + 1).fill(0),
    seconds: 0,
  }
  series.set(rail, counts)
  const seconds = (systemClock.elapsedMs() - startedAt) / 1_000
  counts[outcome] += 1
  counts.seconds += seconds
  const bucket = railCallBounds.findIndex((bound) => seconds <= bound)
  counts.callsByBucket[bucket === -1 ? railCallBounds.length : bucket]! += 1
}
