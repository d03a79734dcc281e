/** How a table shows times: the zone, the smallest unit, and whether the year is left out. */
export type TimeStyle = {
  zone: string
  unit: 'day' | 'minute' | 'second'
  isYearHidden?: boolean
}

/** Times are printed and read in it: a date of a filter is a day in Lagos. */
export const lagos = 'Africa/Lagos'

const lengths = { day: 10, minute: 16, second: 19 }

/** `2026-11-16T17:41:05.123Z` as `2026-11-16 17:41`; undefined for anything else. */
export function formatTime(value: unknown, style: TimeStyle): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return undefined
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return undefined
  const full = time.toLocaleString('sv-SE', { timeZone: style.zone })
  return full.slice(style.isYearHidden ? 5 : 0, lengths[style.unit])
}

/** Whether a field of the API holds a time, by its last name. */
export function isTimeField(field: string): boolean {
  return /(^|\.)(at|from|to|timestamp|start|hour|deadline)$|At$/.test(field)
}

/** `Africa/Lagos` as `Lagos`. */
export function zoneLabel(zone: string): string {
  return zone.split('/').at(-1)!
}

/** A time without a zone, as people copy it from a table, is a time in Lagos (UTC+1 all year). */
export function withZone(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(text.trim())
  return match ? `${match[1]}T${match[2]!.padEnd(8, ':00')}+01:00` : text
}
