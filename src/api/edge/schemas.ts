import Type, { type TSchema, type TString } from 'typebox'
import { limits } from '../../base/limits.js'
import { decimalPattern } from '../../money/amounts.js'
import { notYet } from '../../resources/shapes.js'

/** Schemas that several operations share, for validation and the OpenAPI document. */

/** No control characters: safe to store and to log. */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'

/** One status, or a class such as 4xx. */
export const statusPattern = '^[1-5](\\d\\d|xx)$'

/** Most are digits; some, such as 035A, contain letters. */
export const bankCodePattern = '^[0-9A-Za-z]{3,9}$'
export const accountNumberPattern = '^\\d{10}$'
export const identityNumberPattern = '^\\d{11}$'

export const koboInput = Type.Integer({
  minimum: 1,
  maximum: Number(limits.money.wireMax),
  description: 'Amount in kobo.',
  examples: [1_250_000],
})

export const decimalInput = Type.String({
  pattern: decimalPattern,
  format: 'amount',
  description: 'Decimal amount with at most 6 digits after the point.',
  examples: ['25.50'],
})

export const stablecoinInput = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })

/** Optional in requests about naira, where it changes nothing. */
export const nairaInput = Type.Enum(['NGN'], { examples: ['NGN'] })

export const networkInput = Type.Enum(['SOLANA'], { examples: ['SOLANA'] })

const cursorSample = 'dmFfMDZkc3Q0bTdiMGZndjN4MGJhOWJ3cmYweXg'

/** A path parameter. Not validated: an unknown value is simply not found. */
export const inPath = <Name extends string>(name: Name, example: string) =>
  Type.Object({
    [name]: Type.String({
      description: 'Reference from the response that created it.',
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
      description: 'The `nextCursor` of the previous page.',
      examples: [cursorSample],
    }),
  ),
}

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
