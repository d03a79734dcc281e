import { expect, test } from 'vitest'
import { readConfig } from '../src/config.js'
import { standardNaira } from './support/house.js'

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }
const naira = (given: Record<string, string>) => readConfig({ ...settings, ...given }).naira

test('amounts of naira have bounds, by default and as they are set', () => {
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
])('bounds that make no sense are named: %j', (given, message) => {
  expect(() => naira(given)).toThrow(message)
})
