import { useSearch } from '@tanstack/react-router'
import { currentTime, dayOf } from '../../parts/time-format'

/** Days in Lagos, both included. Absent: without a bound. */
export type Period = { from?: string; to?: string }

/** The days of the URL; by default this month. */
export function usePeriod(): Period {
  const { from, to, period } = useSearch({ strict: false }) as Record<string, string | undefined>
  if (from || to) return { ...(from && { from }), ...(to && { to }) }
  if (period === 'all') return {}
  return { from: `${monthOf(currentTime())}-01` }
}

/** `2026-11`. */
export const monthOf = (date: Date) => dayOf(date).slice(0, 'yyyy-mm'.length)

/** This month and those before it, as `2026-11`. */
export function latestMonths(count: number, now: Date): string[] {
  const [year = 0, month = 0] = monthOf(now).split('-').map(Number)
  return Array.from({ length: count }, (_, back) => {
    const date = new Date(Date.UTC(year, month - 1 - back, 1))
    return date.toISOString().slice(0, 'yyyy-mm'.length)
  })
}

export function daysOfMonth(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const last = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return { from: `${month}-01`, to: `${month}-${String(last).padStart(2, '0')}` }
}

/** The month that the period is, if it is one; this month has no last day yet. */
export function monthOfPeriod({ from, to }: Period): string | undefined {
  const month = from?.slice(0, 'yyyy-mm'.length)
  const whole = month && daysOfMonth(month)
  const isMonth =
    whole && from === whole.from && (to === whole.to || (!to && month === monthOf(currentTime())))
  return isMonth ? month : undefined
}

const monthFormat = new Intl.DateTimeFormat('en-GB', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `November 2026`. */
export const nameMonth = (month: string) => monthFormat.format(new Date(`${month}-01T00:00:00Z`))

/** `1 November 2026`. */
export const nameDay = (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`))
