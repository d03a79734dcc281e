import { expect, test } from 'vitest'
import { isHolderOf } from '../../src/merchants/settings/judge-holder.js'

test.each([
  ['Ada Kitchen Limited', 'ADA KITCHEN LTD'],
  ['Adébáyò Foods Nigeria Ltd', 'ADEBAYO FOODS'],
  ['Konga Limited', 'KONGA NIG LTD'],
  ['Ada Obi', 'ADA NGOZI OBI'],
  ['Ada Kitchen and Catering Services', 'ADA KITCHEN CATERING'],
])('%s may hold the account of %s', (name, holder) => {
  expect(isHolderOf([name], holder)).toBe(true)
})

test.each([
  ['Ada Kitchen Nigeria Limited', 'EVE FOODS NIGERIA LIMITED'],
  ['Ada Kitchen', 'ADA'],
  ['Konga', 'KONGA EVE OKORO'],
  ['The Company Limited', 'THE COMPANY LIMITED'],
  ['Ada Kitchen', ''],
  ['', 'ADA KITCHEN'],
])('%s does not hold the account of %s', (name, holder) => {
  expect(isHolderOf([name], holder)).toBe(false)
})

test('any of several names will do, and without one none does', () => {
  expect(isHolderOf(['Ada Kitchen', 'Ada Obi'], 'OBI ADA')).toBe(true)
  expect(isHolderOf([], 'OBI ADA')).toBe(false)
})
