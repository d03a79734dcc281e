import { Time } from '../../parts/time'
import { dayOf, formatClock, formatDay, formatFull } from '../../parts/time-format'

/** A deadline at midnight is the end of the day before. */
const justBefore = (deadline: string) => new Date(Date.parse(deadline) - 1).toISOString()

/** The day in Lagos that it ends with, as forms have it. */
export const lastDayOf = (deadline: string) => dayOf(justBefore(deadline))

/** A day, unless a program has set a time within it. */
export function Deadline({ value }: { value: string }) {
  if (formatClock(value) !== '00:00') return <Time value={value} />
  return (
    <time className="no-wrap" dateTime={value} title={formatFull(value)}>
      {formatDay(justBefore(value))}
    </time>
  )
}
