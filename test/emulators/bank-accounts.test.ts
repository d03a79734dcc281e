import { expect, test } from 'vitest'
import * as emulated from '../../emulators/bank-accounts.js'
import { magicAccounts } from '../../emulators/magic-accounts.js'
import { accountNameOf } from '../../src/simulation/sandbox-bank/account-names.js'
import * as sandbox from '../../src/simulation/sandbox-bank/magic-accounts.js'

// Emulators share no code with the service, but an account number means the same at both.
test('magic account numbers do what they do at the sandbox bank', () => {
  const expected = sandbox.magicAccounts.map(({ serial, refusedAs, behaviour }) => {
    const { endsAfterMs, failureReason, reversesAfterMs } = behaviour
    return [serial, { endsAfterMs, failureReason, reversesAfterMs, refusedAs }]
  })
  expect(magicAccounts).toEqual(Object.fromEntries(expected))
})

test('holders have the names that they have at the sandbox bank', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => String(index * 7_919).padStart(10, '0'))
  expect(numbers.map(emulated.accountNameOf)).toEqual(numbers.map(accountNameOf))
})
