import { after } from '../../base/clock.js'
import { invalidField } from '../../base/refusal.js'
import {
  type BucketSize,
  bucketSizes,
  countBuckets,
  type Period,
  startOfNext,
  widen,
} from '../../reports/calendar.js'
import { reportLimits } from '../../reports/limits.js'
import { readTimeFrom, readTimeTo } from './read-time.js'

const { daysMax, hoursMax, daysDefault, hoursDefault } = reportLimits
const most: Record<BucketSize, number> = { day: daysMax, hour: hoursMax }
const usual: Record<BucketSize, number> = { day: daysDefault, hour: hoursDefault }

type PeriodQuery = { from?: string | undefined; to?: string | undefined; bucket: BucketSize }

/**
 * The whole buckets between two times. Dates are days in Lagos, the last one included. By default
 * the period ends with the present bucket.
 */
export function readPeriod(now: Date, { from, to, bucket }: PeriodQuery): Period {
  const end = to === undefined ? startOfNext(bucket, now) : readTimeTo('to', to)
  const start =
    from === undefined
      ? after(end, -usual[bucket] * bucketSizes[bucket])
      : readTimeFrom('from', from)
  if (start >= end) throw invalidField('from', 'must be before `to`')
  const period = widen(bucket, { from: start, to: end })
  if (countBuckets(bucket, period) > most[bucket])
    throw invalidField('from', `must be at most ${most[bucket]} ${bucket}s before \`to\``)
  return period
}
