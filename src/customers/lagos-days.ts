import { after, day, hour } from '../base/clock.js'

/** Nigeria has one time zone, one hour ahead of UTC, and no summer time. */
const lagosOffsetMs = hour

/** The midnight in Lagos with which the day of a time begins. */
export function lagosDayOf(time: Date): Date {
  const days = Math.floor((time.getTime() + lagosOffsetMs) / day)
  return new Date(days * day - lagosOffsetMs)
}

/** The last day on which it is not late: what is due ends with this day, at midnight. */
export function lastDayOf(dueAt: Date): Date {
  return after(dueAt, -1)
}

/** The end of the day that is so many days after the day of a time. */
export function endOfDayAfter(time: Date, days: number): Date {
  return after(lagosDayOf(time), (days + 1) * day)
}
