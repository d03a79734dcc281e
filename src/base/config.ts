import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { envSchema } from 'env-schema'
import Type, { type Static } from 'typebox'
import type { Mode } from './environment.js'
import { limits } from './limits.js'
import type { LogFormat } from './log.js'
import { isLoopback, type RateConfig, readRateSources } from './rate-sources.js'
import type { OtherSecrets } from './sealed.js'
import { Secret } from './secret.js'
import {
  loadOldSecret,
  loadOrCreateSecret,
  secretFileName,
  secretLengthMin,
} from './secret-file.js'

const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

function solanaVariables<Name extends 'TEST' | 'LIVE'>(mode: Name, scope: string) {
  const text = (description: string) => Type.Optional(Type.String({ description }))
  return {
    [`SOLANA_${mode}_RPC_URLS`]: text(
      `Solana RPC nodes of ${scope}. A majority must agree, so name three.`,
    ),
    [`SOLANA_${mode}_KEY_FILE`]: text('Key file of the hot wallet, as written by solana-keygen.'),
    [`SOLANA_${mode}_SECRET_KEY`]: text(
      'Alternative to the key file: the key itself, 64 bytes in base58 or as a JSON list.',
    ),
    [`SOLANA_${mode}_SIGNER_COMMAND`]: text(
      'Alternative to a key: a program that reads base64 messages and writes base64 signatures, one per line.',
    ),
    [`SOLANA_${mode}_SIGNER_ADDRESS`]: text('Address that the signer command signs for.'),
    [`SOLANA_${mode}_SEED_FILE`]: text(
      'File with the BIP-39 words of the deposit wallets. Without it, deposit wallets are disabled.',
    ),
    [`SOLANA_${mode}_FLOORS`]: text(
      'Minimum balances of the hot wallet, such as SOL=1,USDC=1000. Lower balances are logged as errors.',
    ),
  } as Record<
    | `SOLANA_${Name}_${'RPC_URLS' | 'KEY_FILE' | 'SECRET_KEY' | 'SEED_FILE' | 'FLOORS'}`
    | `SOLANA_${Name}_SIGNER_${'COMMAND' | 'ADDRESS'}`,
    ReturnType<typeof text>
  >
}

function kobo(defaultAmount: number, description: string) {
  const maximum = Number(limits.money.wireMax)
  return Type.Integer({ default: defaultAmount, minimum: 1, maximum, description })
}

function mintVariable(coin: string) {
  return Type.Optional(
    Type.String({
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      description: `Mint address of ${coin} in test mode; by default the one of mainnet.`,
    }),
  )
}

export const providers = ['paystack', 'monnify', 'flutterwave'] as const
export type Provider = (typeof providers)[number]

const emulators = ['paystack-emulator', 'monnify-emulator', 'flutterwave-emulator'] as const
const liveBanks = ['none', ...providers] as const
const testBanks = ['sandbox', 'none', ...providers, ...emulators] as const

function bankVariables<Name extends 'TEST' | 'LIVE', Banks extends readonly string[]>(
  mode: Name,
  banks: Banks,
  description: string,
) {
  const half = (task: string) =>
    Type.Optional(
      Type.Enum(banks, {
        type: 'string',
        description: `Bank that ${task} in ${mode.toLowerCase()} mode; by default BANK_${mode}.`,
      }),
    )
  const text = (words: string) => Type.Optional(Type.String({ description: words }))
  const url = (provider: string) =>
    text(`Address of ${provider}'s API; by default the real one. http only on loopback.`)
  const enumOf = Type.Enum(banks, { type: 'string', default: banks[0]!, description })
  return {
    [`BANK_${mode}`]: enumOf,
    [`BANK_${mode}_COLLECT`]: half('opens accounts and receives payments'),
    [`BANK_${mode}_PAYOUT`]: half('pays out'),
    [`BANK_${mode}_FLOAT_MIN`]: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number(limits.money.wireMax),
        description:
          'Smallest balance for payouts at the bank, in kobo. A lower one is logged as an error.',
      }),
    ),
    [`PAYSTACK_${mode}_SECRET_KEY`]: text("Secret key of Paystack's dashboard."),
    [`PAYSTACK_${mode}_URL`]: url('Paystack'),
    [`MONNIFY_${mode}_API_KEY`]: text("API key of Monnify's dashboard."),
    [`MONNIFY_${mode}_SECRET_KEY`]: text("Secret key of Monnify's dashboard."),
    [`MONNIFY_${mode}_CONTRACT_CODE`]: text('Contract code of Monnify.'),
    [`MONNIFY_${mode}_SOURCE_ACCOUNT`]: text('Number of the Monnify wallet that pays out.'),
    [`MONNIFY_${mode}_URL`]: url('Monnify'),
    [`FLUTTERWAVE_${mode}_SECRET_KEY`]: text("Secret key of Flutterwave's dashboard (v3)."),
    [`FLUTTERWAVE_${mode}_WEBHOOK_SECRET`]: text(
      "Secret hash that is set for webhooks in Flutterwave's dashboard.",
    ),
    [`FLUTTERWAVE_${mode}_URL`]: url('Flutterwave'),
  } as Record<`BANK_${Name}`, typeof enumOf> &
    Record<`BANK_${Name}_${'COLLECT' | 'PAYOUT'}`, ReturnType<typeof half>> &
    Record<`BANK_${Name}_FLOAT_MIN`, ReturnType<typeof optionalInteger>> &
    Record<ProviderVariable<Name>, ReturnType<typeof text>>
}

