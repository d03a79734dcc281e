import Type, { type Static, type TSchema } from 'typebox'
import { weekdays } from '../../base/clock.js'
import { emailPattern, phonePattern } from '../../base/contact-patterns.js'
import type { Environment } from '../../base/environment.js'
import { prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { inCoins, inKobo, referenceSample, withDescription } from '../../base/shapes.js'
import { positiveDecimalPattern } from '../../money/amounts.js'
import { addressPattern } from '../../money/solana-address.js'
import { settingsLimits } from '../limits.js'

const closed = { additionalProperties: false }

const Action = Type.Enum(['return', 'accept', 'hold'], { type: 'string', examples: ['return'] })

const Policies = Type.Object(
  { underpayment: Action, overpayment: Action, latePayment: Action, duplicatePayment: Action },
  {
    ...closed,
    description:
      'What happens to a payment that does not match: return it, accept it, or hold it until you resolve it. For an overpayment, this applies to the excess.',
  },
)

/** A deposit names no address to return to: its sender may be an exchange. */
export const coinActions = ['accept', 'hold'] as const
const CoinAction = Type.Enum([...coinActions], { type: 'string', examples: ['hold'] })

const CoinPolicies = Type.Object(
  {
    underpayment: CoinAction,
    overpayment: CoinAction,
    latePayment: CoinAction,
    duplicatePayment: CoinAction,
  },
  {
    ...closed,
    description:
      'What happens to a deposit that does not match: accept it, or hold it until you resolve it. For an overpayment, this applies to the excess. Deposits are not returned automatically, because a return needs a destination.',
  },
)

/** Control characters, and those that change the text direction, which can disguise a name. */
const forbidden = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069'
const forbiddenInLines =
  '\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069'

/** Spaces, joiners and other characters without a glyph, such as Hangul fillers. */
const blank =
  ' \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f' +
  '\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff'

/**
 * At least one visible character, as a pattern that every dialect of regular expressions reads in
 * the same way. `isVisible` also knows rarer characters without a glyph.
 */
export const visibleText = `^[^${forbidden}]*[^${forbidden}${blank}][^${forbidden}]*$`

/** The same for several lines of text. */
export const visibleLines = `^[^${forbiddenInLines}]*[^${forbidden}${blank}][^${forbiddenInLines}]*$`

/** At least one letter, digit, punctuation mark or symbol with a glyph. */
export function isVisible(text: string): boolean {
  return /(?![\u115f\u1160\u2800\u3164\uffa0\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u.test(text)
}

/** For a text that payers read. */
export const visible = { pattern: visibleText, format: 'visible-text' }

/** Images whose first bytes match their type. SVG is excluded because it can contain scripts. */
export const picture =
  '^data:image/(png;base64,iVBORw0KGgo|jpeg;base64,/9j/|webp;base64,UklGR)[A-Za-z0-9+/]*={0,2}$'
const pictureLength =
  'data:image/jpeg;base64,'.length + Math.ceil(settingsLimits.logoBytesMax / 3) * 4

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const port =
  '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'

/** Only a plain origin: it is written into a header verbatim. */
export const origin = `^(https://${label}(\\.${label})*|http://(localhost|127\\.0\\.0\\.1))(:${port})?$`
const originLength = 'https://'.length + 253 + ':65535'.length

export const colour = '^#[0-9a-fA-F]{6}$'

const Checkout = Type.Object(
  {
    displayName: Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      ...visible,
      description: 'Name shown to payers; by default the name of the merchant.',
      examples: ['Ada Stores'],
    }),
    colour: Type.Union([Type.String({ pattern: colour }), Type.Null()], {
      description: 'Accent colour of the checkout page, such as `#0a7d4f`.',
      examples: ['#0a7d4f'],
    }),
    logo: Type.Union([Type.String({ maxLength: pictureLength, pattern: picture }), Type.Null()], {
      description: 'A PNG, JPEG or WebP image of at most 32 kB, as a base64 `data:` URL.',
      examples: [null],
    }),
    frameOrigins: Type.Array(Type.String({ pattern: origin, maxLength: originLength }), {
      maxItems: settingsLimits.frameOriginsMax,
      uniqueItems: true,
      description: 'Origins that may embed the checkout page, such as `https://shop.example`.',
      examples: [['https://shop.example']],
    }),
    showCustomer: Type.Boolean({
      description:
        'Whether the checkout page and the public session show the name and e-mail address of the customer. Every holder of the link can read them.',
      examples: [true],
    }),
    returnAutomatically: Type.Boolean({
      description:
        'Whether the checkout page returns to `successUrl` by itself, five seconds after the payment.',
      examples: [true],
    }),
    supportEmail: Type.Union(
      [
        Type.String({ pattern: emailPattern, maxLength: limits.checkout.emailLengthMax }),
        Type.Null(),
      ],
      {
        description: 'E-mail address that the checkout page shows where payers may need help.',
        examples: ['help@shop.example'],
      },
    ),
    supportPhone: Type.Union([Type.String({ pattern: phonePattern }), Type.Null()], {
      description: 'Phone number that the checkout page shows where payers may need help.',
      examples: ['+2348012345678'],
    }),
  },
  closed,
)

const Decimal = Type.Union(
  [
    Type.String({
      ...inCoins,
      pattern: positiveDecimalPattern,
      maxLength: limits.money.decimalDigitsMax + 1,
    }),
    Type.Null(),
  ],
  { description: 'A decimal amount; null to disable.', examples: ['100'] },
)

const LowBalance = Type.Object(
  {
    NGN: Type.Union(
      [Type.Integer({ ...inKobo, minimum: 1, maximum: Number(limits.money.wireMax) }), Type.Null()],
      { description: 'In kobo; null to disable.', examples: [100_000] },
    ),
    USDC: Decimal,
    USDT: Decimal,
  },
  {
    ...closed,
    description:
      'Available balance below which `balance.low` is sent: NGN in kobo, the others as decimals; null to disable.',
  },
)

const PaymentMethods = Type.Object(
  {
    bankTransfer: Type.Boolean({ examples: [true] }),
    crypto: Type.Boolean({ examples: [true] }),
  },
  {
    ...closed,
    description:
      'Payment methods of new checkout sessions. Open sessions keep the methods they were created with.',
  },
)

const ofRefunds = { ...closed, description: 'Refunds of payments that were split.' }

const Refunds = Type.Object(
  {
    subaccountsMustCover: Type.Boolean({
      description:
        'Whether a refund is refused if a sub-account has less than it has to give back. Otherwise the sub-account owes you the rest.',
      examples: [false],
    }),
  },
  ofRefunds,
)

export const timeOfDay = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

const Kobo = Type.Integer({ ...inKobo, minimum: 0, maximum: Number(limits.money.wireMax) })

const Settlement = Type.Object(
  {
    schedule: Type.Enum(['off', 'daily', 'weekly'], {
      type: 'string',
      description: 'When available naira is paid to your primary bank account.',
      examples: ['daily'],
    }),
    weekday: Type.Enum([...weekdays], {
      type: 'string',
      description: 'Day of a weekly settlement.',
      examples: ['monday'],
    }),
    time: Type.String({
      pattern: timeOfDay,
      description: 'Time of day in Nigeria (UTC+1), as hours and minutes.',
      examples: ['06:00'],
    }),
    reserve: Type.Integer({
      ...Kobo,
      description: 'Amount that a settlement leaves in your available balance.',
      examples: [500_000],
    }),
    minimum: Type.Integer({
      ...Kobo,
      description: 'Smallest scheduled settlement; below it, the next one includes the money.',
      examples: [100_000],
    }),
    payTo: Type.Enum(['bank', 'wallet'], {
      type: 'string',
      description:
        '`bank`: your primary bank account. `wallet`: the naira are converted to `asset` at the current rate and paid to `walletAddress`. In live mode, this field, `asset` and `walletAddress` can be changed in the console only.',
      examples: ['bank'],
    }),
    asset: Type.Enum(['USDC', 'USDT'], {
      type: 'string',
      description: 'Stablecoin of settlements to a wallet.',
      examples: ['USDC'],
    }),
    walletAddress: Type.Union([Type.String({ pattern: addressPattern }), Type.Null()], {
      description: 'Solana wallet that receives settlements in a stablecoin.',
      examples: [null],
    }),
  },
  closed,
)

export type SettlementChoice = Pick<Static<typeof Settlement>, 'payTo' | 'asset' | 'walletAddress'>

export function destinationOf({
  settlement: { payTo, asset, walletAddress },
}: Pick<Settings, 'settlement'>): SettlementChoice {
  return { payTo, asset, walletAddress }
}

const ofMails = { ...closed, description: 'Mails that are sent for you.' }

const Mails = Type.Object(
  {
    receipts: Type.Boolean({
      description: 'Whether customers of checkout sessions get a receipt by e-mail when they paid.',
      examples: [false],
    }),
    invoices: Type.Boolean({
      description: 'Whether customers get an invoice by e-mail when it is finalized.',
      examples: [false],
    }),
    reminders: Type.Boolean({
      description: 'Whether customers are reminded by e-mail of invoices that they have not paid.',
      examples: [false],
    }),
    reminderDays: Type.Array(
      Type.Integer({
        minimum: -settingsLimits.reminderDistanceMaxDays,
        maximum: settingsLimits.reminderDistanceMaxDays,
      }),
      {
        minItems: 1,
        maxItems: settingsLimits.reminderDaysMax,
        uniqueItems: true,
        description:
          'Days on which customers are reminded, counted from the due date: -3 is three days before it. For invoices that are finalized later.',
        examples: [[-3, 0, 7]],
      },
    ),
    testAddresses: Type.Array(
      Type.String({ pattern: emailPattern, maxLength: limits.checkout.emailLengthMax }),
      {
        maxItems: settingsLimits.testAddressesMax,
        uniqueItems: true,
        description:
          'E-mail addresses that get the mails of test mode. Mails of test mode to other addresses are kept and not sent. Has no effect in live mode.',
        examples: [['ada@shop.example']],
      },
    ),
  },
  ofMails,
)

const ofInvoices = { ...closed, description: 'How your invoices are paid.' }

const Invoices = Type.Object(
  {
    applyCredit: Type.Boolean({
      description: 'Whether credit of a customer pays new invoices when they are finalized.',
      examples: [true],
    }),
  },
  ofInvoices,
)

const KoboLimit = Type.Integer({
  ...inKobo,
  minimum: 1,
  maximum: Number(limits.money.wireMax),
  examples: [50_000_000],
})

const CoinLimit = Type.String({
  ...inCoins,
  pattern: positiveDecimalPattern,
  maxLength: limits.money.decimalDigitsMax + 1,
  examples: ['500'],
})

function limitsIn<Limit extends TSchema>(limit: Limit) {
  const rule = Type.Object(
    {
      each: withDescription(limit, 'A transfer of more than this waits for a second member.'),
      perDay: Type.Union([limit, Type.Null()], {
        description:
          'If the transfers of one member or API key within 24 hours that were not approved would sum up to more than this, the next one waits, too. Null: no such limit.',
      }),
    },
    closed,
  )
  return Type.Union([rule, Type.Null()], { examples: [null] })
}

const perAsset = {
  NGN: Type.Union([KoboLimit, Type.Null()], { description: 'In kobo.' }),
  USDC: Type.Union([CoinLimit, Type.Null()], { description: 'USDC, as a decimal.' }),
  USDT: Type.Union([CoinLimit, Type.Null()], { description: 'USDT, as a decimal.' }),
}

const Callback = Type.Object(
  {
    url: Type.String({
      maxLength: settingsLimits.callbackUrlLengthMax,
      description: 'Asked before a transfer is sent. Public, and https in live mode.',
      examples: ['https://shop.example/approve'],
    }),
    signedBy: Type.String({
      description: 'The webhook endpoint whose keys sign the requests, by its reference.',
      examples: [referenceSample(prefixes.webhookEndpoint)],
    }),
    retryMinutes: Type.Integer({
      minimum: 1,
      maximum: settingsLimits.callbackRetryMaxMinutes,
      description:
        'How long it is asked again while it does not decide. Then members decide in its place.',
      examples: [60],
    }),
  },
  {
    ...closed,
    description:
      'A URL of yours that approves or rejects each transfer. A transfer is never sent because it is silent.',
  },
)

const Recipients = Type.Object(
  {
    onlySaved: Type.Boolean({
      description: 'Whether transfers to recipients that were not saved are refused.',
      examples: [true],
    }),
    approveFirst: Type.Boolean({
      description: 'Whether the first transfer to a recipient waits for a second member.',
      examples: [true],
    }),
    coolingOff: Type.Union(
      [
        Type.Object(
          {
            hours: Type.Integer({
              minimum: 1,
              maximum: settingsLimits.coolingOffMaxHours,
              description: 'How long after a recipient was saved.',
              examples: [24],
            }),
            above: Type.Object(perAsset, {
              ...closed,
              description: 'Larger transfers are refused meanwhile; null: of any amount.',
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'For new recipients; null for none.', examples: [null] },
    ),
  },
  { ...closed, description: 'Which recipients transfers may go to.' },
)

/** A limit of what is sent in a sliding window. */
export const VelocityLimit = Type.Object(
  {
    per: Type.Enum(['merchant', 'recipient', 'key', 'member'], {
      type: 'string',
      description: 'Whose transfers are counted together.',
      examples: ['recipient'],
    }),
    window: Type.Enum(['hour', 'day', 'month'], {
      type: 'string',
      description: 'The last 60 minutes, 24 hours or 30 days.',
      examples: ['day'],
    }),
    currency: Type.Enum(['NGN', 'USDC', 'USDT'], {
      type: 'string',
      description: 'Transfers of this currency.',
      examples: ['NGN'],
    }),
    amount: Type.Union([KoboLimit, CoinLimit, Type.Null()], {
      description:
        'Most that may be sent: kobo, or a decimal of coins; null for any amount, if `count` is set.',
      examples: [50_000_000],
    }),
    count: Type.Union(
      [Type.Integer({ minimum: 1, maximum: settingsLimits.velocityCountMax }), Type.Null()],
      {
        description: 'Most transfers; null for any number, if `amount` is set.',
        examples: [null],
      },
    ),
    above: Type.Enum(['approve', 'refuse'], {
      type: 'string',
      description: 'Whether a transfer above it waits for a second member, or is refused.',
      examples: ['approve'],
    }),
  },
  closed,
)

const Duplicates = Type.Object(
  {
    minutes: Type.Integer({
      minimum: 1,
      maximum: settingsLimits.duplicateMaxMinutes,
      description: 'A transfer of the same amount to the same recipient within this time.',
      examples: [60],
    }),
    requires: Type.Enum(['confirmation', 'approval'], {
      type: 'string',
      description:
        '`confirmation`: refused unless `confirmDuplicate` is sent. `approval`: waits for a second member.',
      examples: ['confirmation'],
    }),
  },
  { ...closed, description: 'Transfers that look like one made recently.' },
)

function orNone<Part extends TSchema & { description?: string }>(part: Part) {
  return Type.Union([part, Type.Null()], { description: part.description!, examples: [null] })
}

/** Controls of payouts besides limits. They apply to members and API keys. */
export const Controls = Type.Object(
  {
    callback: orNone(Callback),
    recipients: orNone(Recipients),
    velocity: orNone(
      Type.Array(VelocityLimit, {
        minItems: 1,
        maxItems: settingsLimits.velocityLimitsMax,
        description: 'Limits of what is sent in a window of time.',
      }),
    ),
    duplicates: orNone(Duplicates),
  },
  { ...closed, description: 'Controls besides limits. They apply to members and API keys.' },
)
export type Controls = Static<typeof Controls>

export const controlNames = ['callback', 'recipients', 'velocity', 'duplicates'] as const

/** Whether a rule has more than limits. The database decides the same with `has_controls`. */
export function hasControls({ controls }: Pick<Approvals, 'controls'>): boolean {
  return !!controls && controlNames.some((name) => controls[name] !== null)
}

/** Which payouts wait for a second member. */
export const Approvals = Type.Object(
  {
    appliesTo: Type.Enum(['console', 'all'], {
      type: 'string',
      description: '`console`: transfers that members create. `all`: also those of API keys.',
      examples: ['console'],
    }),
    NGN: limitsIn(KoboLimit),
    USDC: limitsIn(CoinLimit),
    USDT: limitsIn(CoinLimit),
    controls: Type.Optional(
      Type.Union([Controls, Type.Null()], {
        description: 'See docs/guides/payout-controls.md. Left out in a change: unchanged.',
        examples: [null],
      }),
    ),
  },
  {
    ...closed,
    description:
      'Transfers above these limits wait for the approval of a second member: NGN in kobo, the others as decimals; null for no limit. Changed in the console only.',
  },
)
export type Approvals = Static<typeof Approvals>

export const assetsWithRules = ['NGN', 'USDC', 'USDT'] as const

/** Whether there is a rule at all. The database decides the same with `has_limits`. */
export function hasRule(approvals: Approvals): boolean {
  return assetsWithRules.some((asset) => approvals[asset] !== null) || hasControls(approvals)
}

/** The settings of an environment, with defaults filled in. */
export const Settings = Type.Object(
  {
    policies: Type.Object({ bank: Policies, crypto: CoinPolicies }, closed),
    checkout: Checkout,
    lowBalance: LowBalance,
    paymentMethods: PaymentMethods,
    refunds: Refunds,
    settlement: Settlement,
    approvals: Approvals,
    invoices: Invoices,
    mails: Mails,
  },
  { ...closed, title: 'Settings' },
)
export type Settings = Static<typeof Settings>

/** A change of settings. Absent fields stay as they are; lists are replaced whole. */
export const SettingsPatch = Type.Partial(
  Type.Object({
    policies: Type.Partial(
      Type.Object({
        bank: Type.Partial(Policies, closed),
        crypto: Type.Partial(CoinPolicies, closed),
      }),
      closed,
    ),
    checkout: Type.Partial(Checkout, closed),
    lowBalance: Type.Partial(LowBalance, closed),
    paymentMethods: Type.Partial(PaymentMethods, closed),
    refunds: Type.Partial(Refunds, ofRefunds),
    settlement: Type.Partial(Settlement, closed),
    approvals: Approvals,
    invoices: Type.Partial(Invoices, ofInvoices),
    mails: Type.Partial(Mails, ofMails),
  }),
  { ...closed, examples: [{ policies: { bank: { underpayment: 'hold' } } }] },
)
export type SettingsPatch = Static<typeof SettingsPatch>

/** Crypto payments are held: they name no address to return to. */
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
      showCustomer: true,
      returnAutomatically: false,
      supportEmail: null,
      supportPhone: null,
    },
    lowBalance: { NGN: null, USDC: null, USDT: null },
    paymentMethods: { bankTransfer: true, crypto: true },
    refunds: { subaccountsMustCover: false },
    settlement: {
      schedule: 'off',
      weekday: 'monday',
      time: '06:00',
      reserve: 0,
      minimum: 100_000,
      payTo: 'bank',
      asset: 'USDC',
      walletAddress: null,
    },
    approvals: { appliesTo: 'console', NGN: null, USDC: null, USDT: null, controls: null },
    invoices: { applyCredit: true },
    mails: {
      receipts: false,
      invoices: false,
      reminders: false,
      reminderDays: [-3, 0, 7],
      testAddresses: [],
    },
  }
}

type Json = Record<string, unknown>

/** Merges objects key by key; replaces everything else, including lists and null. */
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
