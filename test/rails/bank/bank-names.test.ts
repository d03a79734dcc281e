import { expect, test } from 'vitest'
import { limits } from '../../../src/base/limits.js'
import type { Bank } from '../../../src/payouts/ports.js'
import { BankNames } from '../../../src/rails/bank/bank-names.js'
import { Unknown } from '../../../src/rails/bank/provider-client.js'
import { nigerianBanks } from '../../../src/rails/banks.js'
import { manualClock } from '../../support/clock.js'

function openNames(list: () => Promise<Bank[]>) {
  const clock = manualClock()
  let calls = 0
  const counted = () => {
    calls += 1
    return list()
  }
  return { clock, names: new BankNames(counted, clock), countCalls: () => calls }
}

test.each([
  ['WEMA BANK', '035'],
  ['ACCESS BANK NIGERIA', '044'],
  ['Sterling Bank PLC', '232'],
  ['Guaranty Trust Bank', '058'],
  ['GTBANK PLC', '058'],
  ['UBA', '033'],
  ['Mock Bank', ''],
  ['Flutterwave MFB', ''],
  ['', ''],
  ['constructor', ''],
])('%s has the code %s', async (name, code) => {
  const { names } = openNames(async () => [...nigerianBanks])
  await names.refresh()
  expect(names.codeOf(name)).toBe(code)
})

test('codes are those of the provider, and not one of two equal names', async () => {
  const { names } = openNames(async () => [
    { code: '090001', name: 'Mock Bank' },
    { code: '1', name: 'Kuda Bank' },
    { code: '2', name: 'Kuda Microfinance Bank' },
  ])
  await names.refresh()
  expect(names.codeOf('MOCK BANK')).toBe('090001')
  expect(names.codeOf('Kuda Microfinance Bank')).toBe('2')
  expect(names.codeOf('Kuda')).toBe('')
})

test('a list that cannot be read leaves the last one, and is fetched again soon', async () => {
  let isDown = false
  const { names, clock, countCalls } = openNames(async () => {
    if (isDown) throw new Unknown('down')
    return [{ code: '035', name: 'Wema Bank' }]
  })
  await Promise.all([names.refresh(), names.refresh()])
  await names.refresh()
  expect(countCalls()).toBe(1)
  isDown = true
  clock.advance(limits.banks.directoryCacheMs)
  await names.refresh()
  await names.refresh()
  expect([countCalls(), names.codeOf('Wema Bank')]).toEqual([2, '035'])
  clock.advance(limits.banks.directoryRetryMs)
  await names.refresh()
  expect(countCalls()).toBe(3)
})
