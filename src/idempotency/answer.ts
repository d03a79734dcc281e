import type { Seal } from '../base/sealed.js'
import type { StoredAnswer } from './store-keys.js'

/** Exactly what the caller receives. */
export type Answer = {
  status: number
  body: string
  holdsSecret?: boolean
  /** For `Retry-After`. */
  retryAfterSeconds?: number | undefined
}

/** The answer to a call that may carry a key: a new one, or the first one again. */
export type KeyedAnswer = Answer & { isReplayed: boolean }

/**
 * Successes and business refusals are remembered. After an error that the caller can fix (400,
 * 401, 403) or that passes (429, 5xx) the key can be used again.
 */
export function isRemembered(status: number): boolean {
  return (status >= 200 && status < 300) || status === 402 || status === 409 || status === 422
}

export function toStored(answer: Answer, callerId: string, seal: Seal): StoredAnswer {
  const isSealed = answer.holdsSecret ?? false
  return {
    status: answer.status,
    answer: isSealed ? seal.seal(answer.body) : answer.body,
    isSealed,
    callerId: isSealed ? callerId : null,
    retryAfterSeconds: answer.retryAfterSeconds ?? null,
  }
}

export function fromStored(stored: StoredAnswer, seal: Seal): KeyedAnswer {
  const body = stored.isSealed ? seal.open(stored.answer) : stored.answer
  return {
    status: stored.status,
    body,
    holdsSecret: stored.isSealed,
    isReplayed: true,
    retryAfterSeconds: stored.retryAfterSeconds ?? undefined,
  }
}
