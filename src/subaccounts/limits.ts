import { minute } from '../base/clock.js'
import { limits } from '../base/limits.js'

export const shareLimits = {
  /** Shares released, or take-backs given back, in one transaction. */
  perBatchMax: 100,
  /** When the merchant's balance does not cover what it gives back. */
  giveBackRetryMs: minute,
} as const

export const splitLimits = {
  /** The constraint `split_has_at_most_20_lines` has the same figure. */
  linesMax: 20,
  nameLengthMax: limits.names.length,
  releaseDaysMax: 366,
  /** The largest PostgreSQL integer. */
  versionMax: 2_147_483_647,
} as const
