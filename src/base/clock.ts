declare const clockName: unique symbol

/** By the machine's clock: what workers, leases, keys and deliveries go by. */
export type RealTime = Date & { readonly [clockName]?: 'real' }

/** By the clock of an environment, which its test clock can move ahead: what merchants see. */
export type EnvironmentTime = Date & { readonly [clockName]?: 'environment' }

export function toEnvironmentTime(time: RealTime, clockOffsetMs: number): EnvironmentTime {
  return new Date(time.getTime() + clockOffsetMs)
}

export function toRealTime(time: EnvironmentTime, clockOffsetMs: number): RealTime {
  return new Date(time.getTime() - clockOffsetMs)
}

/** The only source of time: no other file reads the machine's clock. */
export type Clock = {
  now(): RealTime
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

/** As `getUTCDay` counts them. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const

export function after<Time extends Date>(time: Time, durationMs: number): Time {
  return new Date(time.getTime() + durationMs) as Time
}

/** How long to wait before the next try: doubled each time, up to a maximum. */
export function pauseAfter(
  doublings: number,
  { retryMs, retryMaxMs }: { retryMs: number; retryMaxMs: number },
): number {
  return Math.min(retryMs * 2 ** doublings, retryMaxMs)
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
