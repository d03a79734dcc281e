import { ConnectionError, type ManillaError } from './errors.js'

/** Another try is made for these reasons and no others. Its key makes a POST safe to repeat. */
const reasons: { why: string; holds: (error: ManillaError) => boolean }[] = [
  { why: 'no answer came', holds: (error) => error instanceof ConnectionError },
  { why: 'the request arrived too slowly', holds: ({ status }) => status === 408 },
  { why: 'a copy is being worked on', holds: ({ reason }) => reason === 'idempotency_in_progress' },
  { why: 'there were too many requests', holds: ({ status }) => status === 429 },
  { why: 'the service failed, and undid it', holds: ({ status }) => status === 500 },
  { why: 'a proxy could not reach the service', holds: ({ status }) => status === 502 },
  { why: 'the service cannot take it now', holds: ({ status }) => status === 503 },
  { why: 'a proxy waited too long for it', holds: ({ status }) => status === 504 },
]

const firstWaitMs = 500
const longestWaitMs = 8_000
/** Who asks to be left alone for longer is left alone: the caller decides. */
const longestObeyedMs = 30_000

export function whyRetry(error: ManillaError): string | undefined {
  return reasons.find(({ holds }) => holds(error))?.why
}

/**
 * How long to wait before trying again, or undefined where it would not help. Twice as long every
 * time, between half and all of it, so that many who failed together do not come back together.
 */
export function waitBeforeRetry(
  error: ManillaError,
  retriesBefore: number,
  random = Math.random(),
): number | undefined {
  if (whyRetry(error) === undefined) return undefined
  const { retryAfterMs = 0 } = error
  if (retryAfterMs > longestObeyedMs) return undefined
  const fullMs = Math.min(firstWaitMs * 2 ** retriesBefore, longestWaitMs)
  return Math.max(retryAfterMs, fullMs * (0.5 + random / 2))
}

/** `Retry-After` as seconds or as a date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
