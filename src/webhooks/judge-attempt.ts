import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { ClaimedDelivery } from './claim-deliveries.js'
import { nextRetryDelayMs } from './schedule.js'
import type { DeliveryResult } from './send.js'

export type DeliveryVerdict =
  | { state: 'DELIVERED' | 'GIVEN_UP'; dueAt: Date; finishedAt: Date }
  | { state: 'PENDING'; dueAt: Date; finishedAt: null }

/** A finished attempt, its result, and what follows from it. */
export type FinishedAttempt = {
  delivery: ClaimedDelivery
  startedAt: Date
  result: DeliveryResult
  verdict: DeliveryVerdict
}

/** 2xx is success, 410 gives up, everything else is retried until the schedule ends. */
export function judgeDeliveryAttempt(
  result: DeliveryResult,
  { now, mode, tries, chance }: { now: Date; mode: Mode; tries: number; chance: number },
): DeliveryVerdict {
  if (isSuccess(result)) return { state: 'DELIVERED', dueAt: now, finishedAt: now }
  const { retryAfterMs = 0 } = result
  const delayMs = isGone(result)
    ? undefined
    : nextRetryDelayMs(mode, tries, { retryAfterMs, chance })
  return delayMs === undefined
    ? { state: 'GIVEN_UP', dueAt: now, finishedAt: now }
    : { state: 'PENDING', dueAt: after(now, delayMs), finishedAt: null }
}

export function isSuccess({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** 410 Gone: the receiver wants no more deliveries. */
export function isGone({ status }: Pick<DeliveryResult, 'status'>): boolean {
  return status === 410
}
