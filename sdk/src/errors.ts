import type { Refusal } from './types.js'

/** The API's `code`, or the SDK's own when the answer is missing or not from Manilla. */
export type ErrorCode = Refusal['code'] | 'no_answer' | 'unexpected_answer'

/** The API's more specific `reason`. */
export type ErrorReason = NonNullable<Refusal['reason']>

type Facts = {
  code: ErrorCode
  message: string
  status?: number | undefined
  reason?: ErrorReason | undefined
  nextStep?: string | undefined
  details?: { field: string; issue: string }[] | undefined
  requestId?: string | undefined
  idempotencyKey?: string | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** Thrown by every request that does not succeed. */
export class ManillaError extends Error {
  override name = 'ManillaError'
  /** Branch on this. */
  readonly code: ErrorCode
  /** A more specific code, if there is one. */
  readonly reason: ErrorReason | undefined
  /** HTTP status; undefined if there was no answer. */
  readonly status: number | undefined
  /** What to do next. */
  readonly nextStep: string | undefined
  /** Problems by field. */
  readonly details: { field: string; issue: string }[]
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined
  /** The key the request was sent with. Retry with the same key: it runs at most once. */
  readonly idempotencyKey: string | undefined
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined

  constructor(facts: Facts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.reason = facts.reason
    this.status = facts.status
    this.nextStep = facts.nextStep
    this.details = facts.details ?? []
    this.requestId = facts.requestId
    this.idempotencyKey = facts.idempotencyKey
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** No connection, or no answer in time. The request may have been carried out. */
export class ConnectionError extends ManillaError {
  override name = 'ConnectionError'
}

/** 401 or 403: the key is missing, invalid or lacks permission. */
export class AuthenticationError extends ManillaError {
  override name = 'AuthenticationError'
}

/** 400, 413 or 415: the request is invalid; see `details`. */
export class ValidationError extends ManillaError {
  override name = 'ValidationError'
}

/** 402: the available balance cannot cover amount and fee. */
export class InsufficientBalanceError extends ManillaError {
  override name = 'InsufficientBalanceError'
}

/** 404: not found in the environment of this key. */
export class NotFoundError extends ManillaError {
  override name = 'NotFoundError'
}

/** 429: too many requests, even after retries. */
export class RateLimitError extends ManillaError {
  override name = 'RateLimitError'
}

const byStatus: Record<number, typeof ManillaError> = {
  400: ValidationError,
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: AuthenticationError,
  404: NotFoundError,
  413: ValidationError,
  415: ValidationError,
  429: RateLimitError,
}

export function toError(facts: Facts & { status: number }): ManillaError {
  const Kind = byStatus[facts.status] ?? ManillaError
  return new Kind(facts)
}
