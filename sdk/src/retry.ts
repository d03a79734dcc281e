import { ConnectionError, type ManillaError } from './errors.js'

/** The only reasons to retry. Its idempotency key makes a POST safe to repeat. */
const reasons: { why: string; holds: (error: ManillaError) => boolean }[] = [
  { why: 'no answer', holds: (error) => error instanceof ConnectionError },
  { why: 'the request arrived too slowly', holds: ({ status }) => status === 408 },
  {
    why: 'the first request with this key is still in progress',
    holds: ({ reason }) => reason === 'idempotency_in_progress',
  },
  { why: 'too many requests', holds: ({ status }) => status === 429 },
  { why: 'the service failed and rolled back', holds: ({ status }) => status === 500 },
  { why: 'a proxy could not reach the service', holds: ({ status }) => status === 502 },
  { why: 'the service is unavailable', holds: ({ status }) => status === 503 },
  { why: 'a proxy timed out', holds: ({ status }) => status === 504 },
]

/** The conformance tests shorten the first wait; the package does not export it. */
export const waits = { firstMs: 500, maxMs: 8_000 }
/** A longer Retry-After is left to the caller. */
const retryAfterMaxMs = 30_000

export function whyRetry(error: ManillaError): string | undefined {
  return reasons.find(({ holds }) => holds(error))?.why
}

/**
 * The wait before the next retry, or undefined if a retry would not help. Doubles every time, with
 * jitter, so that clients that failed together do not return together.
 */
export function waitBeforeRetry(
  error: ManillaError,
  retriesBefore: number,
  random = Math.random(),
): number | undefined {
  if (whyRetry(error) === undefined) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > retryAfterMaxMs) return undefined
  const fullMs = Math.min(waits.firstMs * 2 ** retriesBefore, waits.maxMs)
  return Math.max(retryAfterMs, fullMs * (0.5 + random / 2))
}

/** `Retry-After` as seconds or as a date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
