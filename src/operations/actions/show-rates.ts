import { formatRate, type RatePair } from '../../money/rates.js'
import type { RateView } from '../../rates/view-rates.js'

/** As commands print it with `--json`, and as the console reads it. */
export function showRateView({ asset, rate, isMissing, median, sources }: RateView) {
  return {
    asset,
    rate: rate
      ? {
          ...showPair(rate),
          origin: rate.origin,
          givenBy: rate.givenBy,
          createdAt: rate.createdAt,
          expiresAt: rate.expiresAt,
        }
      : null,
    isMissing,
    /** What `accept` would use. */
    median: median ? showPair(median) : null,
    sources: sources.map(({ source, buy, sell, readAt, problem }) => ({
      source,
      buy: buy === null ? null : formatRate(buy),
      sell: sell === null ? null : formatRate(sell),
      readAt,
      problem,
    })),
  }
}

function showPair({ buy, sell }: RatePair) {
  return { buy: formatRate(buy), sell: formatRate(sell) }
}
