/** Where time comes from. Nothing else in the house asks the machine for it. */
export type Clock = {
  now(): Date
  /** Milliseconds from an arbitrary start; never goes back, so it measures durations. */
  elapsedMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
}

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export function after(time: Date, durationMs: number): Date {
  return new Date(time.getTime() + durationMs)
}