type ProviderVariable<Name extends 'TEST' | 'LIVE'> =
  | `PAYSTACK_${Name}_${'SECRET_KEY' | 'URL'}`
  | `MONNIFY_${Name}_${'API_KEY' | 'SECRET_KEY' | 'CONTRACT_CODE' | 'SOURCE_ACCOUNT' | 'URL'}`
  | `FLUTTERWAVE_${Name}_${'SECRET_KEY' | 'WEBHOOK_SECRET' | 'URL'}`

function optionalInteger() {
  return Type.Optional(Type.Integer())
}

/** Every environment variable; docs/operating/configuration.md is generated from it. */
export const variables = Type.Object({
  // Node would listen on all addresses if it were empty.
  HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address the API listens on.',
  }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the API; 0 picks a free one.',
  }),
  API_PROCESSES: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: limits.apiProcesses.max,
    description:
      'Processes of `manilla serve` on the same port. Raise it for many reads and idle cores; several create fewer payouts than one, because their batches compete. `npm start` always runs one.',
  }),
  METRICS_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description:
      'Address that METRICS_PORT and WORK_PORT listen on. In a container `0.0.0.0`, so that others in its network can scrape; never publish these ports.',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port of `/metrics`; by default PORT + 1000, or a free port if that is in use.',
    }),
  ),
  WORK_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Port of `/healthz`, `/readyz` and `/metrics` of `manilla work`; by default PORT + 1001, or a free port if that is in use.',
    }),
  ),
  MANILLA_HOME: Type.Optional(
    Type.String({
      description:
        'Folder of the embedded database and its secrets; by default `.manilla` in the project folder.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      description: 'URL of a PostgreSQL 15 or newer, used instead of the embedded one.',
    }),
  ),
  DATABASE_READ_URL: Type.Optional(
    Type.String({
      description:
        'URL of a streaming replica of DATABASE_URL, from which lists are read while it keeps up. Must lead to one server, not to several in turn.',
    }),
  ),
  DATABASE_READ_MAX_DELAY_MS: Type.Integer({
    default: limits.replica.delayMaxMs,
    minimum: 2 * limits.replica.checkIntervalMs,
    maximum: limits.replica.samplesMax * limits.replica.checkIntervalMs,
    description:
      'How far the replica may be behind, in milliseconds. Beyond that, lists are read from the primary.',
  }),
  MANILLA_SECRET: Type.Optional(
    Type.String({
      minLength: secretLengthMin,
      description:
        'Secret that hashes API keys and encrypts stored secrets, at least 32 characters. Required with DATABASE_URL; otherwise created once in MANILLA_HOME.',
    }),
  ),
  MANILLA_SECRET_NEXT: Type.Optional(
    Type.String({
      minLength: secretLengthMin,
      description:
        'The secret that will replace MANILLA_SECRET: accepted already, not used yet. Only during a rotation.',
    }),
  ),
  MANILLA_SECRET_OLD: Type.Optional(
    Type.String({
      minLength: secretLengthMin,
      description:
        'The secret that MANILLA_SECRET replaced: accepted until `manilla secret rotate` reports that nothing depends on it.',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      description: 'Public address of the API behind a proxy, such as https://pay.example.com.',
    }),
  ),
  CONSOLE: Type.String({
    default: 'on',
    enum: ['on', 'off'],
    description: 'Whether `/console`, the web pages for merchants and operators, is served.',
  }),
  CONSOLE_URL: Type.Optional(
    Type.String({
      description:
        'Address of the console, such as https://console.example.com. If set, the console works on this host alone; if not, on every host of the API.',
    }),
  ),
  TRUST_PROXY: Type.Boolean({
    default: false,
    description: 'Trust X-Forwarded-For. Enable only behind a proxy that sets it.',
  }),
  LOG_LEVEL: Type.String({
    default: 'info',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    description: 'Lowest level that is logged.',
  }),
  LOG_FORMAT: Type.Optional(
    Type.String({
      enum: ['pretty', 'json'],
      description:
        'Format of the log; by default `pretty` in a terminal and `json` elsewhere, one object per line.',
    }),
  ),
  RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 2_000,
    minimum: 0,
    description:
      'Requests per second per environment, shared by the processes of one `manilla serve`; 0 disables the limit.',
  }),
  PUBLIC_RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 20,
    minimum: 0,
    description:
      'Requests per second per IP address (IPv6: per /64) on public routes, shared by the processes of one `manilla serve`; 0 disables the limit.',
  }),
  REQUEST_LOG_DAYS: Type.Integer({
    default: limits.retention.requestLogDaysMax,
    minimum: 0,
    maximum: limits.retention.requestLogDaysMax,
    description: 'How many days merchant request logs are kept; 0 disables them.',
  }),
  EVENT_DAYS: Type.Integer({
    default: limits.retention.eventDays,
    minimum: limits.retention.deliveryDays,
    maximum: limits.retention.eventDaysMax,
    description: `How many days events are kept. Their deliveries are kept for ${limits.retention.deliveryDays} days.`,
  }),
  PERSONAL_DATA_DAYS: Type.Integer({
    default: limits.retention.personalDataDays,
    minimum: 1,
    maximum: limits.retention.eventDaysMax,
    description:
      'How many days names and e-mail addresses are kept in checkout sessions and claims after they ended.',
  }),
  AML_RECORD_DAYS: Type.Integer({
    default: limits.retention.amlRecordDaysMin,
    minimum: limits.retention.amlRecordDaysMin,
    maximum: limits.retention.amlRecordDaysMax,
    description:
      'How many days names and bank accounts of payers and recipients are kept with live payments and payouts; at least five years.',
  }),
  NAIRA_MIN_TEST: kobo(1, 'Smallest naira amount in test mode, in kobo.'),
  NAIRA_MIN_LIVE: kobo(10_000, 'Smallest naira amount in live mode, in kobo.'),
  NAIRA_MAX: kobo(
    1_000_000_000,
    'Largest naira amount of a payment or payout in both modes, in kobo.',
  ),
  ...bankVariables(
    'TEST',
    testBanks,
    'Bank of test mode. `sandbox` is simulated and needs no account anywhere; `none` creates no sandbox tables and refuses naira payments; a provider uses its test keys; an emulator behaves like the provider, with `npm start` only.',
  ),
  ...bankVariables('LIVE', liveBanks, 'Bank of live mode; `none` refuses naira.'),
  BANK_PAYER_EMAIL: Type.Optional(
    Type.String({
      description:
        'E-mail address that is given to providers for payers whose own is unknown; by default `payments@` the host of PUBLIC_URL.',
    }),
  ),
  ...solanaVariables(
    'TEST',
    'test mode, separated by commas; without them, `npm start` runs an embedded chain',
  ),
  SOLANA_TEST_USDC_MINT: mintVariable('USDC'),
  SOLANA_TEST_USDT_MINT: mintVariable('USDT'),
  ...solanaVariables('LIVE', 'live mode, separated by commas'),
  RATE_SOURCES: Type.Optional(
    Type.String({
      description:
        'URLs from which live rates are read, as a JSON array (docs/operating/conversion.md). Without it, operators set rates.',
    }),
  ),
  RATE_MAX_AGE_SECONDS: Type.Integer({
    default: 300,
    minimum: (2 * limits.rates.pollIntervalMs) / 1_000,
    maximum: 86_400,
    description:
      'How old the rate of a source may be. A rate from the sources is valid until the oldest rate in it reaches this age. In the console, a second operator confirms a proposed rate within this time.',
  }),
  RATE_MAX_DEVIATION_PERCENT: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 50,
    description: 'How much a source may differ from the last rate. Beyond this, it is not used.',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      description:
        'Mail relay that sends mails, such as smtp://user:password@smtp.example.com:587 (with STARTTLS) or smtps://… on port 465. Without it, mails are kept and not sent.',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({
      description:
        'Sender of mails, such as `Manilla <no-reply@pay.example.com>`. Required with SMTP_URL.',
    }),
  ),
  MAIL_BOUNCE_SECRET: Type.Optional(
    Type.String({
      minLength: secretLengthMin,
      description:
        'Secret that signs notices of the mail relay to `POST /mail/bounces`, at least 32 characters. Without it, the route answers 404.',
    }),
  ),
  SCREENING_LIST: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'File with sanctioned wallets and names (docs/operating/screening.md), which you keep up to date. Without it and SCREENING_URL, nothing is screened.',
    }),
  ),
  SCREENING_LIST_MAX_AGE_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 366,
    description: 'How old the list may be, by the date in it. `doctor` reports an older one.',
  }),
  SCREENING_URL: Type.Optional(
    Type.String({
      description:
        'Address of a provider that screens wallets and names (docs/operating/screening.md); https, or http on loopback.',
    }),
  ),
  SCREENING_SECRET: Type.Optional(
    Type.String({
      minLength: secretLengthMin,
      description:
        'Secret that signs the requests to SCREENING_URL, at least 32 characters. Required with it.',
    }),
  ),
  WEBHOOKS_ALLOW_LOOPBACK: Type.Optional(
    Type.Boolean({
      description:
        'Allow test-mode webhooks to loopback addresses; by default only with the embedded database.',
    }),
  ),
})

