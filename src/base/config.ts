import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { envSchema } from 'env-schema'
import Type, { type Static } from 'typebox'
import type { Mode } from './environment.js'
import { keptSecret, secretLength } from './kept-secret.js'
import { limits } from './limits.js'
import { readPublicUrl } from './public-url.js'
import { Secret } from './secret.js'

const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

function solanaVariables<Name extends 'TEST' | 'LIVE'>(mode: Name, words: string) {
  const text = (description: string) => Type.Optional(Type.String({ description }))
  return {
    [`SOLANA_${mode}_RPC_URLS`]: text(
      `Solana endpoints of ${words}, separated by commas; a majority must agree, so name three.`,
    ),
    [`SOLANA_${mode}_KEY_FILE`]: text("Key file of the hot wallet, as Solana's tools write it."),
    [`SOLANA_${mode}_SECRET_KEY`]: text('Or the key itself, 64 bytes in base58 or as a list.'),
    [`SOLANA_${mode}_SIGNER_COMMAND`]: text(
      'Or a program that signs: base64 messages in, base64 signatures out, a line each.',
    ),
    [`SOLANA_${mode}_SIGNER_ADDRESS`]: text('The address that program signs for.'),
    [`SOLANA_${mode}_SEED_FILE`]: text(
      'File with the BIP-39 words of the deposit wallets; without it there are none.',
    ),
    [`SOLANA_${mode}_FLOORS`]: text(
      'Below these amounts in the hot wallet an alarm is logged, such as SOL=1,USDC=1000.',
    ),
  } as Record<
    | `SOLANA_${Name}_${'RPC_URLS' | 'KEY_FILE' | 'SECRET_KEY' | 'SEED_FILE' | 'FLOORS'}`
    | `SOLANA_${Name}_SIGNER_${'COMMAND' | 'ADDRESS'}`,
    ReturnType<typeof text>
  >
}

function kobo(standard: number, description: string) {
  const maximum = Number(limits.money.wireMax)
  return Type.Integer({ default: standard, minimum: 1, maximum, description })
}

function mintVariable(coin: string) {
  return Type.Optional(
    Type.String({
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      description: `Mint of ${coin} on the chain of test mode; by default at mainnet's address.`,
    }),
  )
}

const testBanks = ['sandbox', 'none'] as const

/** All that the service reads; docs/operating/configuration.md is written from it. */
export const variables = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'Address the API listens on.' }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the API; 0 takes a free one.',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Loopback port of `/metrics`; by default PORT + 1000, or a free one where that is taken.',
    }),
  ),
  WORK_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Loopback port of `/healthz`, `/readyz` and `/metrics` of `manilla work`; by default PORT + 1001, or a free one where that is taken.',
    }),
  ),
  MANILLA_HOME: Type.Optional(
    Type.String({
      description:
        'Folder of the embedded database and its secrets; by default `.manilla` in the project.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      description: 'A PostgreSQL 15 or newer to use instead of the embedded one.',
    }),
  ),
  MANILLA_SECRET: Type.Optional(
    Type.String({
      minLength: secretLength,
      description:
        'Key of all keyed hashes and sealed values, at least 32 characters. Required with DATABASE_URL; else made once under MANILLA_HOME.',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      description:
        'Address callers use, when a proxy stands in front, such as https://pay.example.com.',
    }),
  ),
  TRUST_PROXY: Type.Boolean({
    default: false,
    description: 'Believe X-Forwarded-For. Only behind a proxy that sets it.',
  }),
  LOG_LEVEL: Type.String({
    default: 'info',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    description: 'How much is logged.',
  }),
  RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 2_000,
    minimum: 0,
    description: 'Requests per second and environment, counted per process; 0 disables.',
  }),
  PUBLIC_RATE_LIMIT_PER_SECOND: Type.Integer({
    default: 20,
    minimum: 0,
    description:
      'Requests per second and address (IPv6: per /64) on public routes, counted per process; 0 disables.',
  }),
  REQUEST_LOG_DAYS: Type.Integer({
    default: limits.requestLogs.keptDays,
    minimum: 0,
    maximum: limits.requestLogs.keptDays,
    description: 'So long the requests of merchants are kept for them to look at; 0 keeps none.',
  }),
  NAIRA_MIN_TEST: kobo(1, 'Smallest amount of naira that test mode takes, in kobo.'),
  NAIRA_MIN_LIVE: kobo(10_000, 'Smallest amount of naira that live mode takes, in kobo.'),
  NAIRA_MAX: kobo(1_000_000_000, 'Largest amount of naira that either mode takes, in kobo.'),
  BANK_TEST: Type.Enum(testBanks, {
    type: 'string',
    default: 'sandbox',
    description:
      'Bank of test mode. `sandbox` is simulated and needs no account anywhere; `none` creates no sandbox tables and refuses naira payments.',
  }),
  ...solanaVariables('TEST', 'test mode; without it, `npm start` runs a chain of its own'),
  SOLANA_TEST_USDC_MINT: mintVariable('USDC'),
  SOLANA_TEST_USDT_MINT: mintVariable('USDT'),
  ...solanaVariables('LIVE', 'live mode'),
  WEBHOOKS_ALLOW_LOOPBACK: Type.Optional(
    Type.Boolean({
      description:
        'Whether webhooks of test mode may reach this machine; by default only with the embedded database.',
    }),
  ),
})

