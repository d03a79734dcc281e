import Type, { type TSchema } from 'typebox'
import { limits } from '../limits.js'
import { decimalPattern } from '../money/amounts.js'

/** Schemas that several operations share. They validate, and they write the OpenAPI document. */

/** What a database can keep and a log can show. */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'

export const bankCodePattern = '^\\d{3,9}$'
export const accountNumberPattern = '^\\d{10}$'

/** One `@`, and nothing that cannot be seen or kept, or that turns what follows it around. */
const emailPart = '[^\\s@\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+'
export const emailPattern = `^${emailPart}@${emailPart}$`

export const kobo = Type.Integer({
  minimum: 1,
  maximum: Number(limits.money.wireMax),
  description: 'Naira in kobo.',
  examples: [1_250_000],
})

export const decimal = Type.String({
  pattern: decimalPattern,
  format: 'amount',
  description: 'A decimal amount; at most 6 digits after the point.',
  examples: ['25.50'],
})

export const stablecoin = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })

export const network = Type.Enum(['SOLANA'], { examples: ['SOLANA'] })

export const anyAsset = Type.Enum(['NGN', 'USDC', 'USDT'], { examples: ['NGN'] })

/** An amount in an answer: its form follows the asset. */
export const amountOut = Type.Union([Type.Integer(), Type.String()], {
  description: 'NGN: an integer of kobo. USDC and USDT: a decimal string.',
  examples: [1_250_000],
})

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.http.pageSize, description: 'Items per page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.http.cursorLength,
      description: 'The `nextCursor` of the page before.',
    }),
  ),
}

export function page(item: TSchema) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  })
}

/** Fields that are not named are refused, by name. */
export function closed<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