/** How many days personal data is kept, by the variable. */
export type RetentionPeriods = Record<
  'PERSONAL_DATA_DAYS' | 'AML_RECORD_DAYS' | 'EVENT_DAYS' | 'REQUEST_LOG_DAYS',
  number
>

/** Smallest and largest amount of one naira payment or payout, in kobo, inclusive. */
export type NairaLimits = { min: bigint; max: bigint }

/** How one mode reaches a Solana chain and signs for its treasury. */
export type SolanaConfig = {
  urls: string[]
  keyFile: string | undefined
  /** Sixty-four bytes in base58, or as a JSON list. */
  secretKey: Secret | undefined
  /** BIP-39 words from which the deposit wallets are derived. */
  seedFile: string | undefined
  /** Minimum treasury balances in the smallest unit; lower ones are reported. */
  floors: Partial<Record<'SOL' | 'USDC' | 'USDT', bigint>>
  /** An external signing program, and the address of its key. */
  signer: { command: string; address: string } | undefined
  /** Mint addresses that differ from mainnet's. */
  mints: Partial<Record<'USDC' | 'USDT', string>>
}

/** Which bank does what in one mode. */
export type BankChoice = {
  collect: (typeof testBanks)[number]
  payout: (typeof testBanks)[number]
  /** In kobo. */
  floatMin: bigint
}

