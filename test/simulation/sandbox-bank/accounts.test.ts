import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import type { Target } from '../../../src/payouts/ports.js'
import { isNameMismatch } from '../../../src/rails/bank/judge-name.js'
import { nigerianBanks } from '../../../src/rails/banks.js'
import { accountNameOf } from '../../../src/simulation/sandbox-bank/account-names.js'
import {
  magicAccounts,
  sandboxBankItself,
} from '../../../src/simulation/sandbox-bank/magic-accounts.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import { freshDatabase } from '../../support/database.js'
import { magicNumber, openBank, ordinaryNumber } from './open-bank.js'

const { bank } = openBank(await freshDatabase())

function targetOf(fields: { bankCode?: string; accountNumber?: string; accountName?: string }) {
  const account = { bankCode: '058', accountNumber: ordinaryNumber, accountName: '', ...fields }
  const destination = { kind: 'bank_account', bankName: '', narration: null, ...account }
  return { asset: 'NGN', amount: 5_000n, destination } as Target
}

async function reasonFor(fields: Parameters<typeof targetOf>[0]): Promise<string | undefined> {
  const [outcome] = await bank.inspect([targetOf(fields)])
  return outcome instanceof Refusal ? `${outcome.code}/${outcome.reason}` : undefined
}

describe('numbers', () => {
  test('the check digit matches the published examples', () => {
    expect(toNuban({ bankCode: '011', serial: '000001457' })).toBe('0000014579')
    expect(toNuban({ bankCode: '011', serial: '000000022' })).toBe('0000000220')
  })

  // Computes the checksum as the standard states it, not with the code under test.
  test('every magic number is a valid NUBAN of the Sandbox Bank', () => {
    for (const { number } of magicAccounts) {
      const digits = [...sandboxBankItself.code, ...number].map(Number)
      const weights = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3, 1]
      const sum = digits.reduce((total, digit, index) => total + digit * weights[index]!, 0)
      expect({ number, remainder: sum % 10 }).toEqual({ number, remainder: 0 })
      expect(number).toMatch(/^\d{10}$/)
    }
  })

  test('no two magic accounts share a number', () => {
    const serials = new Set(magicAccounts.map(({ serial }) => serial))
    expect(serials.size).toBe(magicAccounts.length)
  })

  // Merchants that validate numbers before sending them need magic ones that are valid at a real
  // bank.
  test('a magic account is magic at every bank, with the check digit of that bank', async () => {
    for (const { code } of nigerianBanks.filter((one) => one.code.length === 3)) {
      const accountNumber = toNuban({ bankCode: code, serial: '990000008' })
      expect(await reasonFor({ bankCode: code, accountNumber })).toMatch(/account_not_found/)
    }
  })
})

describe('banks', () => {
  test('each has a unique numeric code, and the list is sorted by name', async () => {
    const listed = await bank.listBanks()
    expect(new Set(listed.map(({ code }) => code)).size).toBe(listed.length)
    expect(listed.filter(({ code }) => !/^\d{3,6}$/.test(code))).toEqual([])
    const names = nigerianBanks.map(({ name }) => name)
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)))
    expect(listed).toContainEqual({ code: '999', name: 'Sandbox Bank' })
  })

  test('the Sandbox Bank is not in the list for live mode', () => {
    expect(nigerianBanks.map(({ code }) => code)).not.toContain(sandboxBankItself.code)
  })
})

