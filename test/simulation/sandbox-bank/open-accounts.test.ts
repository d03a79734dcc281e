import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import type { OpenedAccount } from '../../../src/collections/ports.js'
import { sql } from '../../../src/postgres/sql.js'
import { magicReferences } from '../../../src/simulation/sandbox-bank/magic-references.js'
import { freshDatabase } from '../../support/database.js'
import { openBank } from './open-bank.js'
import { newOpening, openAccount } from './pay-in.js'

const db = await freshDatabase()
const expiresAt = new Date('2026-01-05T10:00:00.000Z')
const expected = { amount: 1n, expiresAt, lifetimeMs: 3_600_000 }

function numbersOf(outcomes: (OpenedAccount | Refusal)[]): string[] {
  return outcomes.map((outcome) => (outcome as OpenedAccount).number)
}

/** Computes the checksum as the standard states it, not with the code under test. */
function isNuban(bankCode: string, number: string): boolean {
  const weights = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3, 1]
  const digits = [...bankCode, ...number].map(Number)
  return digits.reduce((sum, digit, index) => sum + digit * weights[index]!, 0) % 10 === 0
}

describe('an account', () => {
  test('has a valid number of the Sandbox Bank and the requested name', async () => {
    const { bank } = openBank(db)
    const [account] = await bank.openAccounts([newOpening({ name: 'Bola Ventures' })])
    expect(account).toEqual({
      railAccount: (account as OpenedAccount).number,
      number: expect.stringMatching(/^\d{10}$/),
      accountName: 'Bola Ventures',
      bankCode: '999',
      bankName: 'Sandbox Bank',
      expiresAt: null,
    })
    expect(isNuban('999', (account as OpenedAccount).number)).toBe(true)
  })

  test('is the same whenever its reference is requested, whatever else changes', async () => {
    const { bank } = openBank(db)
    const openings = Array.from({ length: 10 }, () => newOpening())
    const first = await bank.openAccounts(openings)
    const renamed = openings.map((opening) => ({ ...opening, name: 'Somebody Else', expected }))
    expect(await openBank(db).bank.openAccounts(renamed)).toEqual(first)
  })

  test('is returned in request order, whether new, existing, refused or repeated', async () => {
    const { bank } = openBank(db)
    const [known, fresh] = [newOpening({ name: 'Known' }), newOpening({ name: 'Fresh' })]
    await bank.openAccounts([known])
    const refused = newOpening({ purpose: 'sandbox-refused' })
    const again = { ...fresh, name: 'Fresh again' }
    const outcomes = await bank.openAccounts([fresh, known, refused, again])
    const names = outcomes.map((outcome) =>
      outcome instanceof Refusal ? outcome.reason : outcome.accountName,
    )
    expect(names).toEqual(['Fresh', 'Known', 'account_refused', 'Fresh'])
    expect(await bank.openAccounts([])).toEqual([])
  })

  // Sixteen banks open accounts at once; 200 references are common to all, in opposite orders.
  test('has a unique number, also under concurrent requests', async () => {
    const own = await freshDatabase()
    const shared = Array.from({ length: 200 }, () => newOpening())
    const lists = Array.from({ length: 16 }, (_, index) => {
      const openings = [...shared, ...Array.from({ length: 56 }, () => newOpening())]
      return index % 2 === 0 ? openings : openings.toReversed()
    })
    const opened = await Promise.all(
      lists.map(async (list) => {
        const numbers = numbersOf(await openBank(own).bank.openAccounts(list))
        return list.map(({ reference }, index) => [reference, numbers[index]!] as const)
      }),
    )
    const pairs = new Set(opened.flat().map((pair) => pair.join(' ')))
    const byReference = new Map(opened.flat())
    expect(byReference.size).toBe(200 + 16 * 56)
    expect(pairs.size).toBe(byReference.size)
    const numbers = [...byReference.values()]
    expect(new Set(numbers).size).toBe(byReference.size)
    expect(numbers.filter((number) => !isNuban('999', number))).toEqual([])
  })

  test('has a number that is never used again', async () => {
    const own = await freshDatabase()
    const { bank } = openBank(own)
    const number = await openAccount(bank)
    await bank.closeAccounts([number])
    const [held] = await own.rows(sql<{ serial: bigint }>`
      select last_value as serial from sandbox_serials`)
    const broken = own.transaction(async (tx) => {
      await tx.rows(sql`select nextval('sandbox_serials')`)
      throw new Error('a process that died')
    })
    await expect(broken).rejects.toThrow('died')
    const next = await openAccount(openBank(own).bank)
    expect(BigInt(next.slice(0, 9))).toBe(held!.serial + 2n)
  })

  test('never has a magic number: the bank runs out of numbers before', async () => {
    const own = await freshDatabase()
    await own.rows(sql`select setval('sandbox_serials', 989999998)`)
    const { bank } = openBank(own)
    expect(await openAccount(bank)).toMatch(/^989999999/)
    await expect(openAccount(bank)).rejects.toThrow('sandbox_serials')
    const magic = own.rows(sql`
      insert into sandbox_accounts (reference, number, name, opened_at)
      values ('x', '9900000010', 'x', now())`)
    await expect(magic).rejects.toThrow('sandbox_number_is_not_magic')
  })

  test('closes once and is never removed', async () => {
    const { bank, clock } = openBank(db)
    const numbers = [await openAccount(bank), await openAccount(bank)]
    const closedAt = clock.now()
    await bank.closeAccounts([...numbers, '0000000000'])
    clock.advance(1_000)
    await bank.closeAccounts(numbers.toReversed())
    await bank.closeAccounts([])
    const rows = await db.rows(sql<{ at: Date }>`
      select closed_at as at from sandbox_accounts where number = any (${numbers})`)
    expect(rows).toEqual([{ at: closedAt }, { at: closedAt }])
    const refusal = 'never edited or removed'
    await expect(db.rows(sql`update sandbox_accounts set number = '1'`)).rejects.toThrow(refusal)
    await expect(db.rows(sql`delete from sandbox_accounts`)).rejects.toThrow(refusal)
    const reopen = db.rows(sql`
      update sandbox_accounts set closed_at = null where number = ${numbers[0]!}`)
    await expect(reopen).rejects.toThrow(refusal)
  })
})

