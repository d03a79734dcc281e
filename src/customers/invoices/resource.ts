import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
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
  referenceSample,
  resource,
  text,
  timestamp,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { formatUnits, toWire } from '../../money/amounts.js'
import { formatPercent } from '../../money/percent.js'
import { customerReference } from '../customer.js'
import { scheduleReference } from '../schedules/schedule.js'
import { computeInvoice } from './compute-invoice.js'
import { type Invoice, invoiceNumber, invoiceReference, invoiceStatuses } from './invoice.js'
import { readDiscount, readInstalments, readLines } from './read-invoice.js'

const amountOf = (description: string, example: number) =>
  withExample(withDescription(anyAmount, description), example)

const vatPercent = notYet(text('7.5'), 'Rate of VAT on the line, in percent; null for none.')

export const shownLines = Type.Array(
  Type.Object({
    description: text('Ankara fabric, 6 yards', 'What is sold.'),
    quantity: text('2', 'How much of it: a decimal with at most three places.'),
    unitAmount: amountOf('Price of one, without VAT.', 450_000),
    vatPercent,
    amount: amountOf('Quantity times unit amount, rounded half up.', 900_000),
  }),
  { description: 'What is sold, in the order you wrote it.' },
)

export const shownDiscount = orNull(
  Type.Object({
    percent: notYet(text('10'), 'Percentage of the subtotal.'),
    amount: amountOf('What it takes off the subtotal.', 0),
  }),
  'Taken off all lines in proportion, before VAT.',
)

export const invoice = resource('Invoice', {
  reference: reference(prefixes.invoice, 'Identifies the invoice.'),
  number: notYet(
    text('INV-000042'),
    'Number within its series, without gaps; null while it is a draft.',
  ),
  series: text('INV', 'Series of its number.'),
  status: Type.Enum([...invoiceStatuses], {
    description:
      '`DRAFT`: can be changed and is not due. `OPEN`: nothing is paid yet. `OVERDUE`: something should have been paid by now. `VOID`: was never paid and is not due any more.',
    examples: ['DRAFT'],
  }),
  customer: reference(prefixes.customer, 'Who pays it.'),
  asset: withDescription(anyAsset, 'What it is written in.'),
  lines: shownLines,
  discount: shownDiscount,
  subtotal: amountOf('Sum of the lines.', 900_000),
  vat: amountOf('VAT on what the discount leaves, rounded half up for each rate.', 0),
  total: amountOf('What is to be paid in all.', 900_000),
  amountDue: amountOf('What is still to be paid.', 900_000),
  amountPaid: amountOf('What was paid and kept.', 0),
  amountCredited: amountOf('What you gave up.', 0),
  amountRefunded: amountOf('What was paid and refunded; it is not due again.', 0),
  instalments: Type.Array(
    Type.Object({
      amount: amountOf('What is due then.', 450_000),
      dueAt: timestamp('When it is due.'),
    }),
    { description: 'Empty if all is due at once. Earlier ones are paid first.', examples: [[]] },
  ),
  dueAt: notYet(timestamp('When the last of it is due.')),
  memo: notYet(text('Thank you, Ada'), 'Note to the customer, above the lines.'),
  footer: notYet(text('RC 1234567'), 'Small print, below the total.'),
  language: Type.Enum([...languages], {
    description: 'Language of its page, its PDF and its mails.',
    examples: ['en'],
  }),
  url: notYet(
    text('https://pay.example.com/i/4t9e0m5v8h2q7x3k6c1r9b0n5d'),
    'Page of the invoice for your customer. Anyone with the URL can open it.',
  ),
  schedule: orNull(
    text(referenceSample(prefixes.invoiceSchedule)),
    'The schedule that made it; null if you did.',
  ),
  period: orNull(text('2036-01-05'), 'The day of the schedule that it is for.'),
  sentAt: notYet(timestamp('When it was last mailed to the customer.')),
  metadata,
  createdAt: timestamp('When the draft was created.'),
  finalizedAt: notYet(timestamp('When it got its number.')),
  paidAt: notYet(timestamp('When nothing of it was due any more.')),
  voidedAt: notYet(timestamp('When it was voided.')),
})

/** The lines and discount of an invoice or schedule, and what they add up to. */
export function showPrices(priced: Pick<Invoice, 'asset' | 'lines' | 'discount'>) {
  const { asset } = priced
  const lines = readLines(priced)
  const discount = readDiscount(priced)
  const amounts = computeInvoice(lines, discount)
  return {
    lines: lines.map(({ description, quantity, unitAmount, vatBasisPoints }, index) => ({
      description,
      quantity: formatUnits(quantity, 3),
      unitAmount: toWire(unitAmount, asset),
      vatPercent: vatBasisPoints === 0 ? null : formatPercent(vatBasisPoints),
      amount: toWire(amounts.lines[index]!, asset),
    })),
    discount: discount && {
      percent: 'basisPoints' in discount ? formatPercent(discount.basisPoints) : null,
      amount: toWire(amounts.discount, asset),
    },
    total: toWire(amounts.total, asset),
  }
}

/** `now` is the time of the environment: it decides what is overdue. */
export function showInvoice(shown: Invoice, now: Date): JsonText {
  const { asset, status, nextDueAt } = shown
  const { lines, discount } = showPrices(shown)
  const orNone = (time: Date | null) => time && toIsoText(time)
  const fields: Omit<Static<typeof invoice>, 'metadata'> = {
    reference: invoiceReference(shown),
    number: invoiceNumber(shown),
    series: shown.series,
    status: nextDueAt !== null && nextDueAt < now ? 'OVERDUE' : status,
    customer: customerReference({ id: shown.customerId }),
    asset,
    lines,
    discount,
    subtotal: toWire(shown.subtotal, asset),
    vat: toWire(shown.vat, asset),
    total: toWire(shown.total, asset),
    amountDue: toWire(shown.amountDue, asset),
    amountPaid: toWire(shown.amountPaid, asset),
    amountCredited: toWire(shown.amountCredited, asset),
    amountRefunded: toWire(shown.amountRefunded, asset),
    instalments: readInstalments(shown).map(({ amount, dueAt }) => ({
      amount: toWire(amount, asset),
      dueAt: toIsoText(dueAt),
    })),
    dueAt: orNone(shown.dueAt),
    memo: shown.memo,
    footer: shown.footer,
    language: shown.language,
    url: status === 'DRAFT' ? null : shown.url,
    schedule: shown.scheduleId && scheduleReference({ id: shown.scheduleId }),
    period: shown.period,
    sentAt: orNone(shown.sentAt),
    createdAt: toIsoText(shown.createdAt),
    finalizedAt: orNone(shown.finalizedAt),
    paidAt: orNone(shown.paidAt),
    voidedAt: orNone(shown.voidedAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
