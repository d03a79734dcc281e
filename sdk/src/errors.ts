import type { Refusal } from './types.js'

/** What the API says in `code`, or what the SDK says when the API said nothing that it knows. */
export type ErrorCode = Refusal['code'] | 'no_answer' | 'unexpected_answer'

/** A finer word of the API, where it has one. */
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

/** Every request that does not succeed ends in one of these. */
export class ManillaError extends Error {
  override name = 'ManillaError'
  /** The word to branch on. */
  readonly code: ErrorCode
  /** A finer word, where there is one. */
  readonly reason: ErrorReason | undefined
  /** Of the answer; undefined where none came. */
  readonly status: number | undefined
  /** What to do now. */
  readonly nextStep: string | undefined
  /** What is wrong, field by field. */
  readonly details: { field: string; issue: string }[]
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined
  /** What the request was sent with: the same one makes asking again safe. */
  readonly idempotencyKey: string | undefined
  /** How long the service asks to be left alone. */
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

/** No answer came: no connection, or not in time. Whether the request was carried out is open. */
export class ConnectionError extends ManillaError {
  override name = 'ConnectionError'
}

/** 401 or 403: the key is missing, wrong, or may not do this. */
export class AuthenticationError extends ManillaError {
  override name = 'AuthenticationError'
}

/** 400, 413 or 415: the request is not as specified; `details` has it by field. */
export class ValidationError extends ManillaError {
  override name = 'ValidationError'
}

/** 402: the available balance cannot cover amount and fee. */
export class InsufficientBalanceError extends ManillaError {
  override name = 'InsufficientBalanceError'
}

/** 404: there is no such thing in the environment of this key. */
export class NotFoundError extends ManillaError {
  override name = 'NotFoundError'
}

/** 429: too many requests, also after the retries. */
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
