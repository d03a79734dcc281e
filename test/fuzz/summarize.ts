import type { Report } from './fuzz.js'

/** Summary of a run: requests, answers, and how to repeat it. */
export function summarize({ cases, seed, met, troubles }: Report): string {
  const all = new Map<number, number>()
  for (const statuses of met.values())
    for (const [status, count] of statuses) all.set(status, (all.get(status) ?? 0) + count)
  const counts = [...all].toSorted(([left], [right]) => left - right)
  const answers = counts.map(([status, count]) => `${status} × ${count}`).join(', ')
  return [`fuzz: SEED=${seed}, ${cases} requests: ${answers}`, ...troubles].join('\n\n')
}
