import Type, { type Static } from 'typebox'
import { prefixes } from '../../base/ids.js'
import { languages } from '../../base/languages.js'
import { invalidField } from '../../base/refusal.js'
import { anyAsset, referenceSample, withDescription, withExample } from '../../base/shapes.js'
import type { DraftInvoice } from '../../customers/invoices/change-invoice.js'
import type { Discount } from '../../customers/invoices/compute-invoice.js'
import { quantityUnit } from '../../customers/invoices/compute-invoice.js'
import type { DraftLine } from '../../customers/invoices/read-invoice.js'
import { invoiceLimits } from '../../customers/limits.js'
import { visible, visibleLines } from '../../merchants/settings/settings-document.js'
import type { Asset } from '../../money/assets.js'
import { parsePercent, percentPattern } from '../../money/percent.js'
import { metadataIn, readMetadata } from './metadata.js'
import { readAnyAmount } from './read-coins.js'
import { readTimeFrom, readTimeTo, timeIn } from './read-time.js'
import { closed, decimalInput, koboInput } from './schemas.js'

/** Less than a million, at most three places. */
export const quantityPattern = '^\\d{1,6}(?:\\.\\d{1,3})?$'

export const seriesPattern = '^[A-Z][A-Z0-9]{0,11}$'

const amountIn = (description: string, example: number) =>
  Type.Union([koboInput, decimalInput], { description, examples: [example] })

const percentIn = (description: string, example: string) =>
  Type.String({ pattern: percentPattern, description, examples: [example] })

const longText = (example: string, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: invoiceLimits.textLengthMax,
    ...visible,
    pattern: visibleLines,
    description,
    examples: [example],
  })

const lineIn = closed({
  description: Type.String({
    minLength: 1,
    maxLength: invoiceLimits.descriptionLengthMax,
    ...visible,
    description: 'What is sold.',
    examples: ['Ankara fabric, 6 yards'],
  }),
  quantity: Type.Optional(
    Type.String({
      pattern: quantityPattern,
      description: 'How much of it: a decimal with at most three places. Default: 1.',
      examples: ['2'],
    }),
  ),
  unitAmount: amountIn('Price of one, without VAT: kobo for NGN, a decimal for coins.', 450_000),
  vatPercent: Type.Optional(percentIn('Rate of VAT on the line. Default: none.', '7.5')),
})

const discountIn = withDescription(
  closed({
    percent: Type.Optional(percentIn('Of the subtotal. Send it or `amount`.', '10')),
    amount: Type.Optional(amountIn('Taken off the subtotal: at most all of it.', 50_000)),
  }),
  'Taken off all lines in proportion, before VAT.',
)

const instalmentIn = closed({
  amount: amountIn('What is due then.', 450_000),
  dueAt: timeIn('When it is due. A date includes that day in Lagos.'),
})

export const draftFields = {
  customer: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Reference of the customer who pays it.',
    examples: [referenceSample(prefixes.customer)],
  }),
  asset: withDescription(anyAsset, 'What it is written in. Default: NGN.'),
  series: Type.String({
    pattern: seriesPattern,
    description:
      'Series of numbers: capital letters and digits. Each counts from 1 without gaps. Default: INV.',
    examples: ['INV'],
  }),
  lines: Type.Array(lineIn, {
    minItems: 1,
    maxItems: invoiceLimits.linesMax,
    description: 'The lines, in the order in which they are shown.',
    examples: [[{ description: 'Ankara fabric, 6 yards', quantity: '2', unitAmount: 450_000 }]],
  }),
  discount: discountIn,
  instalments: Type.Array(instalmentIn, {
    maxItems: invoiceLimits.instalmentsMax,
    description: 'Parts with dates of their own; they add up to the total. Default: none.',
    examples: [[]],
  }),
  dueAt: timeIn(
    'When it is due. A date includes that day in Lagos. Not together with `instalments`. Default: the end of the day a week after it is finalized.',
  ),
  memo: longText('Thank you, Ada', 'Note to the customer, above the lines.'),
  footer: longText('RC 1234567', 'Small print, below the total.'),
  language: Type.Enum([...languages], {
    description:
      'Language of its page, its PDF and its mails: English or French. What you write is not translated. Default: en.',
    examples: ['en'],
  }),
}

