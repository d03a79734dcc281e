import { strict as assert } from 'node:assert'
import { after, day, hour } from '../base/clock.js'

/** Reports count days as merchants do. Nigeria is an hour ahead of UTC all year. */
export const timeZone = 'Africa/Lagos'
const aheadOfUtcMs = hour

export const bucketSizes = { hour, day } as const

export type BucketSize = keyof typeof bucketSizes

export const bucketNames = Object.keys(bucketSizes) as BucketSize[]

/** A time range: `from` is included, `to` is not. */
export type Period = { from: Date; to: Date }

/** When the hour or day of this time began in Lagos. */
export function startOf(bucket: BucketSize, at: Date): Date {
  const sizeMs = bucketSizes[bucket]
  return new Date(Math.floor((at.getTime() + aheadOfUtcMs) / sizeMs) * sizeMs - aheadOfUtcMs)
}

export function startOfNext(bucket: BucketSize, at: Date): Date {
  return after(startOf(bucket, at), bucketSizes[bucket])
}

/** The whole buckets that a period touches. */
export function widen(bucket: BucketSize, { from, to }: Period): Period {
  assert(from < to, 'a period is not empty')
  return { from: startOf(bucket, from), to: startOfNext(bucket, new Date(to.getTime() - 1)) }
}

export function countBuckets(bucket: BucketSize, { from, to }: Period): number {
  return (to.getTime() - from.getTime()) / bucketSizes[bucket]
}

export function listBuckets(bucket: BucketSize, period: Period): Date[] {
  return Array.from({ length: countBuckets(bucket, period) }, (_, index) =>
    after(period.from, index * bucketSizes[bucket]),
  )
}

/** Which days are in the tables of sums. */
export type SummedUp = { upTo: Date | null; changedDays: Date[] }

/** Splits a period into the parts whose sums are stored and those whose rows must be read. */
export function splitPeriod(
  period: Period,
  { upTo, changedDays }: SummedUp,
): { summedUp: Period[]; live: Period[] } {
  const changed = new Set(changedDays.map((start) => start.getTime()))
  const parts = { summedUp: [] as Period[], live: [] as Period[] }
  for (let { from } = period; from < period.to; ) {
    const dayStart = startOf('day', from)
    const dayEnd = startOfNext('day', from)
    const to = dayEnd < period.to ? dayEnd : period.to
    const isSummedUp = upTo !== null && dayEnd <= upTo && !changed.has(dayStart.getTime())
    const list = isSummedUp ? parts.summedUp : parts.live
    const last = list.at(-1)
    if (last?.to.getTime() === from.getTime()) last.to = to
    else list.push({ from, to })
    from = to
  }
  return parts
}
