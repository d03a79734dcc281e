import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { ClaimedDelivery } from './claim-deliveries.js'
import { nextWaitMs } from './schedule.js'
import type { Sent } from './send.js'

export type Verdict =
  | { state: 'DELIVERED' | 'GIVEN_UP'; dueAt: Date; finishedAt: Date }
  | { state: 'PENDING'; dueAt: Date; finishedAt: null }

/** How one attempt ended and what follows from it. */
export type Ended = { delivery: ClaimedDelivery; startedAt: Date; sent: Sent; verdict: Verdict }

/** 2xx is success; everything else is tried again by the schedule until it is over. */
export function judgeAttempt(
  sent: Sent,
  { now, mode, tries, chance }: { now: Date; mode: Mode; tries: number; chance: number },
): Verdict {
  if (isSuccess(sent)) return { state: 'DELIVERED', dueAt: now, finishedAt: now }
  const { retryAfterMs = 0 } = sent
  const waitMs = isGone(sent) ? undefined : nextWaitMs(mode, tries, { retryAfterMs, chance })
  return waitMs === undefined
    ? { state: 'GIVEN_UP', dueAt: now, finishedAt: now }
    : { state: 'PENDING', dueAt: after(now, waitMs), finishedAt: null }
}

export function isSuccess({ status }: Pick<Sent, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The receiver says that nobody lives here any more. */
export function isGone({ status }: Pick<Sent, 'status'>): boolean {
  return status === 410
}
