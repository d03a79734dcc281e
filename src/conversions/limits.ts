import { day, second } from '../base/clock.js'

export const conversionLimits = {
  quoteMs: 60 * second,
  /** Unused quotes are kept this long after they expire. */
  quoteRetentionMs: day,
  quotesDeletedPerBatchMax: 1_000,
  /** Test mode adds no coins beyond it: ten times the largest transfer. */
  testStockMax: 90_071_992_547_409_910n,
} as const
