import type { Levy } from '../../api/answers'

export type LevyState = 'holds' | 'later' | 'ended' | 'overridden'

/** Whether an entry decides about transfers of its mode: the newest whose period includes them. */
export function stateOfLevy(levy: Levy, newestFirst: Levy[], now: Date): LevyState {
  const end = levy.holdsUntil === null ? Number.POSITIVE_INFINITY : Date.parse(levy.holdsUntil)
  if (end <= now.getTime()) return 'ended'
  const start = Date.parse(levy.holdsFrom)
  const isLater = start > now.getTime()
  const from = isLater ? start : now.getTime()
  const newer = newestFirst.slice(0, newestFirst.indexOf(levy))
  const isCovered = newer.some(
    (entry) =>
      entry.mode === levy.mode &&
      (entry.rail === null || entry.rail === levy.rail) &&
      Date.parse(entry.holdsFrom) <= from &&
      (entry.holdsUntil === null || Date.parse(entry.holdsUntil) > from),
  )
  if (isCovered) return 'overridden'
  return isLater ? 'later' : 'holds'
}
