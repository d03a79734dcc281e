import Type, { type TProperties, type TSchema } from 'typebox'

/** What the shapes of resources are made of. */

export const time = Type.String({
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-01-05T09:00:00.000Z'],
})

/** Its title names it where documents refer to it. */
export const resource = <Properties extends TProperties>(title: string, properties: Properties) =>
  Object.assign(Type.Object(properties), { title })

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const text = (...examples: string[]) => Type.String({ examples })
export const kobo = Type.Integer({ description: 'Naira in kobo.', examples: [1_250_000] })
export const decimal = Type.String({ description: 'A decimal amount.', examples: ['25.50'] })
export const stablecoin = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })
export const network = Type.Literal('SOLANA')
export const naira = Type.Literal('NGN')
export const metadata = Type.Object(
  {},
  { additionalProperties: true, description: 'As you sent it.' },
)
