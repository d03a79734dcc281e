import { type Clock, second } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { requestRateLimits } from '../limits.js'
import type { Grant, RateLimitPolicy, SharedLimits } from './shared-limits.js'

export type Allowance = { isAllowed: boolean; headers: Record<string, string> }
export type RateLimit = (name: string | number) => Allowance | Promise<Allowance>

/**
 * Counts requests per name in windows, of one second by default, in this process or, with `shared`,
 * in all processes of the service. Returns the headers of the IETF draft for every request, so that
 * callers can slow down in time.
 */
export function createRateLimit(
  policy: RateLimitPolicy,
  limit: { max: number; windowMs?: number; clock: Clock; shared?: Claiming | undefined },
): RateLimit {
  const { max, windowMs = second, clock, shared } = limit
  if (max === 0) return () => unlimited
  const answer = createAnswer(policy, { max, windowMs })
  return shared
    ? countTogether(policy, { clock, shared, answer })
    : countAlone({ max, windowMs }, { clock, answer })
}

const unlimited: Allowance = { isAllowed: true, headers: {} }

type Claiming = Pick<SharedLimits, 'claim'>
type Answer = (isAllowed: boolean, remaining: number) => Allowance

type Window = { max: number; windowMs: number }

function countAlone(
  { max, windowMs }: Window,
  { clock, answer }: { clock: Clock; answer: Answer },
): RateLimit {
  let window = 0
  let counts = new Map<string | number, number>()
  return (name) => {
    const current = Math.floor(clock.elapsedMs() / windowMs)
    // Bounds the memory: a flood of addresses resets all counts.
    if (current !== window || counts.size >= requestRateLimits.tracked) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return answer(count <= max, Math.max(max - count, 0))
  }
}

type Held = Omit<Grant, 'endsInMs'> & { endsAt: number; claim?: Promise<void> | undefined }

/** Uses up what was granted without waiting, and claims more when it is used up. */
function countTogether(
  policy: RateLimitPolicy,
  { clock, shared, answer }: { clock: Clock; shared: Claiming; answer: Answer },
): RateLimit {
  const heldByName = new Map<string | number, Held>()

  async function claim(name: string | number, held: Held): Promise<void> {
    const askedAt = clock.elapsedMs()
    const { count, remaining, endsInMs } = await shared.claim(policy, name)
    // Counted from the question, so that a grant never outlives its window.
    Object.assign(held, { count, remaining, endsAt: askedAt + endsInMs, claim: undefined })
  }

  function use(held: Held): Allowance {
    const isAllowed = held.count > 0
    if (isAllowed) held.count -= 1
    return answer(isAllowed, held.count + held.remaining)
  }

  async function claimAndUse(name: string | number, held: Held): Promise<Allowance> {
    // Of requests that waited together, some may find the grant used up again.
    while (held.count === 0 && isWorthAsking(held)) {
      held.claim ??= claim(name, held)
      await held.claim
    }
    return use(held)
  }

  const isWorthAsking = (held: Held) => held.remaining > 0 || held.endsAt <= clock.elapsedMs()

  return (name) => {
    let held = heldByName.get(name)
    if (!held) {
      if (heldByName.size >= requestRateLimits.tracked) heldByName.clear()
      held = { count: 0, remaining: 0, endsAt: 0 }
      heldByName.set(name, held)
    }
    if (held.endsAt <= clock.elapsedMs()) held.count = 0
    return held.count > 0 || !isWorthAsking(held) ? use(held) : claimAndUse(name, held)
  }
}

function createAnswer(policy: RateLimitPolicy, { max, windowMs }: Window): Answer {
  const seconds = windowMs / second
  const policyField = `"${policy}";q=${max};w=${seconds}`
  return (isAllowed, remaining) => {
    const ratelimit = `"${policy}";r=${remaining};t=${seconds}`
    if (isAllowed) return { isAllowed, headers: { ratelimit, 'ratelimit-policy': policyField } }
    const headers = { ratelimit, 'ratelimit-policy': policyField, 'retry-after': `${seconds}` }
    return { isAllowed, headers }
  }
}

export function rateLimited(max: number, window: 'second' | 'minute' = 'second'): Refusal {
  return new Refusal('rate_limited', {
    message: `More than ${max} requests in one ${window}. Wait a ${window} and send it again.`,
  })
}
