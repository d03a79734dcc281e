import Type, { type TSchema, type TString } from 'typebox'
import { limits } from '../../base/limits.js'
import { decimalPattern } from '../../money/amounts.js'
import { notYet } from '../../resources/shapes.js'

/** Schemas that several operations share. They validate, and they write the OpenAPI document. */

/** What a database can keep and a log can show. */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'

/** One status, or a class of them. */
export const statusPattern = '^[1-5](\\d\\d|xx)$'

export const bankCodePattern = '^\\d{3,9}$'
export const accountNumberPattern = '^\\d{10}$'

/** One `@`, and nothing that cannot be seen or kept, or that turns what follows it around. */
const emailPart = '[^\\s@\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+'
export const emailPattern = `^${emailPart}@${emailPart}$`

export const koboInput = Type.Integer({
  minimum: 1,
  maximum: Number(limits.money.wireMax),
  description: 'Naira in kobo.',
  examples: [1_250_000],
})

export const decimalInput = Type.String({
  pattern: decimalPattern,
  format: 'amount',
  description: 'A decimal amount; at most 6 digits after the point.',
  examples: ['25.50'],
})

export const stablecoinInput = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })

/** May be said, and says nothing new. */
export const nairaInput = Type.Enum(['NGN'], { examples: ['NGN'] })

export const networkInput = Type.Enum(['SOLANA'], { examples: ['SOLANA'] })

/** Opaque: made by us, and only ever sent back. */
const cursorSample = 'dmFfMDZkc3Q0bTdiMGZndjN4MGJhOWJ3cmYweXg'

/** What a path names. Whatever stands there is looked up, so it has no form of its own. */
export const inPath = <Name extends string>(name: Name, example: string) =>
  Type.Object({
    [name]: Type.String({
      description: 'As it was answered when it was made.',
      examples: [example],
    }),
  } as Record<Name, TString>)

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.http.pageSize,
      description: 'Items per page.',
      examples: [20],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.http.cursorLength,
      description: 'The `nextCursor` of the page before.',
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

/** Which of the words, where a list is asked for. */
export const oneOf = (words: string[], description: string) =>
  Type.Enum(words, { type: 'string', description, examples: [words[0]] })

export const withStatus = (statuses: string[]) => oneOf(statuses, 'Only those in this state.')

/** Fields that are not named are refused, by name. */
export function closed<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
