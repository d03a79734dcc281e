import { hour, minute, second } from '../base/clock.js'

export const screeningLimits = {
  /** Of the list file. */
  listBytesMax: 64 * 1_024 * 1_024,
  entriesMax: 500_000,
  lineLengthMax: 65_536,
  textLengthMax: 500,
  namesPerEntryMax: 1_000,
  /** Hex digits of the SHA-256 of a list in its version. */
  versionHashLength: 12,
  /** Lines that are parsed before other work gets its turn. */
  linesPerTurn: 2_000,
  /** Where the day begins first, it does so 14 hours before UTC. */
  dateAheadMaxMs: 14 * hour,
  listCheckIntervalMs: 15 * second,
  /** Of a request to the provider. */
  timeoutMs: 5 * second,
  answerBytesMax: 262_144,
  subjectsPerRequestMax: 100,
  /** After a failure the provider is not queried for this long: callers must not queue for it. */
  pauseAfterFailureMs: 10 * second,
  /** Until money that could not be screened is screened again, doubled each time. */
  retryMs: 30 * second,
  retryMaxMs: hour,
  perBatchMax: 100,
  jobIntervalMs: minute,
} as const
