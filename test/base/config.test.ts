import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.js'
import { standardNaira } from '../support/open-manilla.js'

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }
const naira = (given: Record<string, string>) => readConfig({ ...settings, ...given }).naira

test('naira amounts have default and configured limits', () => {
  expect(naira({})).toEqual(standardNaira)
  const given = { NAIRA_MIN_TEST: '5', NAIRA_MIN_LIVE: '700', NAIRA_MAX: '700' }
  expect(naira(given)).toEqual({ test: { min: 5n, max: 700n }, live: { min: 700n, max: 700n } })
})

test.each([
  [{ NAIRA_MAX: '9999' }, 'NAIRA_MIN_LIVE must be at most NAIRA_MAX, which is 9999'],
  [{ NAIRA_MIN_TEST: '1000000001' }, 'NAIRA_MIN_TEST must be at most NAIRA_MAX'],
  [{ NAIRA_MIN_LIVE: '0' }, 'NAIRA_MIN_LIVE must be a whole number from 1 to 9007199254740991'],
  [
    { NAIRA_MAX: '9007199254740992' },
    'NAIRA_MAX must be a whole number from 1 to 9007199254740991',
  ],
  [{ NAIRA_MAX: '₦10,000' }, 'NAIRA_MAX must be a whole number'],
])('contradictory limits are refused: %j', (given, message) => {
  expect(() => naira(given)).toThrow(message)
})

