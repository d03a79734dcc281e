import { day, second } from '../base/clock.js'

export const idempotencyLimits = {
  keyLengthMax: 255,
  retentionMs: 30 * day,
  keysDeletedPerBatchMax: 1_000,
  /** How long a call waits for the first call with its key, with growing pauses. */
  inProgressWaitMaxMs: 2 * second,
  inProgressRetryDelayMs: 10,
} as const
