import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'

export type Allowance = { isAllowed: boolean; headers: Record<string, string> }

/**
 * Counts requests per name in windows of one second, in this process only. Returns the headers of
 * the IETF draft for every request, so that callers can slow down in time.
 */
export function createRateLimit(policy: string, perSecond: number, clock: Clock) {
  let second = 0
  let counts = new Map<string | number, number>()
  const policyField = `"${policy}";q=${perSecond};w=1`

  return (name: string | number): Allowance => {
    if (perSecond === 0) return { isAllowed: true, headers: {} }
    const current = Math.floor(clock.elapsedMs() / 1_000)
    // Bounds the memory: a flood of addresses resets all counts.
    if (current !== second || counts.size >= limits.rateLimit.tracked) {
      second = current
      counts = new Map()
    }
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const remaining = Math.max(perSecond - count, 0)
    const fields = { ratelimit: `"${policy}";r=${remaining};t=1`, 'ratelimit-policy': policyField }
    return count <= perSecond
      ? { isAllowed: true, headers: fields }
      : { isAllowed: false, headers: { ...fields, 'retry-after': '1' } }
  }
}

export function rateLimited(perSecond: number): Refusal {
  return new Refusal('rate_limited', {
    message: `More than ${perSecond} requests in one second. Wait a second and send it again.`,
  })
}
