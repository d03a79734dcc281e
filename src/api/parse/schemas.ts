import Type, { type TSchema, type TSchemaOptions, type TString } from 'typebox'
import { plainText } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { inCoins, inEither, inKobo, notYet } from '../../base/shapes.js'
import { visible, visibleLines } from '../../merchants/settings/settings-document.js'
import { decimalPattern, positiveDecimalPattern } from '../../money/amounts.js'
import { payoutPurposes } from '../../payouts/levies/levy.js'
import { listLimits } from '../../postgres/limits.js'
import { fromIn, toIn } from './read-time.js'

/** Schemas that several operations share, for validation and the OpenAPI document. */

export { plainText }

/** A text for people, such as a reason or a note, in one line. Blank ones are refused. */
export const lineOfText = (lengthMax: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength: lengthMax, ...visible, ...options })

/** The same, in several lines. */
export const linesOfText = (lengthMax: number, options: TSchemaOptions = {}) =>
  lineOfText(lengthMax, { pattern: visibleLines, ...options })

/** One status, or a class such as 4xx. */
export const statusPattern = '^[1-5](\\d\\d|xx)$'

/** Most are digits; some, such as 035A, contain letters. */
export const bankCodePattern = '^[0-9A-Za-z]{3,9}$'
export const accountNumberPattern = '^\\d{10}$'
export const identityNumberPattern = '^\\d{11}$'

export const koboInput = Type.Integer({
  ...inKobo,
  minimum: 1,
  maximum: Number(limits.money.wireMax),
  description: 'Amount in kobo.',
  examples: [1_250_000],
})

/** The specification prescribes the first pattern; the second adds what else is refused. */
export const decimalInput = Type.String({
  ...inCoins,
  pattern: decimalPattern,
  allOf: [{ pattern: positiveDecimalPattern }],
  maxLength: limits.money.decimalDigitsMax + 1,
  format: 'amount',
  description: 'Decimal amount, more than zero, with at most 6 digits after the point.',
  examples: ['25.50'],
})

export const stablecoinInput = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })

/** Optional in requests about naira, where it changes nothing. */
export const nairaInput = Type.Enum(['NGN'], { examples: ['NGN'] })

/** Some purposes are exempt from the stamp duty. */
export const purposeInput = Type.Enum([...payoutPurposes], {
  description:
    'What the transfer is for, if that matters to the stamp duty: a `salary` is exempt. Omit it otherwise.',
  examples: ['salary'],
  'x-left-out': true,
})

export const networkInput = Type.Enum(['SOLANA'], { examples: ['SOLANA'] })

/** A JSON object in base64url (cursor.ts, page-source.ts). No example: each is of one list. */
export const cursorPattern = '^(r\\.)?eyJ[A-Za-z0-9_-]+$'

/** A path parameter. Not validated: an unknown value is simply not found. */
export const inPath = <Name extends string>(
  name: Name,
  example: string,
  description = 'Reference from the response that created it.',
) =>
  Type.Object({
    [name]: Type.String({
      maxLength: limits.http.pathSegmentLengthMax,
      description,
      examples: [example],
    }),
  } as Record<Name, TString>)

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.http.pageSizeMax,
      description: 'Items per page.',
      examples: [20],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.http.cursorLengthMax,
      pattern: cursorPattern,
      description: 'The `nextCursor` of the previous page.',
    }),
  ),
}

/** Filters by time of creation, which ids hold. */
export const timeFilters = {
  from: Type.Optional(fromIn('Only items created at this time or later.')),
  to: Type.Optional(toIn('Only items created before this time.')),
}

const amountFilter = (unit: object, description: string) =>
  Type.Optional(
    Type.String({
      ...unit,
      pattern: decimalPattern,
      maxLength: limits.money.decimalDigitsMax + 1,
      description,
      examples: ['1'],
    }),
  )

const eitherUnit = 'kobo if `currency` is NGN or absent, else a decimal'

export const amountFilters = {
  minAmount: amountFilter(inEither, `Only amounts of at least this: ${eitherUnit}.`),
  maxAmount: amountFilter(inEither, `Only amounts of at most this: ${eitherUnit}.`),
}

export const coinAmountFilters = {
  minAmount: amountFilter(inCoins, 'Only amounts of at least this, a decimal.'),
  maxAmount: amountFilter(inCoins, 'Only amounts of at most this, a decimal.'),
}

export const searchText = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: listLimits.searchLengthMax,
      pattern: plainText,
      description,
      examples: [example],
    }),
  )

const count = Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+\\+$' })], {
  description: `Number of items; with a plus, such as \`"${listLimits.countMax}+"\`, if there may be more.`,
  examples: [3],
})

export const countsOf = (statuses: readonly string[]) =>
  Type.Object({
    total: count,
    byStatus: Type.Object(Object.fromEntries(statuses.map((status) => [status, count])), {
      description: 'Number of items in each state.',
    }),
  })

export function page(item: TSchema) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: notYet(Type.String()),
  })
}

/** A filter of a list. */
export const oneOf = (words: string[], description: string) =>
  Type.Enum(words, { type: 'string', description, examples: [words[0]] })

export const withStatus = (statuses: string[]) => oneOf(statuses, 'Only items in this state.')

/** Refuses unknown fields. */
export function closed<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
