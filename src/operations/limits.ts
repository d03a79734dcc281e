import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { webhookLimits } from '../webhooks/limits.js'

export const doctorLimits = {
  /** Due rows and jobs that are later than this are reported. */
  overdueAfterMs: 3 * minute,
  endpointsNamedMax: 5,
  responseTimeoutMs: 5 * second,
  clockSkewMaxMs: second,
  replicaPollIntervalMs: 100,
  /** Block times of a chain are only roughly accurate. */
  chainSkewMaxSeconds: 60,
  expiredListedMax: 20,
} as const

export const proofLimits = {
  counterexamplesShownMax: 20,
  leaseMs: minute,
  renewIntervalMs: 10 * second,
  attemptsMax: 3,
  /** Longest time for one claim in a proof that an operator asked for. */
  claimMs: 10 * minute,
  proofsListedMax: 20,
} as const

export const workLimits = {
  /** On shutdown: jobs that are still running after this are abandoned. */
  shutdownMs: 5 * second,
  heartbeatIntervalMs: 2 * second,
  /** Between queries for due rows of all jobs. */
  duePollIntervalMs: 200,
  /** A job without due rows runs this often all the same, which shows that it works. */
  idleJobIntervalMs: 10 * second,
  /** Longest delay before a failed job runs again. */
  failedJobRetryMaxMs: 10 * second,
  /** How long `doctor` reports a worker that ended without stopping. */
  missedReportMs: hour,
  /**
   * A worker is missing after this: five heartbeats. With a scrape and an evaluation of the alert
   * rules every two seconds, a killed worker raises an alert within 15 seconds.
   */
  missingAfterMs: 10 * second,
  /** A worker is not ready when no job succeeded for this long. */
  idleMaxMs: 15 * second,
  /** Kept so that `doctor` can report when the last worker ran. */
  heartbeatRetentionMs: day,
  /** A readiness check reports a database that takes longer as unavailable. */
  databaseTimeoutMs: 5 * second,
} as const

assert(proofLimits.leaseMs > 3 * proofLimits.renewIntervalMs)
assert(workLimits.missingAfterMs >= 3 * workLimits.heartbeatIntervalMs)
assert(workLimits.shutdownMs < limits.http.forcedExitMs)
// A worker hands back cut off deliveries before it closes its connections.
assert(webhookLimits.shutdownMs < workLimits.shutdownMs)

/** Personal data: retention, export and erasing. */
export const personalDataLimits = {
  /** Rows of a table that one statement searches for a person. */
  rowsScannedPerPage: 2_000,
  /** Rows that one transaction changes. */
  rowsErasedPerBatchMax: 200,
  /** Rows that one run of the retention worker reads, of each kind. */
  rowsPerBatchMax: 500,
  jobIntervalMs: hour,
  /** An open or held row is checked again after this time. */
  skippedRetryMs: 30 * day,
} as const