/** Whether the tables of the sandbox bank are needed. */
export function usesSandbox({ test }: Config['bank']): boolean {
  return test.collect === 'sandbox' || test.payout === 'sandbox'
}

export type ProviderConfigs = {
  paystack?: { secretKey: Secret; url: string }
  monnify?: {
    apiKey: Secret
    secretKey: Secret
    contractCode: string
    sourceAccount: string
    url: string
  }
  flutterwave?: { secretKey: Secret; webhookSecret: Secret; url: string }
}

export type Config = {
  host: string
  port: number
  /** Processes of `manilla serve`. */
  apiProcesses: number
  /** Where metrics and the health of workers are served; undefined: on loopback. */
  metricsHost?: string
  /** Undefined: the API's port + 1000, or a free port. */
  metricsPort: number | undefined
  /** Undefined: the API's port + 1001, or a free port. */
  workPort: number | undefined
  home: string
  /** Undefined: run the embedded server. */
  databaseUrl: Secret | undefined
  /** A replica for lists. */
  databaseRead?: { url: Secret; maxDelayMs: number } | undefined
  secret: Secret
  /** Holds the secret, unless a variable does. */
  secretFile?: string | undefined
  /** Present only while the secret is rotated. */
  otherSecrets?: OtherSecrets | undefined
  publicUrl: string | undefined
  /** Undefined: it is served. */
  hasConsole?: boolean
  consoleUrl: string | undefined
  trustProxy: boolean
  logLevel: string
  /** Undefined: pretty in a terminal. */
  logFormat?: LogFormat | undefined
  rateLimitPerSecond: number
  publicRateLimitPerSecond: number
  requestLogDays: number
  eventDays: number
  retention: RetentionPeriods
  naira: Record<Mode, NairaLimits>
  allowsLoopbackWebhooks: boolean
  bank: Record<Mode, BankChoice>
  /** Providers whose variables are set. */
  providers: Record<Mode, ProviderConfigs>
  payerEmail: string
  solana: Record<Mode, SolanaConfig>
  /** Undefined: no sources. */
  rates?: RateConfig | undefined
  /** Undefined: mails are kept. */
  mail?: MailConfig | undefined
  /** Undefined: nothing is screened. */
  screening?: ScreeningConfig | undefined
}

/** What senders and destinations of money are compared with. */
export type ScreeningConfig = {
  listFile: string | undefined
  listMaxAgeDays: number
  provider: { url: string; secret: Secret } | undefined
}

/** How mails leave, and how the relay reports those that come back. */
export type MailConfig = {
  /** Undefined: mails are kept. */
  relay: MailRelayConfig | undefined
  /** Undefined: notices of the relay are not accepted. */
  bounceSecret: Secret | undefined
}

type MailRelayConfig = {
  host: string
  port: number
  /** TLS from the first byte. */
  isSecure: boolean
  /** Only a relay on this machine may do without TLS. */
  requiresTls: boolean
  user: string | undefined
  password: Secret | undefined
  from: { name: string; address: string }
}