/** What one payment or payout of naira may be, in kobo; both ends belong to it. */
export type NairaLimits = { min: bigint; max: bigint }

/** How a mode reaches a Solana chain, and who signs for its treasury. */
export type SolanaConfig = {
  urls: string[]
  /** A key file of Solana's tools. */
  keyFile: string | undefined
  /** Sixty-four bytes in base58, or as a list. */
  secretKey: Secret | undefined
  /** The words of a seed, from which the deposit wallets come. */
  seedFile: string | undefined
  /** In the smallest units: below them, an alarm is raised. */
  floors: Partial<Record<'SOL' | 'USDC' | 'USDT', bigint>>
  /** A program that signs, and the address of its key. */
  signer: { command: string; address: string } | undefined
  /** Where the coins are not those of mainnet. */
  mints: Partial<Record<'USDC' | 'USDT', string>>
}

export type Config = {
  host: string
  port: number
  /** Undefined: beside the API's port, or a free one where that is taken. */
  metricsPort: number | undefined
  /** Undefined: beside the other two, or a free one where that is taken. */
  workPort: number | undefined
  home: string
  /** Undefined: run the embedded server. */
  databaseUrl: Secret | undefined
  secret: Secret
  publicUrl: string | undefined
  trustProxy: boolean
  logLevel: string
  rateLimitPerSecond: number
  publicRateLimitPerSecond: number
  requestLogDays: number
  naira: Record<Mode, NairaLimits>
  allowsLoopbackWebhooks: boolean
  bank: { test: (typeof testBanks)[number] }
  solana: Record<Mode, SolanaConfig>
}

/** The folder in which an embedded service should be, if there is none; undefined otherwise. */
export function findEmptyHome(given: NodeJS.ProcessEnv = process.env): string | undefined {
  const { DATABASE_URL, MANILLA_HOME } = given
  const home = homeOf({ MANILLA_HOME })
  return DATABASE_URL || existsSync(path.join(home, 'data')) ? undefined : home
}

/** Without one, reading the rest would make a home for an embedded database. */
export function hasDatabaseUrl(given: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(given.DATABASE_URL)
}

function homeOf(values: { MANILLA_HOME?: string | undefined }): string {
  return path.resolve(values.MANILLA_HOME || path.join(projectFolder, '.manilla'))
}

/**
 * Reads and checks the environment variables, once. A wrong one is named, with what it should be.
 */
