import { dayOf, formatDay } from '../../parts/time-format'

/** A date that includes its day ends when the next one begins: this is its last moment. */
const lastMoment = (iso: string) => new Date(Date.parse(iso) - 1).toISOString()

/** `2026-11-30`: the last day on which it can be paid in time. */
export const dueDayOf = (iso: string) => dayOf(lastMoment(iso))

/** `30 Nov`. */
export const formatDueDay = (iso: string) => formatDay(lastMoment(iso))