/** The folder of the embedded service, if nothing was ever started there. */
export function findEmptyHome(given: NodeJS.ProcessEnv = process.env): string | undefined {
  const { DATABASE_URL, MANILLA_HOME } = given
  const home = homeOf({ MANILLA_HOME })
  return DATABASE_URL || existsSync(path.join(home, 'data')) ? undefined : home
}

/** Checked before `readConfig`, which would create a secret for an embedded database. */
export function hasDatabaseUrl(given: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(given.DATABASE_URL)
}

function homeOf(values: { MANILLA_HOME?: string | undefined }): string {
  return path.resolve(values.MANILLA_HOME || path.join(projectFolder, '.manilla'))
}

/** Reads and validates the environment variables. Errors name the variable and what is expected. */
export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(given)
  const home = homeOf(values)
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'] as const)
    if (values[name]) refuseOtherUrl(name, values[name])
  if (values.DATABASE_URL && !values.MANILLA_SECRET)
    throw new Error(
      'MANILLA_SECRET is required with DATABASE_URL. Create one with `openssl rand -hex 32` and keep it: ' +
        'without it no API key works.',
    )
  if (values.DATABASE_READ_URL && !values.DATABASE_URL)
    throw new Error('DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replica.')
  return {
    host: values.HOST,
    port: values.PORT,
    apiProcesses: values.API_PROCESSES,
    metricsHost: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    workPort: values.WORK_PORT,
    home,
    databaseUrl: values.DATABASE_URL ? new Secret(values.DATABASE_URL) : undefined,
    databaseRead: values.DATABASE_READ_URL
      ? {
          url: new Secret(values.DATABASE_READ_URL),
          maxDelayMs: values.DATABASE_READ_MAX_DELAY_MS,
        }
      : undefined,
    secret: new Secret(values.MANILLA_SECRET ?? loadOrCreateSecret(home)),
    secretFile: values.MANILLA_SECRET ? undefined : path.join(home, secretFileName),
    otherSecrets: readOtherSecrets(values, home),
    publicUrl:
      values.PUBLIC_URL === undefined ? undefined : readOrigin('PUBLIC_URL', values.PUBLIC_URL),
    consoleUrl:
      values.CONSOLE_URL === undefined ? undefined : readOrigin('CONSOLE_URL', values.CONSOLE_URL),
    hasConsole: values.CONSOLE === 'on',
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT as LogFormat | undefined,
    rateLimitPerSecond: values.RATE_LIMIT_PER_SECOND,
    publicRateLimitPerSecond: values.PUBLIC_RATE_LIMIT_PER_SECOND,
    requestLogDays: values.REQUEST_LOG_DAYS,
    eventDays: values.EVENT_DAYS,
    retention: {
      PERSONAL_DATA_DAYS: values.PERSONAL_DATA_DAYS,
      AML_RECORD_DAYS: values.AML_RECORD_DAYS,
      EVENT_DAYS: values.EVENT_DAYS,
      REQUEST_LOG_DAYS: values.REQUEST_LOG_DAYS,
    },
    naira: { test: readNaira(values, 'TEST'), live: readNaira(values, 'LIVE') },
    allowsLoopbackWebhooks: values.WEBHOOKS_ALLOW_LOOPBACK ?? !values.DATABASE_URL,
    bank: { test: readBankChoice(values, 'TEST'), live: readBankChoice(values, 'LIVE') },
    providers: { test: readProviders(values, 'TEST'), live: readProviders(values, 'LIVE') },
    payerEmail: readPayerEmail(values),
    solana: { test: readSolana(values, 'TEST'), live: readSolana(values, 'LIVE') },
    rates: {
      sources: values.RATE_SOURCES ? readRateSources(values.RATE_SOURCES, given) : [],
      maxAgeMs: values.RATE_MAX_AGE_SECONDS * 1_000,
      maxDeviationPercent: values.RATE_MAX_DEVIATION_PERCENT,
    },
    mail: {
      relay: values.SMTP_URL ? readMailRelay(values.SMTP_URL, values.MAIL_FROM) : undefined,
      bounceSecret: values.MAIL_BOUNCE_SECRET ? new Secret(values.MAIL_BOUNCE_SECRET) : undefined,
    },
    screening: {
      listFile: values.SCREENING_LIST && path.resolve(values.SCREENING_LIST),
      listMaxAgeDays: values.SCREENING_LIST_MAX_AGE_DAYS,
      provider: readScreeningProvider(values),
    },
  }
}

