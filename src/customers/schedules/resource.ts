import Type, { type Static } from 'typebox'
import { toIsoText, weekdays } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import { type JsonText, withField } from '../../base/json-text.js'
import { languages } from '../../base/languages.js'
import {
  anyAmount,
  anyAsset,
  metadata,
  notYet,
  orNull,
  reference,
  resource,
  text,
  timestamp,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { customerReference } from '../customer.js'
import { shownDiscount, shownLines, showPrices } from '../invoices/resource.js'
import { frequencies, type Schedule, scheduleReference, scheduleStatuses } from './schedule.js'

export const invoiceSchedule = resource('InvoiceSchedule', {
  reference: reference(prefixes.invoiceSchedule, 'Identifies the schedule.'),
  status: Type.Enum([...scheduleStatuses], {
    description:
      '`ACTIVE`: makes invoices. `PAUSED`: makes none until you resume it. `ENDED`: makes none any more.',
    examples: ['ACTIVE'],
  }),
  customer: reference(prefixes.customer, 'Who pays its invoices.'),
  frequency: Type.Enum([...frequencies], {
    description: 'Whether `every` counts months or weeks.',
    examples: ['monthly'],
  }),
  every: Type.Integer({ description: '1: each month or week; 2: every other.', examples: [1] }),
  day: orNull(
    Type.Integer({ examples: [5] }),
    'Day of the month; the last one in months that are shorter. Null for weekly schedules.',
  ),
  weekday: orNull(
    Type.Enum([...weekdays], { examples: ['monday'] }),
    'Day of the week; null for monthly schedules.',
  ),
  startsOn: text('2036-01-05', 'No invoice is made before this day.'),
  endsOn: orNull(text('2036-12-31'), 'No invoice is made after this day; null: no end.'),
  nextOn: orNull(
    text('2036-01-05'),
    'Day of the next invoice, which is made at 06:00 in Lagos; null if none is planned.',
  ),
  runs: Type.Integer({ description: 'How many invoices it has made.', examples: [0] }),
  dueAfterDays: Type.Integer({
    description: 'An invoice is due at the end of the day that is so many days after it was made.',
    examples: [7],
  }),
  series: text('INV', 'Series of the numbers of its invoices.'),
  asset: withDescription(anyAsset, 'What its invoices are written in.'),
  lines: shownLines,
  discount: shownDiscount,
  total: withExample(withDescription(anyAmount, 'Total of each invoice.'), 900_000),
  memo: notYet(text('Thank you, Ada'), 'Note to the customer, above the lines.'),
  footer: notYet(text('RC 1234567'), 'Small print, below the total.'),
  language: Type.Enum([...languages], {
    description: 'Language of its invoices.',
    examples: ['en'],
  }),
  metadata,
  createdAt: timestamp('When the schedule was created.'),
  endedAt: notYet(timestamp('When it ended.')),
})

export function showSchedule(shown: Schedule): JsonText {
  const { status, frequency, every, startsOn, endsOn, runs, dueAfterDays, series, asset } = shown
  const fields: Omit<Static<typeof invoiceSchedule>, 'metadata'> = {
    reference: scheduleReference(shown),
    status,
    customer: customerReference({ id: shown.customerId }),
    frequency,
    every,
    day: shown.monthDay,
    weekday: shown.weekday,
    startsOn,
    endsOn,
    nextOn: status === 'ACTIVE' ? shown.nextPeriod : null,
    runs,
    dueAfterDays,
    series,
    asset,
    ...showPrices(shown),
    memo: shown.memo,
    footer: shown.footer,
    language: shown.language,
    createdAt: toIsoText(shown.createdAt),
    endedAt: shown.endedAt && toIsoText(shown.endedAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
