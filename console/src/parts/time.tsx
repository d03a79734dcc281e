import {
  formatClock,
  formatFull,
  formatMoment,
  formatSeconds,
  formatUtc,
  formatUtcShort,
  formatWhen,
} from './time-format'

type Props = {
  value: string
  /** `when` and `moment`, which has seconds, name the day; `clock` and `seconds` show the time only. */
  show?: 'when' | 'moment' | 'clock' | 'seconds' | 'utc' | 'utcShort'
}

const shown = {
  when: formatWhen,
  moment: formatMoment,
  clock: formatClock,
  seconds: formatSeconds,
  utc: formatUtc,
  utcShort: formatUtcShort,
}

/** A time in the merchant's zone. Hovering shows it in full. */
export function Time({ value, show = 'when' }: Props) {
  const title = show === 'utc' ? formatFull(value) : `${formatFull(value)}, ${formatUtc(value)}`
  return (
    <time className="no-wrap" dateTime={value} title={title}>
      {(shown[show] as (iso: string) => string)(value)}
    </time>
  )
}
