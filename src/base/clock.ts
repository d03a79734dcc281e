/** The only source of time: no other file reads the machine's clock. */
export type Clock = {
  now(): Date
  /** Monotonic milliseconds from an arbitrary start, for measuring durations. */
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

let lastText = ''
let lastMs = Number.NaN

/** As the API and the log write times. Cached: many texts are of the same millisecond. */
export function toIsoText(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastMs) {
    lastText = time.toISOString()
    lastMs = ms
  }
  return lastText
}
