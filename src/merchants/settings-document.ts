import Type, { type Static } from 'typebox'
import type { Environment } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { decimalPattern } from '../money/amounts.js'

const closed = { additionalProperties: false }

const Action = Type.Enum(['return', 'accept', 'hold'], { type: 'string', examples: ['return'] })

const Policies = Type.Object(
  { underpayment: Action, overpayment: Action, latePayment: Action, duplicatePayment: Action },
  {
    ...closed,
    description:
      'What happens to money that does not match: it is returned, accepted, or held until you resolve it. For an overpayment this is about the excess.',
  },
)

/** Letters and signs that are written with nothing: fillers of Hangul, empty Braille and notes. */
const blank = '\\u115f\\u1160\\u2800\\u3164\\uffa0\u{1d159}'

/**
 * Something to see. Neither control characters nor those that turn the direction of a text, which
 * can disguise it.
 */
export const visibleText =
  `^(?=.*(?![${blank}])[\\p{L}\\p{N}\\p{P}\\p{S}])` +
  '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]+$'

/**
 * Pictures only, and their first bytes must agree with the type they claim. SVG is left out: it can
 * carry script.
 */
export const picture =
  '^data:image/(png;base64,iVBORw0KGgo|jpeg;base64,/9j/|webp;base64,UklGR)[A-Za-z0-9+/]*={0,2}$'
const pictureLength =
  'data:image/jpeg;base64,'.length + Math.ceil(limits.settings.logoBytes / 3) * 4

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const port =
  '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'

/** Written into a header as it is, so nothing but a plain origin may pass. */
export const origin = `^(https://${label}(\\.${label})*|http://(localhost|127\\.0\\.0\\.1))(:${port})?$`
const originLength = 'https://'.length + 253 + ':65535'.length

export const colour = '^#[0-9a-fA-F]{6}$'

const Checkout = Type.Object(
  {
    displayName: Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      pattern: visibleText,
      description: 'The name that payers see; the name of the merchant until you set one.',
      examples: ['Ada Stores'],
    }),
    colour: Type.Union([Type.String({ pattern: colour }), Type.Null()], {
      description: 'Colour of the page, such as `#0a7d4f`.',
      examples: ['#0a7d4f'],
    }),
    logo: Type.Union([Type.String({ maxLength: pictureLength, pattern: picture }), Type.Null()], {
      description: 'A PNG, JPEG or WebP picture of at most 32 kB as a `data:` URL in base64.',
      examples: [null],
    }),
    frameOrigins: Type.Array(Type.String({ pattern: origin, maxLength: originLength }), {
      maxItems: limits.settings.frameOrigins,
      uniqueItems: true,
      description: 'Sites that may show the page in a frame, such as `https://shop.example`.',
      examples: [['https://shop.example']],
    }),
  },
  closed,
)

const Decimal = Type.Union(
  [
    Type.String({ pattern: decimalPattern, maxLength: limits.money.decimalDigits + 1 }),
    Type.Null(),
  ],
  { examples: ['100'] },
)

const LowBalance = Type.Object(
  {
    NGN: Type.Union(
      [Type.Integer({ minimum: 1, maximum: Number(limits.money.wireMax) }), Type.Null()],
      { examples: [100_000] },
    ),
    USDC: Decimal,
    USDT: Decimal,
  },
  {
    ...closed,
    description:
      'Below which available balance `balance.low` is sent: NGN in kobo, the others in decimals; null for never.',
  },
)

const PaymentMethods = Type.Object(
  {
    bankTransfer: Type.Boolean({ examples: [true] }),
    crypto: Type.Boolean({ examples: [true] }),
  },
  { ...closed, description: 'What payers are offered.' },
)

/** The whole settings of an environment, as they are read. */
export const Settings = Type.Object(
  {
    policies: Type.Object({ bank: Policies, crypto: Policies }, closed),
    checkout: Checkout,
    lowBalance: LowBalance,
    paymentMethods: PaymentMethods,
  },
  { ...closed, title: 'Settings' },
)
export type Settings = Static<typeof Settings>

/** A change of settings: what is absent stays. Lists and values are replaced whole. */
export const SettingsPatch = Type.Partial(
  Type.Object({
    policies: Type.Partial(
      Type.Object({ bank: Type.Partial(Policies, closed), crypto: Type.Partial(Policies, closed) }),
      closed,
    ),
    checkout: Type.Partial(Checkout, closed),
    lowBalance: Type.Partial(LowBalance, closed),
    paymentMethods: Type.Partial(PaymentMethods, closed),
  }),
  { ...closed, examples: [{ policies: { bank: { underpayment: 'hold' } } }] },
)
export type SettingsPatch = Static<typeof SettingsPatch>

/** What holds until a merchant sets something else. Crypto has no sender to return to unasked. */
export function defaultSettings(environment: Pick<Environment, 'merchantName'>): Settings {
  return {
    policies: {
      bank: {
        underpayment: 'return',
        overpayment: 'return',
        latePayment: 'hold',
        duplicatePayment: 'return',
      },
      crypto: {
        underpayment: 'hold',
        overpayment: 'hold',
        latePayment: 'hold',
        duplicatePayment: 'hold',
      },
    },
    checkout: {
      displayName: environment.merchantName,
      colour: null,
      logo: null,
      frameOrigins: [],
    },
    lowBalance: { NGN: null, USDC: null, USDT: null },
    paymentMethods: { bankTransfer: true, crypto: true },
  }
}

type Json = Record<string, unknown>

/** Objects are merged key by key; everything else, lists and null included, is replaced. */
export function mergeSettings<Base extends object>(base: Base, patch: SettingsPatch): Base {
  return merge(base as Json, patch as Json) as Base
}

function merge(base: Json, patch: Json): Json {
  const changes = Object.entries(patch)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, isObject(value) ? merge(toObject(base[key]), value) : value])
  return { ...base, ...Object.fromEntries(changes) }
}

function toObject(value: unknown): Json {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