/** http would send names in the clear. */
function readScreeningProvider({
  SCREENING_URL: text,
  SCREENING_SECRET: secret,
}: Values): ScreeningConfig['provider'] {
  if (!text && !secret) return undefined
  if (!text) throw new Error('SCREENING_URL is required with SCREENING_SECRET.')
  if (!secret) throw new Error('SCREENING_SECRET is required with SCREENING_URL.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (!isSafe || url.username || url.password)
    throw new Error(
      'SCREENING_URL must be an https address, or http on loopback, without user name and password.',
    )
  return { url: text, secret: new Secret(secret) }
}

/** The URL is not quoted: it holds a password. */
function readMailRelay(text: string, sender: string | undefined): MailRelayConfig {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSecure = url?.protocol === 'smtps:'
  const isWhole = url && (isSecure || url.protocol === 'smtp:') && url.hostname !== ''
  if (!isWhole || !['', '/'].includes(url.pathname) || url.search || url.hash)
    throw new Error(
      'SMTP_URL must be an address such as smtp://user:password@smtp.example.com:587. ' +
        'Encode special characters in the password, such as @ as %40.',
    )
  const { hostname, username, password } = url
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: url.port ? Number(url.port) : isSecure ? 465 : 587,
    isSecure,
    requiresTls: !isSecure && !['localhost', '127.0.0.1', '::1'].includes(host),
    user: username ? decodeURIComponent(username) : undefined,
    password: password ? new Secret(decodeURIComponent(password)) : undefined,
    from: readSender(sender),
  }
}

function readSender(text: string | undefined): MailRelayConfig['from'] {
  const [, name, named, bare] =
    /^(?:\s*"?([^"<>@]*?)"?\s*<([^\s<>@]+@[^\s<>@]+)>\s*|([^\s<>@]+@[^\s<>@]+))$/.exec(
      text ?? '',
    ) ?? []
  const address = named ?? bare
  if (address) return { name: name ?? '', address }
  throw new Error('MAIL_FROM must be a sender such as Manilla <no-reply@pay.example.com>.')
}

/** The value is not quoted: it holds a password. */
function refuseOtherUrl(name: string, text: string): void {
  // PostgreSQL allows a user without a host: postgres://user@/database?host=/var/run/postgresql
  const whole = text.replace(/^([a-z]+:\/\/[^/]*@)\//, '$1localhost/')
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url && ['postgres:', 'postgresql:', 'socket:'].includes(url.protocol)) return
  throw new Error(
    `${name} must be an address such as postgres://user:password@host:5432/database. ` +
      'Encode special characters in the password, such as @ as %40.',
  )
}

function readPayerEmail({ BANK_PAYER_EMAIL: email, PUBLIC_URL }: Values): string {
  if (email === undefined) return `payments@${hostOf(PUBLIC_URL)}`
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return email
  throw new Error('BANK_PAYER_EMAIL must be an e-mail address such as payments@example.com.')
}

function readOtherSecrets(values: Values, home: string): OtherSecrets {
  const { MANILLA_SECRET, MANILLA_SECRET_NEXT: next, MANILLA_SECRET_OLD } = values
  const old = MANILLA_SECRET_OLD ?? (MANILLA_SECRET ? undefined : loadOldSecret(home))
  for (const [name, secret] of Object.entries({ MANILLA_SECRET_NEXT: next, MANILLA_SECRET_OLD }))
    if (secret !== undefined && secret === MANILLA_SECRET)
      throw new Error(`${name} must differ from MANILLA_SECRET. Remove it if nothing is rotated.`)
  return { old: old ? new Secret(old) : undefined, next: next ? new Secret(next) : undefined }
}

/** Only an origin: paths are appended to it, which a query or fragment would swallow. */
function readOrigin(name: 'PUBLIC_URL' | 'CONSOLE_URL', text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (isWeb && url.href === `${url.origin}/`) return url.origin
  throw new Error(
    `${name} must be an http or https address such as https://pay.example.com, ` +
      'without a path, query, fragment, user name or password.',
  )
}

function readNaira(values: Static<typeof variables>, mode: 'TEST' | 'LIVE'): NairaLimits {
  const [min, max] = [values[`NAIRA_MIN_${mode}`], values.NAIRA_MAX]
  if (min > max)
    throw new Error(`NAIRA_MIN_${mode} must be at most NAIRA_MAX, which is ${max} kobo.`)
  return { min: BigInt(min), max: BigInt(max) }
}

function hostOf(publicUrl: string | undefined): string {
  return publicUrl === undefined
    ? 'example.com'
    : new URL(readOrigin('PUBLIC_URL', publicUrl)).hostname
}

type Values = Static<typeof variables>

type ProviderValues = Partial<
  Record<ProviderVariable<'TEST'> | ProviderVariable<'LIVE'>, string | undefined>
>

