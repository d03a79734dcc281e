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
  [{ NAIRA_MIN_LIVE: '0' }, 'NAIRA_MIN_LIVE must be >= 1'],
  [{ NAIRA_MAX: '9007199254740992' }, 'NAIRA_MAX must be <= 9007199254740991'],
  [{ NAIRA_MAX: '₦10,000' }, 'NAIRA_MAX must be integer'],
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
  expect(() => read({ DATABASE_READ_URL, DATABASE_READ_MAX_DELAY_MS: '100' })).toThrow('must be >=')
  expect(() => read({ DATABASE_READ_URL, DATABASE_URL: '' })).toThrow('needs DATABASE_URL')
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

test('test mode has the sandbox bank unless it is turned off', () => {
  const bank = (given: object) => readConfig({ ...settings, ...given }).bank.test
  expect([{}, { BANK_TEST: 'sandbox' }, { BANK_TEST: 'none' }].map(bank)).toEqual([
    'sandbox',
    'sandbox',
    'none',
  ])
  expect(() => bank({ BANK_TEST: 'gtbank' })).toThrow(/^BANK_TEST must .*: sandbox, none\.$/)
})
