/** A sealed secret that was replaced, and until when it signs. */
export type PreviousSecret = { secret: string; until: string }

/** Those that are still valid, from the list as it is kept. */
export function readPreviousSecrets(kept: string, now: Date): PreviousSecret[] {
  if (kept === '[]') return []
  const list = JSON.parse(kept) as PreviousSecret[]
  return list.filter(({ until }) => new Date(until) > now)
}
