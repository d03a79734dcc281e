import { strict as assert } from 'node:assert'
import { minute, second } from '../../base/clock.js'

export const sandboxBankLimits = {
  processingMs: second,
  /** How long the magic "unknown" transfer stays unknown. */
  unknownForMs: 30 * second,
  /** After completion; long enough for a test to see the transfer completed. */
  reversesAfterMs: 5 * second,
  reversalsPerBatchMax: 500,
  statementLinesMax: 1_000,
  noticesPerBatchMax: 64,
  /** Finds notices to send again, and those of a process that ended. */
  noticeIntervalMs: second / 2,
  /** Between checks of a notice that another process is sending. */
  noticePollIntervalMs: 10,
  noticeTimeoutMs: 10 * second,
  /** Longer than an attempt: otherwise another process would send the same notice. */
  noticeLeaseMs: 30 * second,
  /** On shutdown: notices that are still being sent after this are cut off. */
  noticeShutdownMs: 2 * second,
  noticeAttemptsMax: 50,
  noticeRetryDelayMs: second,
  noticeRetryDelayMaxMs: 10 * minute,
} as const

// A lease outlives the work it covers, or two workers would send the same notice.
assert(sandboxBankLimits.noticeLeaseMs > sandboxBankLimits.noticeTimeoutMs)
