import Type, { type Static } from 'typebox'
import type { Environment } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { withDescription, withExample } from '../../base/shapes.js'
import { paymentLinkLimits } from '../../collections/limits.js'
import type { LinkTerms } from '../../collections/links/change-link.js'
import { slugPattern } from '../../collections/links/link.js'
import { visible } from '../../merchants/settings/settings-document.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { metadataIn, readMetadata } from './metadata.js'
import { checkNairaField } from './naira-limits.js'
import { readTimeTo, timeIn } from './read-time.js'
import { readWebUrl, webUrlPattern } from './read-web-url.js'
import { closed, koboInput, networkInput, stablecoinInput } from './schemas.js'

const { fieldsMax, labelLengthMax, slugLengthMin, slugLengthMax } = paymentLinkLimits

const fields = {
  slug: Type.String({
    minLength: slugLengthMin,
    maxLength: slugLengthMax,
    pattern: slugPattern,
    description:
      'End of the URL: small letters, digits and hyphens. Unique among all merchants, and never changed. Default: eight random characters.',
    examples: ['ada-bread'],
  }),
  description: Type.String({
    minLength: 1,
    maxLength: limits.checkout.descriptionLengthMax,
    ...visible,
    description: 'What is paid for. Payers read it.',
    examples: ['Two loaves of agege bread'],
  }),
  amount: withDescription(
    koboInput,
    'What each payer pays, in kobo. Without it, the payer chooses.',
  ),
  minAmount: withExample(
    withDescription(koboInput, 'The least that a payer can choose, in kobo.'),
    50_000,
  ),
  maxAmount: withExample(
    withDescription(koboInput, 'The most that a payer can choose, in kobo.'),
    5_000_000,
  ),
  crypto: closed({ asset: stablecoinInput, network: networkInput }),
  fields: Type.Array(
    closed({
      label: Type.String({
        minLength: 1,
        maxLength: labelLengthMax,
        ...visible,
        description: 'What the payer is asked.',
        examples: ['Size'],
      }),
      required: Type.Optional(
        Type.Boolean({
          description: 'Whether the payer must answer. Default: true.',
          examples: [true],
        }),
      ),
    }),
    {
      maxItems: fieldsMax,
      description: `What the payer is asked, besides name and e-mail address. Answers are in \`metadata.answers\` of the session. At most ${fieldsMax}, each with a label of its own.`,
      examples: [[{ label: 'Size', required: true }]],
    },
  ),
  usesMax: Type.Integer({
    minimum: 1,
    maximum: paymentLinkLimits.usesMax,
    description:
      'Paid sessions after which the link is sold out. A session that waits for its payment reserves nothing: if several wait for the last one, all of them can be paid.',
    examples: [100],
  }),
  active: Type.Boolean({
    description: 'False: the page makes no new sessions. Default: true.',
    examples: [true],
  }),
  expiresAt: timeIn(
    'When the link stops making sessions, in the future. A date includes that day in Lagos.',
  ),
  successUrl: Type.String({
    minLength: 1,
    maxLength: limits.checkout.urlLengthMax,
    pattern: webUrlPattern,
    description:
      'Where the customer continues after paying. `reference` of the session is added to the query.',
    examples: ['https://shop.example/thanks'],
  }),
}

const cryptoIn = withDescription(
  fields.crypto,
  'Lets payers pay in a stablecoin instead, at the rate of the moment in which they open the session. Needs `paymentMethods.crypto` in the settings.',
)

export const linkBody = withExample(
  closed({
    slug: Type.Optional(fields.slug),
    description: fields.description,
    amount: Type.Optional(fields.amount),
    minAmount: Type.Optional(fields.minAmount),
    maxAmount: Type.Optional(fields.maxAmount),
    crypto: Type.Optional(cryptoIn),
    fields: Type.Optional(fields.fields),
    usesMax: Type.Optional(fields.usesMax),
    active: Type.Optional(fields.active),
    expiresAt: Type.Optional(fields.expiresAt),
    successUrl: Type.Optional(fields.successUrl),
    metadata: Type.Optional(metadataIn),
  }),
  { description: 'Two loaves of agege bread', amount: 1_250_000 },
)

export const linkChange = withExample(
  closed({
    description: Type.Optional(fields.description),
    amount: Type.Optional(Type.Union([fields.amount, Type.Null()])),
    minAmount: Type.Optional(Type.Union([fields.minAmount, Type.Null()])),
    maxAmount: Type.Optional(Type.Union([fields.maxAmount, Type.Null()])),
    crypto: Type.Optional(Type.Union([cryptoIn, Type.Null()])),
    fields: Type.Optional(fields.fields),
    usesMax: Type.Optional(Type.Union([fields.usesMax, Type.Null()])),
    active: Type.Optional(fields.active),
    expiresAt: Type.Optional(Type.Union([fields.expiresAt, Type.Null()])),
    successUrl: Type.Optional(Type.Union([fields.successUrl, Type.Null()])),
    metadata: Type.Optional(metadataIn),
  }),
  { active: false },
)

type SentTerms = Static<typeof linkChange>

type LinkRequest = { environment: Environment; now: Date; bodyText: string }

const noTerms: Omit<LinkTerms, 'description' | 'metadata'> = {
  amount: null,
  amountMin: null,
  amountMax: null,
  cryptoAsset: null,
  fields: [],
  usesMax: null,
  isActive: true,
  expiresAt: null,
  successUrl: null,
}

export function readNewLink(
  api: Pick<ApiParts, 'naira'>,
  { slug, description, ...sent }: Static<typeof linkBody>,
  request: LinkRequest,
): LinkTerms & { slug: string | null } {
  const metadata = readMetadata(request)
  const named = readLinkChange(api, sent, request)
  return { ...noTerms, ...named, slug: slug ?? null, description, metadata }
}

/** The terms that the request names. */
export function readLinkChange(
  api: Pick<ApiParts, 'naira'>,
  sent: SentTerms,
  request: LinkRequest,
): Partial<LinkTerms> {
  const { description, amount, minAmount, maxAmount, crypto, usesMax, active } = sent
  const { fields, expiresAt, successUrl, metadata } = sent
  const readKobo = (field: string, kobo: number | null) => {
    if (kobo !== null) checkNairaField(api, request.environment, field, BigInt(kobo))
    return kobo === null ? null : BigInt(kobo)
  }
  return {
    ...(description !== undefined && { description }),
    ...(amount !== undefined && { amount: readKobo('amount', amount) }),
    ...(minAmount !== undefined && { amountMin: readKobo('minAmount', minAmount) }),
    ...(maxAmount !== undefined && { amountMax: readKobo('maxAmount', maxAmount) }),
    ...(crypto !== undefined && { cryptoAsset: crypto?.asset ?? null }),
    ...(fields !== undefined && { fields: readFields(fields) }),
    ...(usesMax !== undefined && { usesMax }),
    ...(active !== undefined && { isActive: active }),
    ...(expiresAt !== undefined && {
      expiresAt: expiresAt === null ? null : readExpiry(request.now, expiresAt),
    }),
    ...(successUrl !== undefined && {
      successUrl: readWebUrl('successUrl', successUrl ?? undefined),
    }),
    ...(metadata !== undefined && { metadata: readMetadata(request) }),
  }
}

function readFields(sent: NonNullable<SentTerms['fields']>): LinkTerms['fields'] {
  return sent.map(({ label, required = true }) => ({ label, required }))
}

function readExpiry(now: Date, text: string): Date {
  const expiresAt = readTimeTo('expiresAt', text)
  if (expiresAt <= now) throw invalidField('expiresAt', 'must be in the future')
  return expiresAt
}