test.each([
  ['https://pay.example.com', 'https://pay.example.com'],
  ['https://pay.example.com/', 'https://pay.example.com'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
])('a public address is accepted: %s', (PUBLIC_URL, url) => {
  expect(readConfig({ ...settings, PUBLIC_URL }).publicUrl).toBe(url)
})

test('a replica needs a primary, and has a limit on its delay', () => {
  const read = (given: object) => readConfig({ ...settings, ...given }).databaseRead
  const DATABASE_READ_URL = 'postgres://replica'
  expect(read({})).toBeUndefined()
  expect(read({ DATABASE_READ_URL })?.maxDelayMs).toBe(5_000)
  expect(read({ DATABASE_READ_URL })?.url.reveal()).toBe(DATABASE_READ_URL)
  expect(read({ DATABASE_READ_URL, DATABASE_READ_MAX_DELAY_MS: '60000' })?.maxDelayMs).toBe(60_000)
  expect(() => read({ DATABASE_READ_URL, DATABASE_READ_MAX_DELAY_MS: '100' })).toThrow(
    'must be a whole number from 2000 to',
  )
  expect(() => read({ DATABASE_READ_URL, DATABASE_URL: '' })).toThrow('needs DATABASE_URL')
})

test('a database may be reached by a socket, in each form that PostgreSQL allows', () => {
  const folder = '/var/run/postgresql'
  for (const DATABASE_URL of [
    `postgres:///manilla?host=${folder}`,
    `postgres://manilla@/manilla?host=${folder}&port=5433`,
    `postgres://manilla:secret@/manilla?host=${folder}`,
    `postgresql://${encodeURIComponent(folder)}/manilla`,
    `socket:${folder}?db=manilla`,
  ])
    expect(readConfig({ ...settings, DATABASE_URL }).databaseUrl?.reveal()).toBe(DATABASE_URL)
  expect(() => readConfig({ ...settings, DATABASE_URL: 'mysql://a@/b' })).toThrow('an address')
})

// Several processes slow writes down, so more than one is a choice of the operator.
test('the API runs in one process unless a number is set', () => {
  const processes = (given: object) => readConfig({ ...settings, ...given }).apiProcesses
  expect(processes({})).toBe(1)
  expect(processes({ API_PROCESSES: '4' })).toBe(4)
  for (const API_PROCESSES of ['0', '65', '1.5'])
    expect(() => processes({ API_PROCESSES })).toThrow('API_PROCESSES must be')
})

test('request logs are kept for 30 days, fewer, or not at all', () => {
  const days = (given: object) => readConfig({ ...settings, ...given }).requestLogDays
  expect([{}, { REQUEST_LOG_DAYS: '7' }, { REQUEST_LOG_DAYS: '0' }].map(days)).toEqual([30, 7, 0])
  for (const REQUEST_LOG_DAYS of ['31', '-1', '1.5', 'ever'])
    expect(() => days({ REQUEST_LOG_DAYS })).toThrow('REQUEST_LOG_DAYS must be')
})

test('events are kept for 13 months, or as set, but not shorter than their deliveries', () => {
  const days = (given: object) => readConfig({ ...settings, ...given }).eventDays
  expect([{}, { EVENT_DAYS: '90' }, { EVENT_DAYS: '3660' }].map(days)).toEqual([396, 90, 3_660])
  for (const EVENT_DAYS of ['89', '0', '4000', 'ever'])
    expect(() => days({ EVENT_DAYS })).toThrow('EVENT_DAYS must be')
})

// Checkout links start with it.
test.each([
  'https://pay.example.com?x=1',
  'https://pay.example.com/?',
  'https://pay.example.com#top',
  'https://pay.example.com/pay',
  'https://somebody@pay.example.com',
  'https://pay.example.com:99999',
  'https://pay example.com',
  'ftp://pay.example.com',
  'pay.example.com',
  '',
])('an address to which no path can be appended is refused: %s', (PUBLIC_URL) => {
  expect(() => readConfig({ ...settings, PUBLIC_URL })).toThrow(
    /^PUBLIC_URL must be .* without a path, query, fragment/,
  )
})

const read = (given: object) => readConfig({ ...settings, ...given })

test('test mode has the sandbox bank unless another is set, and live mode has none', () => {
  const bank = (given: object) => {
    const { test, live } = read(given).bank
    return [test.collect, test.payout, live.collect, live.payout]
  }
  expect(bank({})).toEqual(['sandbox', 'sandbox', 'none', 'none'])
  expect(bank({ BANK_TEST: 'none' })).toEqual(['none', 'none', 'none', 'none'])
  expect(bank({ BANK_TEST_PAYOUT: 'none' })).toEqual(['sandbox', 'none', 'none', 'none'])
  expect(() => bank({ BANK_TEST: 'gtbank' })).toThrow(/^BANK_TEST must .*: sandbox, none, paystack/)
  expect(() => bank({ BANK_LIVE: 'sandbox' })).toThrow(/^BANK_LIVE must /)
  expect(() => bank({ BANK_LIVE: 'paystack-emulator' })).toThrow(/^BANK_LIVE must /)
})

test('test mode has one emulator at most', () => {
  const given = { BANK_TEST_COLLECT: 'paystack-emulator', BANK_TEST_PAYOUT: 'monnify-emulator' }
  expect(() => read(given)).toThrow('BANK_TEST_COLLECT and BANK_TEST_PAYOUT')
})

test.each([
  [{ BANK_LIVE: 'paystack' }, 'PAYSTACK_LIVE_SECRET_KEY is required'],
  [{ BANK_LIVE_PAYOUT: 'monnify' }, 'MONNIFY_LIVE_SECRET_KEY is required'],
  [{ MONNIFY_LIVE_API_KEY: 'MK_PROD_1' }, 'MONNIFY_LIVE_SECRET_KEY is required'],
  [{ MONNIFY_TEST_SECRET_KEY: 'S' }, 'MONNIFY_TEST_API_KEY is required'],
  [{ FLUTTERWAVE_LIVE_SECRET_KEY: 'FLWSECK-1-X' }, 'FLUTTERWAVE_LIVE_WEBHOOK_SECRET is required'],
])('a provider needs all of its variables: %o', (given, message) => {
  expect(() => read(given)).toThrow(message)
})

test.each([
  ['PAYSTACK_LIVE_SECRET_KEY', 'sk_test_1', 'test'],
  ['PAYSTACK_TEST_SECRET_KEY', 'sk_live_1', 'live'],
  ['MONNIFY_LIVE_API_KEY', 'MK_TEST_1', 'test'],
  ['MONNIFY_TEST_API_KEY', 'MK_PROD_1', 'live'],
  ['FLUTTERWAVE_LIVE_SECRET_KEY', 'FLWSECK_TEST-1-X', 'test'],
  ['FLUTTERWAVE_TEST_SECRET_KEY', 'FLWSECK-1-X', 'live'],
])('%s refuses a key of the other mode', (name, key, mode) => {
  expect(() => read({ [name]: key })).toThrow(`${name} is a ${mode} key of the provider.`)
})

test('a provider is called over https, and over http on loopback only', () => {
  const urlOf = (PAYSTACK_LIVE_URL: string) =>
    read({ PAYSTACK_LIVE_SECRET_KEY: 'sk_live_1', PAYSTACK_LIVE_URL }).providers.live.paystack!.url
  expect(urlOf('')).toBe('https://api.paystack.co')
  expect(urlOf('https://proxy.example.com/')).toBe('https://proxy.example.com')
  expect(urlOf('http://127.0.0.1:4000')).toBe('http://127.0.0.1:4000')
  for (const wrong of ['http://api.paystack.co', 'http://127.0.0.1.example.com', 'ftp://a', 'a'])
    expect(() => urlOf(wrong)).toThrow('PAYSTACK_LIVE_URL must be an https address')
})

test('keys of providers are not printed', () => {
  const { providers } = read({ PAYSTACK_LIVE_SECRET_KEY: 'sk_live_hidden' })
  expect(JSON.stringify(providers)).not.toContain('hidden')
})

const secretText = 'a value that no message may quote'

// The message is all that an operator sees: it names the variable and what to write there.
test.each([
  ['HOST', '', 'an address such as 127.0.0.1, or 0.0.0.0 for all.'],
  ['METRICS_HOST', '', 'an address such as 127.0.0.1, or 0.0.0.0 for all.'],
  ['PORT', 'http', 'a whole number from 0 to 65535.'],
  ['WORK_PORT', '-1', 'a whole number from 0 to 65535.'],
  ['RATE_LIMIT_PER_SECOND', 'many', 'a whole number, at least 0.'],
  ['TRUST_PROXY', 'yes', 'true or false.'],
  ['LOG_LEVEL', 'loud', 'one of: fatal, error, warn, info, debug, trace, silent.'],
  ['LOG_FORMAT', 'xml', 'one of: pretty, json.'],
  ['MANILLA_SECRET', 'short', 'at least 32 characters; create it with `openssl rand -hex 32`.'],
  ['MANILLA_SECRET_OLD', 'short', 'at least 32 characters; create it with `openssl rand -hex 32`.'],
  ['DATABASE_URL', secretText, 'an address such as postgres://user:password@host:5432/database.'],
  ['DATABASE_READ_URL', `mysql://${secretText}`, 'an address such as postgres://'],
  ['SOLANA_TEST_USDC_MINT', '0x52', 'an address in base58, 32 to 44 characters.'],
  ['SOLANA_LIVE_RPC_URLS', secretText, 'http or https addresses, separated by commas'],
  ['MONNIFY_LIVE_URL', secretText, 'an https address, or http on loopback.'],
  ['BANK_PAYER_EMAIL', 'nobody', 'an e-mail address such as payments@example.com.'],
])('%s says what to write', (name, value, message) => {
  const wrong = () => read({ SOLANA_LIVE_KEY_FILE: 'a', [name]: value })
  expect(name === 'SOLANA_LIVE_RPC_URLS' ? wrong : () => read({ [name]: value })).toThrow(
    `${name} must be ${message}`,
  )
  expect(wrong).not.toThrow(secretText)
})

test('several wrong values are named together', () => {
  expect(() => read({ PORT: 'x', TRUST_PROXY: 'x' })).toThrow(/^PORT must .*\nTRUST_PROXY must/)
})

const bankA = { name: 'bank-a', asset: 'USDC', url: 'https://bank.example/r', rate: '/data/rate' }
const ratesOf = (source: object, more: Record<string, string> = {}) =>
  read({ RATE_SOURCES: JSON.stringify([source]), ...more }).rates!

test('rate sources have a margin, a time and a key', () => {
  expect(read({}).rates).toEqual({ sources: [], maxAgeMs: 300_000, maxDeviationPercent: 5 })
  const source = { ...bankA, marginBasisPoints: 50, time: '/data/a~1b' }
  const withKey = { ...source, keyHeader: 'X-Api-Key', keyVariable: 'RATE_KEY_BANK_A' }
  const rates = ratesOf(withKey, {
    RATE_KEY_BANK_A: 'hidden',
    RATE_MAX_AGE_SECONDS: '60',
    RATE_MAX_DEVIATION_PERCENT: '10',
  })
  expect(rates).toMatchObject({ maxAgeMs: 60_000, maxDeviationPercent: 10 })
  const [first] = rates.sources
  expect(first).toMatchObject({
    name: 'bank-a',
    at: { rate: '/data/rate', marginBasisPoints: 50 },
    time: '/data/a~1b',
  })
  expect(first!.header!.key.reveal()).toBe('hidden')
  expect(JSON.stringify(rates)).not.toContain('hidden')
  const pair = { name: 'b', asset: 'USDT', url: 'http://127.0.0.1:1', buy: '/b', sell: '/s' }
  expect(ratesOf(pair).sources[0]!.at).toEqual({ buy: '/b', sell: '/s' })
})

test.each([
  [
    { ...bankA, url: 'http://bank.example' },
    'have an https address, or http on loopback at [0].url',
  ],
  [{ ...bankA, url: 'https://a:hidden@b.example' }, 'have an https address'],
  [{ ...bankA, asset: 'NGN' }, 'have USDC or USDT at [0].asset'],
  [
    { ...bankA, name: 'Bank A' },
    'have a name of lowercase letters, digits and hyphens at [0].name',
  ],
  [{ ...bankA, rate: 'data.rate' }, 'have a JSON pointer such as /data/rate at [0].rate'],
  [{ ...bankA, buy: '/b' }, 'have either `rate`, or `buy` and `sell`, at [0]'],
  [{ ...bankA, rate: undefined }, 'have either `rate`, or `buy` and `sell`, at [0]'],
  [{ ...bankA, marginBasisPoints: 0.5 }, 'have a whole number from 0 to 5000'],
  [{ ...bankA, margin: 5 }, 'have only the fields name, asset, url'],
  [{ ...bankA, keyHeader: 'X-Api-Key' }, 'have both `keyHeader`'],
  [{ ...bankA, keyHeader: 'X', keyVariable: 'MANILLA_SECRET' }, 'have both `keyHeader`'],
  [[], 'have an object at [0]'],
])('a wrong rate source is refused with the reason: %j', (source, message) => {
  expect(() => ratesOf(source)).toThrow(`RATE_SOURCES must ${message}`)
  expect(() => ratesOf(source)).not.toThrow('hidden')
})

test('rate sources are unique, and their keys are set', () => {
  expect(() => read({ RATE_SOURCES: 'bank-a' })).toThrow('RATE_SOURCES must be a JSON array')
  expect(() => read({ RATE_SOURCES: '{}' })).toThrow('RATE_SOURCES must be a JSON array')
  const twice = JSON.stringify([bankA, bankA])
  expect(() => read({ RATE_SOURCES: twice })).toThrow('bank-a/USDC appears twice')
  const withKey = { ...bankA, keyHeader: 'X-Api-Key', keyVariable: 'RATE_KEY_BANK_A' }
  expect(() => ratesOf(withKey)).toThrow('RATE_KEY_BANK_A is required')
})

const mail = (given: Record<string, string>) => readConfig({ ...settings, ...given }).mail!
const MAIL_FROM = 'Manilla Pay <no-reply@pay.example>'

test('a mail relay is read from its URL, and its password is not printed', () => {
  expect(mail({}).relay).toBeUndefined()
  const SMTP_URL = 'smtp://ada%40pay:p%40ss@smtp.example.com'
  const { relay } = mail({ SMTP_URL, MAIL_FROM })
  expect(relay).toMatchObject({
    host: 'smtp.example.com',
    port: 587,
    isSecure: false,
    requiresTls: true,
    user: 'ada@pay',
    from: { name: 'Manilla Pay', address: 'no-reply@pay.example' },
  })
  expect(relay!.password!.reveal()).toBe('p@ss')
  expect(JSON.stringify(relay)).not.toContain('p@ss')
  expect(mail({ SMTP_URL: 'smtps://smtp.example.com', MAIL_FROM }).relay).toMatchObject({
    port: 465,
    isSecure: true,
    requiresTls: false,
    user: undefined,
  })
  const local = mail({ SMTP_URL: 'smtp://[::1]:2525', MAIL_FROM: 'a@b.example' }).relay
  expect(local).toMatchObject({
    host: '::1',
    port: 2525,
    requiresTls: false,
    from: { name: '', address: 'a@b.example' },
  })
})

test.each([
  [{ SMTP_URL: 'smtp.example.com', MAIL_FROM }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'https://smtp.example.com', MAIL_FROM }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://a:secret@smtp.example.com/path', MAIL_FROM }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://smtp.example.com?tls=off', MAIL_FROM }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://smtp.example.com' }, 'MAIL_FROM must be'],
  [{ SMTP_URL: 'smtp://smtp.example.com', MAIL_FROM: 'Manilla' }, 'MAIL_FROM must be'],
  [{ SMTP_URL: 'smtp://smtp.example.com', MAIL_FROM: 'a@b.example, c@d.example' }, 'MAIL_FROM'],
  [{ MAIL_BOUNCE_SECRET: 'short' }, 'MAIL_BOUNCE_SECRET must be at least 32 characters'],
])('a wrong mail setting is refused: %j', (given, message) => {
  expect(() => mail(given as Record<string, string>)).toThrow(message)
  expect(() => mail(given as Record<string, string>)).not.toThrow('secret@')
})
