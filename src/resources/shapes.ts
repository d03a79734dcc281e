import Type, { type TProperties, type TSchema } from 'typebox'
import { type Prefix, toReference } from '../base/ids.js'

/**
 * What the shapes of resources are made of. Every field has an example, and together they are the
 * example of the resource: so they must fit each other, as in one story of one payment.
 */

/** A copy: what makes it a schema cannot be seen, and would not come along in a spread. */
const copyWith = <Schema extends TSchema>(schema: Schema, more: object): Schema =>
  Object.assign(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(schema)), more)

/** The same shape, with the example that fits where it stands. */
export const showing = <Schema extends TSchema>(schema: Schema, ...examples: unknown[]): Schema =>
  copyWith(schema, { examples })

/** The same shape, in the words that fit where it stands. */
export const described = <Schema extends TSchema>(schema: Schema, description: string): Schema =>
  copyWith(schema, { description })

export const time = Type.String({
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-01-05T09:00:00.000Z'],
})
/** Half an hour after everything else. */
export const expiry = showing(time, '2026-01-05T09:30:00.000Z')

/** Its title names it where documents refer to it. */
export const resource = <Properties extends TProperties>(title: string, properties: Properties) =>
  Object.assign(Type.Object(properties), { title })

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
/** Null in the example: what it waits for has not happened there. */
export const notYet = <Schema extends TSchema>(schema: Schema) => showing(orNull(schema), null)
export const text = (...examples: string[]) => Type.String({ examples })
export const truth = (example: boolean, description?: string) =>
  Type.Boolean({ ...(description !== undefined && { description }), examples: [example] })

/** One id stands for all, as if everything had been made at the same moment. */
const sampleId = '019b8d62-7a80-7c31-9f04-5ad2be61e0f7'
export const referenceSample = (prefix: Prefix) => toReference(prefix, sampleId)
export const reference = (prefix: Prefix) => text(referenceSample(prefix))
/** As long as they are: the reference of a session is a secret of its own. */
export const sessionSample = 'cs_06dst4m7b0fgv3x0ba9bwrf0yx3k5r8c2h7m4q9'

export const kobo = Type.Integer({ description: 'Naira in kobo.', examples: [1_250_000] })
export const decimal = Type.String({ description: 'A decimal amount.', examples: ['25.50'] })
export const stablecoin = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })
export const network = Type.Literal('SOLANA', { examples: ['SOLANA'] })
export const naira = Type.Literal('NGN', { examples: ['NGN'] })
export const walletAddress = text('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')
export const signature = text(
  '5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv',
)
export const metadata = Type.Object(
  {},
  { additionalProperties: true, description: 'As you sent it.', examples: [{ order: 'a-1001' }] },
)