export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(given)
  const home = homeOf(values)
  if (values.DATABASE_URL && !values.MANILLA_SECRET)
    throw new Error(
      'MANILLA_SECRET is required with DATABASE_URL. Make one with `openssl rand -hex 32` and keep it: ' +
        'without it no API key can be checked.',
    )
  return {
    host: values.HOST,
    port: values.PORT,
    metricsPort: values.METRICS_PORT,
    workPort: values.WORK_PORT,
    home,
    databaseUrl: values.DATABASE_URL ? new Secret(values.DATABASE_URL) : undefined,
    secret: new Secret(values.MANILLA_SECRET ?? keptSecret(home)),
    publicUrl: values.PUBLIC_URL === undefined ? undefined : readPublicUrl(values.PUBLIC_URL),
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    rateLimitPerSecond: values.RATE_LIMIT_PER_SECOND,
    publicRateLimitPerSecond: values.PUBLIC_RATE_LIMIT_PER_SECOND,
    requestLogDays: values.REQUEST_LOG_DAYS,
    naira: { test: readNaira(values, 'TEST'), live: readNaira(values, 'LIVE') },
    allowsLoopbackWebhooks: values.WEBHOOKS_ALLOW_LOOPBACK ?? !values.DATABASE_URL,
    bank: { test: values.BANK_TEST },
    solana: { test: readSolana(values, 'TEST'), live: readSolana(values, 'LIVE') },
  }
}

function readNaira(values: Static<typeof variables>, mode: 'TEST' | 'LIVE'): NairaLimits {
  const [min, max] = [values[`NAIRA_MIN_${mode}`], values.NAIRA_MAX]
  if (min > max) throw new Error(`NAIRA_MIN_${mode} must be at most NAIRA_MAX, which is ${max}.`)
  return { min: BigInt(min), max: BigInt(max) }
}

export const coinDecimals = { SOL: 9, USDC: 6, USDT: 6 } as const

function readFloors(name: string, text: string): SolanaConfig['floors'] {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  const entries = parts.map((part) => {
    const [, coin, whole, fraction = ''] =
      /^\s*(SOL|USDC|USDT)=(\d{1,12})(?:\.(\d{1,6}))?\s*$/.exec(part) ?? []
    if (!coin) throw new Error(`${name} must be like SOL=1,USDC=1000,USDT=1000.`)
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
    throw new Error(`SOLANA_${mode}_SIGNER_ADDRESS is required with the signer's command.`)
  if (address && !command)
    throw new Error(`SOLANA_${mode}_SIGNER_COMMAND is required with the signer's address.`)
  const keyFile = values[`SOLANA_${mode}_KEY_FILE`]
  const given = (values[`SOLANA_${mode}_RPC_URLS`] ?? '').split(',').map((url) => url.trim())
  const urls = given.filter((url) => url !== '')
  if (new Set(urls).size < urls.length)
    throw new Error(
      `SOLANA_${mode}_RPC_URLS names an endpoint twice: it would count as a majority.`,
    )
  const hasKey = Boolean(keyFile || secretKey || command)
  const seedFile = values[`SOLANA_${mode}_SEED_FILE`]
  if ((hasKey || seedFile) && urls.length === 0)
    throw new Error(`SOLANA_${mode}_RPC_URLS is required with the key of a hot wallet or a seed.`)
  if (urls.length > 0 && !hasKey)
    throw new Error(
      `SOLANA_${mode}_KEY_FILE is required with SOLANA_${mode}_RPC_URLS; or SOLANA_${mode}_SECRET_KEY, ` +
        `or SOLANA_${mode}_SIGNER_COMMAND.`,
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

function readMints(values: Static<typeof variables>): SolanaConfig['mints'] {
  const { SOLANA_TEST_USDC_MINT: USDC, SOLANA_TEST_USDT_MINT: USDT } = values
  return { ...(USDC && { USDC }), ...(USDT && { USDT }) }
}

function readVariables(given: NodeJS.ProcessEnv): Static<typeof variables> {
  try {
    return envSchema<Static<typeof variables>>({ schema: variables, data: given, env: false })
  } catch (error) {
    const { errors = [] } = error as { errors?: VariableError[] }
    const lines = errors.map(({ instancePath, message = '', params }) => {
      const allowed = params.allowedValues ? `: ${params.allowedValues.join(', ')}` : ''
      return `${instancePath.slice(1)} ${message}${allowed}.`
    })
    throw new Error(lines.join('\n') || (error as Error).message)
  }
}

type VariableError = {
  instancePath: string
  message?: string
  params: { allowedValues?: string[] }
}
