/** Where merchants are; developer pages show UTC. */
const lagos = 'Africa/Lagos'

/** How far the server's clock is ahead of this device's, if that is more than a minute. */
const serverOffsetMs = readServerOffset()

function readServerOffset(): number {
  const text = globalThis.document?.querySelector<HTMLMetaElement>('meta[name=time]')?.content
  const offsetMs = text === undefined ? 0 : Date.parse(text) - performance.timeOrigin
  return Math.abs(offsetMs) > 60_000 ? offsetMs : 0
}

let clockOffsetMs = 0

/** Test clocks run ahead of real time, and everything that happens there is dated by them. */
export function setClockOffset(offsetMs: number): void {
  clockOffsetMs = offsetMs
}

/** Now, by the clock of the shown merchant and mode. */
export const currentTime = () => new Date(Date.now() + serverOffsetMs + clockOffsetMs)

const dayMs = 86_400_000

/** The day so many days before today, as the API takes it: `2026-11-15`. */
export const daysAgo = (days: number) => dayOf(new Date(currentTime().getTime() - days * dayMs))

const formats = new Map<string, Intl.DateTimeFormat>()

function format(date: Date, options: Intl.DateTimeFormatOptions, zone = lagos): string {
  const key = JSON.stringify([options, zone])
  const made =
    formats.get(key) ??
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' })
  formats.set(key, made)
  return made.format(date)
}

const clock = { hour: '2-digit', minute: '2-digit' } as const

/** `2026-11-15` in the merchant's zone, to compare days. */
export function dayOf(iso: string | Date): string {
  const date = new Date(iso)
  return [
    format(date, { year: 'numeric' }),
    format(date, { month: '2-digit' }),
    format(date, { day: '2-digit' }),
  ].join('-')
}

/** `today 21:42`, `14 Nov 21:42`, `3 Feb 2025 09:10`. */
export function formatWhen(iso: string, now = currentTime()): string {
  const date = new Date(iso)
  const time = format(date, clock)
  if (dayOf(date) === dayOf(now)) return `today ${time}`
  return `${formatDay(iso, now)} ${time}`
}

/** `today 21:42:08`, `14 Nov 21:42:08`. */
export function formatMoment(iso: string, now = currentTime()): string {
  const isToday = dayOf(iso) === dayOf(now)
  return `${isToday ? 'today' : formatDay(iso, now)} ${formatSeconds(iso)}`
}

/** `14 Nov`, with the year if it is another one. */
export function formatDay(iso: string, now = currentTime()): string {
  const date = new Date(iso)
  const isThisYear = format(date, { year: 'numeric' }) === format(now, { year: 'numeric' })
  return format(date, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) })
}

/** `Today, 15 November`, `Saturday 14 November`. */
export function formatLongDay(iso: string | Date, now = currentTime()): string {
  const date = new Date(iso)
  const day = format(date, { day: 'numeric', month: 'long' })
  if (dayOf(date) === dayOf(now)) return `Today, ${day}`
  const isThisYear = format(date, { year: 'numeric' }) === format(now, { year: 'numeric' })
  const year = isThisYear ? '' : ` ${format(date, { year: 'numeric' })}`
  return `${format(date, { weekday: 'long' })} ${day}${year}`
}

/** `Sunday 15 November`. */
export const formatToday = (now: Date) =>
  format(now, { weekday: 'long', day: 'numeric', month: 'long' }).replace(',', '')

/** `21:42`. */
export const formatClock = (iso: string) => format(new Date(iso), clock)

/** `21:42:08`. */
export const formatSeconds = (iso: string) => format(new Date(iso), { ...clock, second: '2-digit' })

/** `15 Nov 2026, 20:42:08 UTC`. */
export function formatUtc(iso: string): string {
  const options = { ...clock, day: 'numeric', month: 'short', year: 'numeric', second: '2-digit' }
  return `${format(new Date(iso), options as Intl.DateTimeFormatOptions, 'UTC')} UTC`
}

/** `15 Nov, 20:42:08 UTC`, with the year if it is another one. */
export function formatUtcShort(iso: string, now = new Date()): string {
  const isThisYear = new Date(iso).getUTCFullYear() === now.getUTCFullYear()
  return isThisYear ? formatUtc(iso).replace(/ \d{4},/, ',') : formatUtc(iso)
}

/** `15 November 2026, 21:42:08 (Lagos)`: whole and unambiguous. */
export function formatFull(iso: string): string {
  const options = { ...clock, day: 'numeric', month: 'long', year: 'numeric', second: '2-digit' }
  return `${format(new Date(iso), options as Intl.DateTimeFormatOptions)} (Lagos)`
}

/** `20 Nov, 14:05 (Lagos)`. */
export const formatUntil = (iso: string) => `${formatDay(iso)}, ${formatClock(iso)} (Lagos)`

/** `2 days ago`, `just now`. */
export function formatAge(iso: string): string {
  const ageMs = currentTime().getTime() - Date.parse(iso)
  return ageMs < 60_000 ? 'just now' : `${formatDuration(ageMs)} ago`
}

/** Hour of the day in the merchant's zone, 0 to 23. */
export const hourOf = (date: Date) => Number(format(date, { hour: '2-digit' }))

/** `84 ms`, `3.1 s`, `2 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`
  if (durationMs < 60_000) return `${Math.round(durationMs / 100) / 10} s`
  if (durationMs < 3_600_000) return `${Math.round(durationMs / 60_000)} min`
  if (durationMs < 2 * dayMs) return `${Math.round(durationMs / 360_000) / 10} h`
  return `${Math.round(durationMs / dayMs)} days`
}