function readBankChoice(values: Values, mode: 'TEST' | 'LIVE'): BankChoice {
  const both = values[`BANK_${mode}`] as BankChoice['collect']
  const choice = {
    collect: (values[`BANK_${mode}_COLLECT`] as BankChoice['collect'] | undefined) ?? both,
    payout: (values[`BANK_${mode}_PAYOUT`] as BankChoice['payout'] | undefined) ?? both,
    floatMin: BigInt((values[`BANK_${mode}_FLOAT_MIN`] as number | undefined) ?? 0),
  }
  const emulated = emulators.filter((name) => name === choice.collect || name === choice.payout)
  if (emulated.length > 1)
    throw new Error(`BANK_${mode}_COLLECT and BANK_${mode}_PAYOUT must name the same emulator.`)
  for (const bank of [choice.collect, choice.payout]) {
    const provider = providers.find((name) => name === bank)
    if (provider && !readProviders(values, mode)[provider])
      throw new Error(
        `${provider.toUpperCase()}_${mode}_SECRET_KEY is required: ${provider} is the bank of ${mode.toLowerCase()} mode.`,
      )
  }
  return choice
}

const providerUrls = {
  paystack: { TEST: 'https://api.paystack.co', LIVE: 'https://api.paystack.co' },
  monnify: { TEST: 'https://sandbox.monnify.com', LIVE: 'https://api.monnify.com' },
  flutterwave: {
    TEST: 'https://api.flutterwave.com/v3',
    LIVE: 'https://api.flutterwave.com/v3',
  },
} as const

export function readProviders(values: ProviderValues, mode: 'TEST' | 'LIVE'): ProviderConfigs {
  const configs: ProviderConfigs = {}
  const urls = {
    paystack: readProviderUrl(values, 'paystack', mode),
    monnify: readProviderUrl(values, 'monnify', mode),
    flutterwave: readProviderUrl(values, 'flutterwave', mode),
  }
  const urlOf = (provider: Provider) => urls[provider]
  const paystackKey = values[`PAYSTACK_${mode}_SECRET_KEY`]
  if (paystackKey) {
    refuseOtherMode(`PAYSTACK_${mode}_SECRET_KEY`, paystackKey, urlOf('paystack'))
    configs.paystack = { secretKey: new Secret(paystackKey), url: urlOf('paystack') }
  }
  if (values[`MONNIFY_${mode}_API_KEY`] || values[`MONNIFY_${mode}_SECRET_KEY`]) {
    const apiKey = need(values, `MONNIFY_${mode}_API_KEY`)
    refuseOtherMode(`MONNIFY_${mode}_API_KEY`, apiKey, urlOf('monnify'))
    configs.monnify = {
      apiKey: new Secret(apiKey),
      secretKey: new Secret(need(values, `MONNIFY_${mode}_SECRET_KEY`)),
      contractCode: need(values, `MONNIFY_${mode}_CONTRACT_CODE`),
      sourceAccount: need(values, `MONNIFY_${mode}_SOURCE_ACCOUNT`),
      url: urlOf('monnify'),
    }
  }
  const flutterwaveKey = values[`FLUTTERWAVE_${mode}_SECRET_KEY`]
  if (flutterwaveKey) {
    refuseOtherMode(`FLUTTERWAVE_${mode}_SECRET_KEY`, flutterwaveKey, urlOf('flutterwave'))
    configs.flutterwave = {
      secretKey: new Secret(flutterwaveKey),
      webhookSecret: new Secret(need(values, `FLUTTERWAVE_${mode}_WEBHOOK_SECRET`)),
      url: urlOf('flutterwave'),
    }
  }
  return configs
}

function need(
  values: ProviderValues,
  name: ProviderVariable<'TEST'> | ProviderVariable<'LIVE'>,
): string {
  const value = values[name]
  if (value) return value
  const provider = name.split('_')[0]!
  throw new Error(`${name} is required with the other variables of ${provider}.`)
}

/** http would send the key in the clear. */
function readProviderUrl(
  values: ProviderValues,
  provider: Provider,
  mode: 'TEST' | 'LIVE',
): string {
  const upper = provider.toUpperCase() as Uppercase<Provider>
  const text = values[`${upper}_${mode}_URL`]
  if (!text) return providerUrls[provider][mode]
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url)))
    return text.replace(/\/$/, '')
  throw new Error(`${upper}_${mode}_URL must be an https address, or http on loopback.`)
}

/** A test key in live mode would answer everything and move nothing, or the other way round. */
function refuseOtherMode(name: string, key: string, url: string): void {
  if (isLoopback(new URL(url))) return
  const isTestKey = /^(sk_test_|MK_TEST_|FLWSECK_TEST)/.test(key)
  if (isTestKey === name.includes('_TEST_')) return
  throw new Error(`${name} is a ${isTestKey ? 'test' : 'live'} key of the provider.`)
}

