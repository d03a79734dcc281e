import Type, { type TProperties, type TSchema } from 'typebox'
import { type Prefix, toReference } from './ids.js'

/**
 * Building blocks of resource schemas. Every field has an example, and the example of a resource is
 * composed from those of its fields. They must fit together, so all of them describe one payment.
 */

/** A plain spread would lose the hidden properties that make an object a TypeBox schema. */
const copyWith = <Schema extends TSchema>(schema: Schema, more: object): Schema =>
  Object.assign(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(schema)), more)

export const withExample = <Schema extends TSchema>(schema: Schema, example: unknown): Schema =>
  copyWith(schema, { examples: [example] })

export const withDescription = <Schema extends TSchema>(
  schema: Schema,
  description: string | undefined,
): Schema => (description === undefined ? schema : copyWith(schema, { description }))

/** The title becomes the schema's name under `components` in the OpenAPI document. */
export const resource = <Properties extends TProperties>(title: string, properties: Properties) =>
  Object.assign(Type.Object(properties), { title })

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  withDescription(Type.Union([schema, Type.Null()]), description)

/** Null in the example, because it has not happened there yet. */
export const notYet = <Schema extends TSchema>(schema: Schema, description?: string) =>
  withExample(orNull(schema, description), null)

export const text = (example: string, description?: string) =>
  withDescription(Type.String({ examples: [example] }), description)

export const flag = (example: boolean, description?: string) =>
  withDescription(Type.Boolean({ examples: [example] }), description)

/** Far ahead, so that an account of the examples that awaits its payment has not expired. */
export const sampleTime = '2036-01-05T09:00:00.000Z'

export const time = Type.String({
  description: 'ISO 8601 timestamp in UTC, with milliseconds.',
  examples: [sampleTime],
})
export const timestamp = (description: string) => withDescription(time, description)
/** Half an hour after every other time of the examples. */
export const expiry = withExample(
  timestamp('When it expires. A payment received later counts as late.'),
  '2036-01-05T09:30:00.000Z',
)

/** All examples share one id, as if everything had been created at the same moment. */
const sampleId = '019b8d62-7a80-7c31-9f04-5ad2be61e0f7'
export const referenceSample = (prefix: Prefix) => toReference(prefix, sampleId)
export const reference = (prefix: Prefix, description = 'Unique identifier.') =>
  text(referenceSample(prefix), description)
/** Longer than other references: it is a secret of its own. */
export const sessionSample = 'cs_06dst4m7b0fgv3x0ba9bwrf0yx3k5r8c2h7m4q9'

/**
 * Every amount of money names its unit in `x-unit`, for programs that read the OpenAPI document,
 * such as the command line: `kobo` is an integer, `coin` a decimal of the asset beside it. A text
 * that may be either, such as a filter, has `kobo or coin`: kobo if the asset is NGN or not named.
 */
/** An optional query parameter that the example request of its operation sends. */
export const inSample = { 'x-sample': true } as const

export const inKobo = { 'x-unit': 'kobo' } as const
export const inCoins = { 'x-unit': 'coin' } as const
export const inEither = { 'x-unit': 'kobo or coin' } as const

export const kobo = Type.Integer({
  ...inKobo,
  description: 'Amount in kobo.',
  examples: [1_250_000],
})
export const decimal = Type.String({
  ...inCoins,
  description: 'Decimal amount.',
  examples: ['25.50'],
})
export const stablecoin = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })
export const network = Type.Literal('SOLANA', { examples: ['SOLANA'] })
export const naira = Type.Literal('NGN', { examples: ['NGN'] })
export const anyAmount = Type.Union([Type.Integer(inKobo), Type.String(inCoins)], {
  description: 'An integer in kobo for NGN; a decimal string for USDC and USDT.',
  examples: [1_250_000],
})
export const anyAsset = Type.Enum(['NGN', 'USDC', 'USDT'], { examples: ['NGN'] })
export const walletSample = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
export const walletAddress = text(walletSample, 'Wallet address on Solana.')
export const sampleSignature =
  '5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv'
export const signature = text(sampleSignature, 'Signature of the Solana transaction.')
export const sampleHash = '9f2c41d08b7e63a5149cd2f07ab8e6135c04d9b72e81f36a0cd574b98e1f2a63'
export const bankCode = text('058', 'Code of the bank, as listed by `GET /v1/banks`.')
export const bankName = text('GTBank', 'Name of the bank.')
export const accountNumber = text('0123456789', 'Ten-digit account number.')
export const accountName = text('ADA OBI', 'Name of the account holder.')
export const metadata = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The JSON object you sent, returned unchanged.',
    examples: [{ order: 'a-1001' }],
  },
)