describe('a reference that the bank refuses', () => {
  test.each([
    ['sandbox-refused', 'dedicated', 'dedicated_account_creation_failed/account_refused/422'],
    ['sandbox-refused', 'virtual', 'virtual_account_creation_failed/account_refused/422'],
    ['sandbox-unreachable', 'dedicated', 'dedicated_account_creation_failed/rail_unavailable/503'],
    ['sandbox-unreachable', 'virtual', 'virtual_account_creation_failed/rail_unavailable/503'],
  ])('%s, of a %s account, is %s', async (purpose, kind, refused) => {
    const { bank } = openBank(db)
    const opening = newOpening({ purpose, expected: kind === 'virtual' ? expected : null })
    const [refusal] = (await bank.openAccounts([opening])) as Refusal[]
    expect(`${refusal!.code}/${refusal!.reason}/${refusal!.status}`).toBe(refused)
    const [account] = await bank.openAccounts([{ ...opening, purpose: 'order-2' }])
    expect(account).not.toBeInstanceOf(Refusal)
  })

  test('is one of the documented ones and no other', async () => {
    const { bank } = openBank(db)
    const purposes = [
      ...magicReferences.map(({ purpose }) => purpose),
      'sandbox',
      'Sandbox-Refused',
    ]
    const outcomes = await bank.openAccounts(purposes.map((purpose) => newOpening({ purpose })))
    expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual([
      ...magicReferences.map(() => true),
      false,
      false,
    ])
  })
})
