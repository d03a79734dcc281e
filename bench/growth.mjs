/** Whether memory and queues grow under a steady load, and how fast tables do. */

/** Memory and caches fill at first: only samples after this share of a run count. */
const warmShare = 1 / 3
/** What memory may grow by over the samples that count, as a share of its mean. */
const memoryGrowthMax = 0.05
/** A queue grows if it is this much longer in the last third than in the middle one … */
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

/** Mean of the middle and of the last third of a queue's lengths, and whether it grows. */
export function judgeQueue(lengths, perSecond) {
  const third = Math.floor(lengths.length / 3)
  const middle = meanOf(lengths.slice(third, 2 * third))
  const last = meanOf(lengths.slice(-third))
  return {
    middle,
    last,
    max: Math.max(...lengths),
    isGrowing: last > middle * queueGrowthMax + perSecond * queueSecondsMax,
  }
}

/** Bytes and rows per hour of each table that grew, the largest first. */
export function growthPerHour(before, after, seconds) {
  const perHour = (change) => (change * secondsPerHour) / seconds
  return after
    .map((table) => {
      const old = before.find(({ name }) => name === table.name)
      return {
        name: table.name,
        tableBytes: perHour(table.tableBytes - old.tableBytes),
        indexBytes: perHour(table.indexBytes - old.indexBytes),
        rows: perHour(table.rows - old.rows),
      }
    })
    .filter(({ tableBytes, indexBytes, rows }) => tableBytes + indexBytes !== 0 || rows !== 0)
    .toSorted((left, right) => bytesOf(right) - bytesOf(left))
}

function bytesOf({ tableBytes, indexBytes }) {
  return tableBytes + indexBytes
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
