import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'

export const depositLimits = {
  accountsPerBatchMax: 1_000,
  /** While a payment is expected, and for an hour after one arrived. */
  pollIntervalMs: second,
  busyMs: hour,
  /** A wallet is polled at the busy interval for this long after it expires. */
  lateGraceMs: 10 * minute,
  /** Longest poll interval of idle dedicated wallets. */
  dedicatedPollIntervalMaxMs: 10 * minute,
  /** Longest poll interval of idle temporary wallets. */
  temporaryPollIntervalMaxMs: day,
  /** Poll interval of a wallet that could not be read. */
  troubledPollIntervalMs: minute,
  /** A history that stays incomplete for this many polls marks the wallet as unreadable. */
  unreadPollsMax: 60,
  /** When no node answers. */
  retryMs: 2 * second,
  /** Histories read in one poll, and in one call to the rail. */
  historiesPerPollMax: 200,
  historiesPerCallMax: 50,
  /** A poll starts no further history after this. */
  historyReadMs: 5 * second,
  /** The history of a recently used wallet is read again this often, from this far back. */
  auditIntervalMs: day,
  auditLookbackMs: 7 * day,
  /** Every tenth poll of an incomplete history starts further back. */
  overlapEveryPolls: 10,
  memoLengthMax: 200,
  /** Block times are estimates: they have been half an hour behind. */
  blockTimeEarlyMaxMs: hour,
  blockTimeAheadMaxMs: 5 * minute,
} as const

export const sweepLimits = {
  jobIntervalMs: 2 * second,
  accountsPerBatchMax: 300,
  /** In millionths of a coin: a dedicated wallet that holds less is not swept. */
  amountMin: 10_000n,
  pollIntervalMs: second,
  sweepsPerBatchMax: 256,
  /** A failed sweep costs a fee, so the delay doubles with every failure in this period. */
  failuresCountedMs: day,
  failuresCountedMax: 12,
  refusalsCountedMax: 6,
  failedRetryDelayMs: second,
} as const

assert(depositLimits.overlapEveryPolls < depositLimits.unreadPollsMax)
