import { expect, test } from 'vitest'
import { bindBanks } from '../../../src/merchants/settings/bind-banks.js'
import { examineBanks } from '../../../src/operations/doctor/examine-banks.js'
import { inTestMode, noRails, onlySandbox } from '../../support/open-manilla.js'
import { openWithProviders } from '../../support/open-with-providers.js'

const { db, bankOf, emulators, merchant } = await openWithProviders('paystack')
const paystack = inTestMode(bankOf('paystack'))
const choices = (floatMin: bigint) => ({
  ...onlySandbox.bank,
  test: { ...onlySandbox.bank.test, floatMin },
})

test('a low float is an error that says how much is missing', async () => {
  emulators.paystack.setFloat(1_000_000n)
  const results = await examineBanks(db, paystack, choices(1_500_000n))
  expect(results).toContainEqual({
    check: 'Bank (test)',
    state: 'error',
    message: 'paystack: ₦10,000.00 for payouts',
    fix: expect.stringContaining('₦5,000.00'),
  })
  const enough = await examineBanks(db, paystack, choices(1_000_000n))
  expect(enough.map(({ message }) => message)).not.toContain('paystack: ₦10,000.00 for payouts')
})

test('a bank that does not answer is an error with a fix', async () => {
  emulators.paystack.faults.down = 'unavailable'
  const results = await examineBanks(db, paystack, choices(0n))
  emulators.paystack.faults.down = 'no'
  expect(results.some(({ state }) => state === 'error')).toBe(true)
  for (const { state, fix } of results) if (state !== 'ok') expect(fix).toBeTruthy()
})

test('a merchant bound to a bank without keys is an error', async () => {
  const binding = { collectBank: 'monnify', payoutBank: null }
  await db.transaction(async (tx) => bindBanks(tx, merchant.environments.test.id, binding))
  expect(await examineBanks(db, inTestMode(bankOf('monnify')), choices(0n))).not.toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('bound') }),
  )
  expect(await examineBanks(db, noRails, choices(0n))).toEqual([
    {
      check: 'Bank (test)',
      state: 'error',
      message: expect.stringContaining('bound to monnify, which is not configured'),
      fix: expect.stringContaining('merchants bind'),
    },
  ])
})
