import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { ClaimedDelivery } from './claim-deliveries.js'
import { nextWaitMs } from './schedule.js'
import type { DeliveryResult } from './send.js'

export type DeliveryVerdict =
  | { state: 'DELIVERED' | 'GIVEN_UP'; dueAt: Date; finishedAt: Date }
  | { state: 'PENDING'; dueAt: Date; finishedAt: null }

/** How one attempt ended and what follows from it. */
export type FinishedAttempt = {
  delivery: ClaimedDelivery
  startedAt: Date
  sent: DeliveryResult
  verdict: DeliveryVerdict
}

/** 2xx is success; everything else is tried again by the schedule until it is over. */
export function judgeDeliveryAttempt(
  sent: DeliveryResult,
  { now, mode, tries, chance }: { now: Date; mode: Mode; tries: number; chance: number },
): DeliveryVerdict {
  if (isSuccess(sent)) return { state: 'DELIVERED', dueAt: now, finishedAt: now }
  const { retryAfterMs = 0 } = sent
  const waitMs = isGone(sent) ? undefined : nextWaitMs(mode, tries, { retryAfterMs, chance })
  return waitMs === undefined
    ? { state: 'GIVEN_UP', dueAt: now, finishedAt: now }
    : { state: 'PENDING', dueAt: after(now, waitMs), finishedAt: null }
}

export function isSuccess({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The receiver says that nobody lives here any more. */
export function isGone({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status === 410
}