export const orNone = <Schema extends typeof draftFields.memo>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export const draftBody = withExample(
  closed({
    customer: draftFields.customer,
    asset: Type.Optional(draftFields.asset),
    series: Type.Optional(draftFields.series),
    lines: draftFields.lines,
    discount: Type.Optional(draftFields.discount),
    instalments: Type.Optional(draftFields.instalments),
    dueAt: Type.Optional(draftFields.dueAt),
    memo: Type.Optional(draftFields.memo),
    footer: Type.Optional(draftFields.footer),
    language: Type.Optional(draftFields.language),
    metadata: Type.Optional(metadataIn),
  }),
  {
    customer: referenceSample(prefixes.customer),
    lines: [{ description: 'Ankara fabric, 6 yards', quantity: '2', unitAmount: 450_000 }],
  },
)

export const draftChange = withExample(
  closed({
    customer: Type.Optional(draftFields.customer),
    series: Type.Optional(draftFields.series),
    lines: Type.Optional(draftFields.lines),
    discount: Type.Optional(Type.Union([draftFields.discount, Type.Null()])),
    instalments: Type.Optional(draftFields.instalments),
    dueAt: Type.Optional(Type.Union([draftFields.dueAt, Type.Null()])),
    memo: orNone(draftFields.memo),
    footer: orNone(draftFields.footer),
    language: Type.Optional(draftFields.language),
    metadata: Type.Optional(metadataIn),
  }),
  { memo: 'Thank you, Ada' },
)

export function readNewDraft(
  body: Static<typeof draftBody>,
  request: { bodyText: string },
): DraftInvoice {
  const asset = (body.asset ?? 'NGN') as Asset
  return {
    customer: body.customer,
    asset,
    series: body.series ?? 'INV',
    lines: readLines(body.lines, asset),
    discount: readDiscount(body.discount ?? null, asset),
    instalments: readInstalments(body.instalments ?? [], asset),
    dueAt: body.dueAt === undefined ? null : readDueAt('dueAt', body.dueAt),
    memo: body.memo ?? null,
    footer: body.footer ?? null,
    language: body.language ?? 'en',
    metadata: readMetadata(request),
  }
}

/** Fields that the request names, in the asset of the draft. */
export function readDraftChange(
  body: Static<typeof draftChange>,
  request: { bodyText: string },
  asset: Asset,
): Partial<DraftInvoice> {
  const { customer, series, lines, discount, instalments, dueAt } = body
  const { memo, footer, language, metadata } = body
  return {
    ...(customer !== undefined && { customer }),
    ...(series !== undefined && { series }),
    ...(lines !== undefined && { lines: readLines(lines, asset) }),
    ...(discount !== undefined && { discount: readDiscount(discount, asset) }),
    ...(instalments !== undefined && { instalments: readInstalments(instalments, asset) }),
    ...(dueAt !== undefined && { dueAt: dueAt === null ? null : readDueAt('dueAt', dueAt) }),
    ...(memo !== undefined && { memo }),
    ...(footer !== undefined && { footer }),
    ...(language !== undefined && { language }),
    ...(metadata !== undefined && { metadata: readMetadata(request) }),
  }
}

type SentLine = Static<typeof lineIn>

export function readLines(lines: SentLine[], asset: Asset): DraftLine[] {
  return lines.map(({ description, quantity = '1', unitAmount, vatPercent }, index) => ({
    description,
    quantity: readQuantity(`lines.${index}.quantity`, quantity),
    unitAmount: readAnyAmount(`lines.${index}.unitAmount`, unitAmount, asset),
    vatBasisPoints: vatPercent === undefined ? 0 : parsePercent(vatPercent),
  }))
}

function readQuantity(field: string, text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  const quantity = BigInt(whole) * quantityUnit + BigInt(fraction.padEnd(3, '0'))
  if (quantity === 0n) throw invalidField(field, 'must be more than 0')
  return quantity
}

export function readDiscount(
  sent: Static<typeof discountIn> | null,
  asset: Asset,
): Discount | null {
  if (sent === null) return null
  const { percent, amount } = sent
  if ((percent === undefined) === (amount === undefined))
    throw invalidField('discount', 'must have either `percent` or `amount`')
  if (percent !== undefined) return { basisPoints: parsePercent(percent) }
  return { amount: readAnyAmount('discount.amount', amount!, asset) }
}

function readInstalments(sent: Static<typeof instalmentIn>[], asset: Asset) {
  return sent.map(({ amount, dueAt }, index) => ({
    amount: readAnyAmount(`instalments.${index}.amount`, amount, asset),
    dueAt: readDueAt(`instalments.${index}.dueAt`, dueAt),
  }))
}

/** Earlier years are mistakes, such as a year of two digits. */
const dueFrom = readTimeFrom('dueAt', '2000-01-01')

function readDueAt(field: string, text: string): Date {
  const dueAt = readTimeTo(field, text)
  if (dueAt < dueFrom) throw invalidField(field, 'must be in the year 2000 or later')
  return dueAt
}
