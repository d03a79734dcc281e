import { limits } from '../base/limits.js'

export const splitLimits = {
  /** The constraint `split_has_at_most_20_lines` has the same figure. */
  linesMax: 20,
  nameLengthMax: limits.names.length,
  releaseDaysMax: 366,
  /** The largest PostgreSQL integer. */
  versionMax: 2_147_483_647,
} as const
