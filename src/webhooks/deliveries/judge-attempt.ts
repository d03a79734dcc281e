import { after } from '../../base/clock.js'
import type { ClaimedDelivery } from '../../events/new-deliveries.js'
import { attemptsMax, nextRetryDelayMs } from './schedule.js'
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

type DeliveryState = Pick<ClaimedDelivery, 'isEnabled' | 'mode' | 'attemptsInSchedule'>

/** Why a claimed delivery is not sent, as merchants read it; undefined if it is. */
export function findObstacle(delivery: DeliveryState): string | undefined {
  if (!delivery.isEnabled) return 'the endpoint is disabled or deleted'
  // Bounds the attempts whose result was never recorded, such as when workers crash.
  const isExhausted = delivery.attemptsInSchedule > attemptsMax(delivery.mode)
  return isExhausted ? 'no attempt was completed' : undefined
}

/**
 * 2xx is success. Gives up if the endpoint is disabled, answered 410, or the schedule has ended;
 * everything else is retried.
 */
export function judgeDeliveryAttempt(
  result: DeliveryResult,
  delivery: DeliveryState,
  { now, chance }: { now: Date; chance: number },
): DeliveryVerdict {
  if (isSuccess(result)) return { state: 'DELIVERED', dueAt: now, finishedAt: now }
  const { retryAfterMs = 0 } = result
  const { mode, attemptsInSchedule } = delivery
  const mayRetry = delivery.isEnabled && !isGone(result)
  const delayMs = mayRetry
    ? nextRetryDelayMs(mode, attemptsInSchedule, { retryAfterMs, chance })
    : undefined
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