export const coinDecimals = { SOL: 9, USDC: 6, USDT: 6 } as const

function readFloors(name: string, text: string): SolanaConfig['floors'] {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  const entries = parts.map((part) => {
    const [, coin, whole, fraction = ''] =
      /^\s*(SOL|USDC|USDT)=(\d{1,12})(?:\.(\d{1,6}))?\s*$/.exec(part) ?? []
    if (!coin) throw new Error(`${name} must have the form SOL=1,USDC=1000,USDT=1000.`)
    const decimals = coinDecimals[coin as keyof typeof coinDecimals]
    return [coin, BigInt(whole + fraction.padEnd(decimals, '0'))]
  })
  return Object.fromEntries(entries)
}

function readSolana(values: Static<typeof variables>, mode: 'TEST' | 'LIVE'): SolanaConfig {
  const secretKey = values[`SOLANA_${mode}_SECRET_KEY`]
  const command = values[`SOLANA_${mode}_SIGNER_COMMAND`]
  const address = values[`SOLANA_${mode}_SIGNER_ADDRESS`]
  if (command && !address)
    throw new Error(`SOLANA_${mode}_SIGNER_ADDRESS is required with SOLANA_${mode}_SIGNER_COMMAND.`)
  if (address && !command)
    throw new Error(`SOLANA_${mode}_SIGNER_COMMAND is required with SOLANA_${mode}_SIGNER_ADDRESS.`)
  const keyFile = values[`SOLANA_${mode}_KEY_FILE`]
  const given = (values[`SOLANA_${mode}_RPC_URLS`] ?? '').split(',').map((url) => url.trim())
  const urls = given.filter((url) => url !== '')
  if (new Set(urls).size < urls.length)
    throw new Error(
      `SOLANA_${mode}_RPC_URLS lists an RPC node twice. Remove one: it would count as two votes.`,
    )
  if (!urls.every(isWebUrl))
    throw new Error(
      `SOLANA_${mode}_RPC_URLS must be http or https addresses, separated by commas, ` +
        'such as https://rpc.example.com.',
    )
  const hasKey = Boolean(keyFile || secretKey || command)
  const seedFile = values[`SOLANA_${mode}_SEED_FILE`]
  if ((hasKey || seedFile) && urls.length === 0)
    throw new Error(`SOLANA_${mode}_RPC_URLS is required with a hot wallet key or a seed.`)
  if (urls.length > 0 && !hasKey)
    throw new Error(
      `SOLANA_${mode}_RPC_URLS needs a hot wallet key: set SOLANA_${mode}_KEY_FILE, ` +
        `SOLANA_${mode}_SECRET_KEY or SOLANA_${mode}_SIGNER_COMMAND.`,
    )
  return {
    urls,
    keyFile,
    seedFile,
    secretKey: secretKey ? new Secret(secretKey) : undefined,
    signer: command ? { command, address: address! } : undefined,
    floors: readFloors(`SOLANA_${mode}_FLOORS`, values[`SOLANA_${mode}_FLOORS`] ?? ''),
    mints: mode === 'TEST' ? readMints(values) : {},
  }
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function readMints(values: Static<typeof variables>): SolanaConfig['mints'] {
  const { SOLANA_TEST_USDC_MINT: USDC, SOLANA_TEST_USDT_MINT: USDT } = values
  return { ...(USDC && { USDC }), ...(USDT && { USDT }) }
}

function readVariables(given: NodeJS.ProcessEnv): Static<typeof variables> {
  try {
    return envSchema<Static<typeof variables>>({ schema: variables, data: given, env: false })
  } catch (error) {
    const { errors = [] } = error as { errors?: { instancePath: string }[] }
    const names = new Set(errors.map(({ instancePath }) => instancePath.slice(1)))
    const lines = [...names].map((name) => `${name} must be ${describeAllowed(name)}.`)
    throw new Error(lines.join('\n') || (error as Error).message)
  }
}

type VariableSchema = {
  type: string
  enum?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  pattern?: string
}

/** What to write. The given value is not quoted: it may be a secret. */
function describeAllowed(name: string): string {
  const properties = variables.properties as unknown as Record<string, VariableSchema>
  const schema = properties[name]!
  if (schema.enum) return `one of: ${schema.enum.join(', ')}`
  if (schema.type === 'boolean') return 'true or false'
  if (schema.type === 'integer') {
    const { minimum = 0, maximum } = schema
    const range = maximum === undefined ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`
    return `a whole number${range}`
  }
  if (schema.pattern) return 'an address in base58, 32 to 44 characters'
  if (schema.minLength === secretLengthMin)
    return `at least ${secretLengthMin} characters; create it with \`openssl rand -hex 32\``
  return 'an address such as 127.0.0.1, or 0.0.0.0 for all'
}
