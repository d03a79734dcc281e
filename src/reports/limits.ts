import { hour, minute, second } from '../base/clock.js'

export const reportLimits = {
  daysMax: 400,
  /** Of the operator's report, which reads every payment and payout of its days. */
  marginDaysMax: 31,
  hoursMax: 31 * 24,
  daysDefault: 30,
  hoursDefault: 24,
  pollIntervalMs: 30 * second,
  environmentsPerBatchMax: 100,
  leaseMs: 5 * minute,
  /** The first run of a large database takes long. */
  runMaxMs: hour,
  /** A day is summed up this long after its end. Changes are noted after half of it. */
  closeAfterMs: hour,
  /** Transactions per environment and run. */
  stepsPerRunMax: 200,
  /** Days, balance entries and changes of days per transaction. */
  daysPerStepMax: 7,
  entriesPerStepMax: 50_000,
  changesPerStepMax: 1_000,
  /** An environment with this many new balance entries is summed up again soon. */
  busyEntries: 1_000,
  busyIntervalMs: 10 * minute,
} as const
