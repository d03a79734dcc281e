import Type, { type Static } from 'typebox'
import { weekdays } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import { invalidField } from '../../base/refusal.js'
import { referenceSample, withExample } from '../../base/shapes.js'
import { invoiceLimits } from '../../customers/limits.js'
import type { NewSchedule, ScheduleChange } from '../../customers/schedules/change-schedule.js'
import {
  dateOf,
  dayOfMonth,
  type PeriodRule,
  weekdayOf,
} from '../../customers/schedules/periods.js'
import { frequencies, scheduleStatuses } from '../../customers/schedules/schedule.js'
import type { Asset } from '../../money/assets.js'
import { metadataIn, readMetadata } from './metadata.js'
import { draftFields, orNone, readDiscount, readLines } from './read-invoice.js'
import { datePattern } from './read-time.js'
import { closed } from './schemas.js'

const dateIn = (description: string, example: string) =>
  Type.String({ pattern: datePattern, description, examples: [example] })

const { customer, asset, series, lines, discount, memo, footer, language } = draftFields

const fields = {
  endsOn: dateIn('No invoice is made after this day. Default: no end.', '2036-12-31'),
  dueAfterDays: Type.Integer({
    minimum: 0,
    maximum: invoiceLimits.scheduleDueAfterDaysMax,
    description:
      'An invoice is due at the end of the day that is so many days after it was made. Default: 7.',
    examples: [7],
  }),
}

export const scheduleBody = withExample(
  closed({
    customer,
    frequency: Type.Enum([...frequencies], {
      description: 'Whether `every` counts months or weeks.',
      examples: ['monthly'],
    }),
    every: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: invoiceLimits.scheduleIntervalMax,
        description: '1: each month or week; 2: every other. Default: 1.',
        examples: [1],
      }),
    ),
    day: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31,
        description:
          'Day of the month, for monthly schedules; the last one in months that are shorter. Default: that of `startsOn`.',
        examples: [5],
      }),
    ),
    weekday: Type.Optional(
      Type.Enum([...weekdays], {
        description: 'Day of the week, for weekly schedules. Default: that of `startsOn`.',
        examples: ['monday'],
      }),
    ),
    startsOn: Type.Optional(
      dateIn('No invoice is made before this day. Default: today.', '2036-01-05'),
    ),
    endsOn: Type.Optional(fields.endsOn),
    dueAfterDays: Type.Optional(fields.dueAfterDays),
    asset: Type.Optional(asset),
    series: Type.Optional(series),
    lines,
    discount: Type.Optional(discount),
    memo: Type.Optional(memo),
    footer: Type.Optional(footer),
    language: Type.Optional(language),
    metadata: Type.Optional(metadataIn),
  }),
  {
    customer: referenceSample(prefixes.customer),
    frequency: 'monthly',
    day: 5,
    lines: [{ description: 'Ankara fabric, 6 yards', quantity: '2', unitAmount: 450_000 }],
  },
)

export const scheduleChange = withExample(
  closed({
    status: Type.Optional(
      Type.Enum([...scheduleStatuses], {
        description:
          '`PAUSED` pauses it, `ACTIVE` resumes it without the days that have passed, `ENDED` ends it for good.',
        examples: ['PAUSED'],
      }),
    ),
    endsOn: Type.Optional(Type.Union([fields.endsOn, Type.Null()])),
    dueAfterDays: Type.Optional(fields.dueAfterDays),
    lines: Type.Optional(lines),
    discount: Type.Optional(Type.Union([discount, Type.Null()])),
    memo: orNone(memo),
    footer: orNone(footer),
    language: Type.Optional(language),
    metadata: Type.Optional(metadataIn),
  }),
  { status: 'PAUSED' },
)

export function readNewSchedule(
  body: Static<typeof scheduleBody>,
  { now, bodyText }: { now: Date; bodyText: string },
): NewSchedule {
  const asset = (body.asset ?? 'NGN') as Asset
  const startsOn = body.startsOn ?? dateOf(now)
  return {
    customer: body.customer,
    rule: readRule(body, startsOn),
    startsOn,
    endsOn: body.endsOn ?? null,
    dueAfterDays: body.dueAfterDays ?? invoiceLimits.dueAfterDays,
    asset,
    series: body.series ?? 'INV',
    lines: readLines(body.lines, asset),
    discount: readDiscount(body.discount ?? null, asset),
    memo: body.memo ?? null,
    footer: body.footer ?? null,
    language: body.language ?? 'en',
    metadata: readMetadata({ bodyText }),
  }
}

function readRule(
  { frequency, every = 1, day, weekday }: Static<typeof scheduleBody>,
  startsOn: string,
): PeriodRule {
  if (frequency === 'monthly') {
    if (weekday !== undefined) throw invalidField('weekday', 'is for weekly schedules')
    return { frequency, every, monthDay: day ?? dayOfMonth(startsOn), weekday: null }
  }
  if (day !== undefined) throw invalidField('day', 'is for monthly schedules')
  return { frequency: 'weekly', every, monthDay: null, weekday: weekday ?? weekdayOf(startsOn) }
}

/** Fields that the request names, in the asset of the schedule. */
export function readScheduleChange(
  body: Static<typeof scheduleChange>,
  request: { bodyText: string },
  asset: Asset,
): ScheduleChange {
  const { lines, discount, metadata, status, endsOn, dueAfterDays, memo, footer, language } = body
  return {
    ...(status !== undefined && { status }),
    ...(endsOn !== undefined && { endsOn }),
    ...(dueAfterDays !== undefined && { dueAfterDays }),
    ...(lines !== undefined && { lines: readLines(lines, asset) }),
    ...(discount !== undefined && { discount: readDiscount(discount, asset) }),
    ...(memo !== undefined && { memo }),
    ...(footer !== undefined && { footer }),
    ...(language !== undefined && { language }),
    ...(metadata !== undefined && { metadata: readMetadata(request) }),
  }
}
