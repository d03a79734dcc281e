import { after, day, hour } from '../../base/clock.js'

/**
 * The days that cover a period. Flutterwave filters by day; whether days are in UTC or Nigerian
 * time, and whether the last day is included, is not documented. These cover it in each case.
 */
export function daysOf({ from, to }: { from: Date; to: Date }): { from: string; to: string } {
  return { from: dayOf(from), to: dayOf(after(to, hour + day)) }
}

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
