import { hour, minute } from '../base/clock.js'

export const auditLimits = {
  /** Lines that a proof reads at a time. */
  linesPerRead: 1_000,
  /** Newest lines that a merchant's own verification checks. */
  linesVerifiedMax: 50_000,
  /** What `manilla doctor` checks: the newest lines of the newest chains. */
  linesExaminedMax: 200,
  chainsExaminedMax: 50,
  faultsShownMax: 20,
  /** Lines that one page of the installation's log reads, whatever its filters. */
  linesScannedMax: 5_000,
  headsLoggedPerBatchMax: 200,
  /** The head of a chain that grew; lines written since are not proven by a copy of the log. */
  headsLoggedEveryMs: 5 * minute,
  /** Any head: an hour without one in a copy of the log shows that the copy lacks lines. */
  headsRepeatedEveryMs: hour,
  jobIntervalMs: minute,
  /** Distinct heads of a copy that `manilla verify-audit --since` compares at once. */
  headsComparedMax: 1_000_000,
  actionLengthMax: 100,
  /** Longer texts in a line are cut. */
  textLengthMax: 500,
} as const
