/** How a table shows times: the zone, the smallest unit, and whether the year is left out. */
export type TimeStyle = {
  zone: string
  unit: 'day' | 'minute' | 'second'
  isYearHidden?: boolean
}

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
  return /(^|\.)(at|from|to|timestamp|start|hour)$|At$/.test(field)
}

/** `Africa/Lagos` as `Lagos`. */
export function zoneLabel(zone: string): string {
  return zone.split('/').at(-1)!
}
