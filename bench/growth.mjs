/** Whether memory and queues grow under a steady load, and how fast tables do. */

/** Memory and caches fill at first: only samples after this share of a run count. */
const warmShare = 1 / 3
/** What memory may grow by over the samples that count, as a share of its mean. */
const memoryGrowthMax = 0.05
/** A queue grows if its slope is more than so many standard errors: by chance once in 1,000. */
const queueErrorsMax = 4.5
/** Parts of the samples that count, whose means are compared. */
const queueParts = 10
/** A slope that adds fewer rows during a run is none. */
const queueRiseMin = 5
/** A queue also grows if it is this much longer in the last third than in the middle one … */
const queueGrowthMax = 1.25
/** … and by more than arrives in this time. */
const queueSecondsMax = 1
const secondsPerHour = 3_600

/**
 * Slope per hour (least squares), maximum and mean of samples, each a `value` at a time `atSeconds`.
 * It grows if a straight line through the samples rises by more than a share of their mean.
 */
export function judgeMemory(samples) {
  const counted = samples.slice(Math.floor(samples.length * warmShare))
  const perHour = slopeOf(counted) * secondsPerHour
  const seconds = counted.at(-1).atSeconds - counted[0].atSeconds
  const mean = meanOf(counted.map(({ value }) => value))
  const risen = (perHour * seconds) / secondsPerHour
  return {
    perHour,
    max: Math.max(...samples.map(({ value }) => value)),
    mean,
    isGrowing: risen > mean * memoryGrowthMax,
  }
}

/**
 * Judges the length of a queue, sampled as a `value` at a time `atSeconds`. At a constant rate it
 * goes up and down around a mean, which explains some slope: the larger the more the means of parts
 * of the run differ from a straight line. It grows if the slope is larger than that, or if it is
 * much longer in the last third than in the middle one, as when it begins to grow at the end.
 */
export function judgeQueue(samples, perSecond) {
  const counted = samples.slice(Math.floor(samples.length * warmShare))
  const parts = meansOfParts(counted)
  const slope = slopeOf(parts)
  const explained = queueErrorsMax * errorOfSlope(parts, slope)
  const seconds = counted.at(-1).atSeconds - counted[0].atSeconds
  const isRising = slope > explained && slope * seconds > queueRiseMin
  const half = Math.floor(counted.length / 2)
  const meanLength = (some) => meanOf(some.map(({ value }) => value))
  const middle = meanLength(counted.slice(0, half))
  const last = meanLength(counted.slice(half))
  return {
    perHour: slope * secondsPerHour,
    explainedPerHour: explained * secondsPerHour,
    middle,
    last,
    max: Math.max(...samples.map(({ value }) => value)),
    isGrowing: isRising || last > middle * queueGrowthMax + perSecond * queueSecondsMax,
  }
}

/** Samples that follow each other are alike. Means of some minutes are less so. */
function meansOfParts(samples) {
  const size = Math.max(1, Math.floor(samples.length / queueParts))
  const parts = []
  for (let first = 0; first + size <= samples.length; first += size) {
    const part = samples.slice(first, first + size)
    parts.push({
      atSeconds: meanOf(part.map(({ atSeconds }) => atSeconds)),
      value: meanOf(part.map(({ value }) => value)),
    })
  }
  return parts
}

/** Standard error of the slope of a straight line. */
function errorOfSlope(samples, slope) {
  const meanAt = meanOf(samples.map(({ atSeconds }) => atSeconds))
  const mean = meanOf(samples.map(({ value }) => value))
  let residual = 0
  let variance = 0
  for (const { atSeconds, value } of samples) {
    residual += (value - mean - slope * (atSeconds - meanAt)) ** 2
    variance += (atSeconds - meanAt) ** 2
  }
  return Math.sqrt(residual / Math.max(1, samples.length - 2) / variance)
}

/** Bytes and rows per hour of each table and index that grew, the largest first. */
export function growthPerHour(before, after, seconds) {
  const perHour = (change) => (change * secondsPerHour) / seconds
  return after
    .map(({ kind, name, bytes, rows }) => {
      const old = before.find((earlier) => earlier.kind === kind && earlier.name === name)
      return {
        kind,
        name,
        bytes: perHour(bytes - old.bytes),
        rows: rows === null ? null : perHour(rows - old.rows),
      }
    })
    .filter(({ bytes, rows }) => bytes !== 0 || rows)
    .toSorted((left, right) => right.bytes - left.bytes)
}

function slopeOf(samples) {
  const meanAt = meanOf(samples.map(({ atSeconds }) => atSeconds))
  const mean = meanOf(samples.map(({ value }) => value))
  let covariance = 0
  let variance = 0
  for (const { atSeconds, value } of samples) {
    covariance += (atSeconds - meanAt) * (value - mean)
    variance += (atSeconds - meanAt) ** 2
  }
  return variance === 0 ? 0 : covariance / variance
}

function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