describe('names', () => {
  test('never change for a number', () => {
    expect(
      [ordinaryNumber, magicNumber(1), magicNumber(3)].map(accountNameOf),
    ).toMatchInlineSnapshot(`
      [
        "BALOGUN MORENIKE FOLAKE",
        "BALOGUN SEGUN TUNDE",
        "DANJUMA ABDULLAHI SANI",
      ]
    `)
  })

  test('differ between numbers and consist of three different words', () => {
    const numbers = Array.from({ length: 500 }, (_, index) => String(index).padStart(10, '0'))
    const names = numbers.map(accountNameOf)
    expect(new Set(names).size).toBeGreaterThan(200)
    expect(names.filter((name) => new Set(name.split(' ')).size !== 3)).toEqual([])
  })

  test('resolve to the account name of a payout', async () => {
    const [inspected] = await bank.inspect([targetOf({})])
    const resolved = await bank.resolveName({ bankCode: '058', accountNumber: ordinaryNumber })
    expect(resolved).toEqual({
      bankName: 'Guaranty Trust Bank',
      accountName: accountNameOf(ordinaryNumber),
    })
    expect(inspected).toMatchObject({ destination: resolved, extraFees: [] })
  })

  test('match in any order and case, with or without the middle name', () => {
    const holder = accountNameOf(ordinaryNumber).split(' ')
    const spellings = fc.tuple(fc.shuffledSubarray(holder, { minLength: 2 }), fc.boolean())
    fc.assert(
      fc.property(spellings, ([words, isLower]) => {
        const sent = isLower ? words.join(' ').toLowerCase() : words.join(', ')
        expect(isNameMismatch({ sent, holder: holder.join(' ') })).toBe(false)
      }),
    )
  })

  test.each([
    ['', false],
    ['Ngozi', false],
    ['Mrs. N. Eze', false],
    ['Ngọzi Eze', false],
    ['Eze-Obi Ngozi', false],
    ['A. B. Eze', false],
    ['B. C. Eze', true],
    ['Chinedu Okafor', true],
    ['Ngozi Okafor', true],
    ['Eze Eze', true],
    ['Acme Stores Ltd', true],
    ['123', true],
    ['E', true],
    ['N. E.', true],
    ['E. N. A.', true],
    ['Mrs', true],
    ['?', true],
  ])('EZE NGOZI ADAEZE and %j: mismatch is %s', (sent, expected) => {
    expect(isNameMismatch({ sent, holder: 'EZE NGOZI ADAEZE' })).toBe(expected)
  })

  test('match in two letters only if these are the whole name at the bank', () => {
    expect(isNameMismatch({ sent: 'Li', holder: 'LI WEI' })).toBe(true)
    expect(isNameMismatch({ sent: 'Li Wei', holder: 'LI WEI' })).toBe(false)
    expect(isNameMismatch({ sent: 'Li', holder: 'MR LI' })).toBe(false)
    expect(isNameMismatch({ sent: 'J. B.', holder: 'J B' })).toBe(false)
  })
})

describe('an account is refused before anything is sent', () => {
  test.each([
    [{ bankCode: '000' }, 'unknown_bank', /GET \/v1\/banks lists the known ones\.$/],
    [
      { accountNumber: magicNumber(8) },
      'account_not_found',
      /Check the number with the recipient\.$/,
    ],
    [{ accountNumber: '123456789' }, 'account_not_found', /Check the number/],
    [{ accountNumber: '12345678901' }, 'account_not_found', /Check the number/],
    [{ accountNumber: '１２３４５６７８９０' }, 'account_not_found', /Check the number/],
    [{ accountName: 'Acme Stores Ltd' }, 'name_mismatch', /Correct accountName or omit it\.$/],
    [{ accountNumber: magicNumber(9) }, 'rail_unavailable', /retry later\.$/],
  ])('%j is %s, and the message says what to do', async (fields, reason, message) => {
    expect(await reasonFor(fields)).toBe(`bank_transfer_failed/${reason}`)
    const [outcome] = await bank.inspect([targetOf(fields)])
    expect((outcome as Refusal).message).toMatch(message)
  })

  test('alone: other accounts in the same call are not affected', async () => {
    const outcomes = await bank.inspect([targetOf({}), targetOf({ bankCode: '000' }), targetOf({})])
    expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual([false, true, false])
  })

  test('every other magic account resolves', async () => {
    for (const { number, reaches } of magicAccounts)
      expect((await reasonFor({ accountNumber: number })) !== undefined).toBe(reaches === 'refused')
  })
})
