/** Counts of latencies by size, which can be added up over minutes, unlike percentiles. */

/** How much larger each bucket is than the one before: the error of a percentile. */
const bucketGrowth = 1.01

/** Numbers by the name of a bucket. */
export function toHistogram(latencies) {
  const histogram = {}
  for (const latency of latencies) {
    const bucket = Math.ceil(Math.log(Math.max(latency, 0.001)) / Math.log(bucketGrowth))
    histogram[bucket] = (histogram[bucket] ?? 0) + 1
  }
  return histogram
}

export function addHistograms(histograms) {
  const sum = {}
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram))
      sum[bucket] = (sum[bucket] ?? 0) + count
  return sum
}

/** The latency that a share of all does not exceed, rounded up to its bucket. */
export function percentileOf(histogram, share) {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .toSorted((left, right) => left.bucket - right.bucket)
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const { bucket, count } of buckets) {
    seen += count
    if (seen >= total * share) return bucketGrowth ** bucket
  }
  return 0
}
