import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { Refusal } from '../../src/base/refusal.js'
import {
  addBankAccount,
  type BankAccount,
  deactivateBankAccount,
  findPrimary,
  listBankAccounts,
  makePrimary,
} from '../../src/merchants/settings/bank-accounts.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

function add(environmentId: EnvironmentId, index: number): Promise<BankAccount> {
  const accountNumber = String(index).padStart(10, '0')
  const account = { environmentId, bankCode: '058', accountNumber, accountName: 'Ada Stores' }
  return db.transaction((tx) => addBankAccount(tx, now, account))
}

async function primariesOf(environmentId: EnvironmentId): Promise<BankAccount[]> {
  return (await listBankAccounts(db, environmentId)).filter(({ isPrimary }) => isPrimary)
}

// Every account is made primary at once, repeatedly, while a reader polls.
test('concurrent changes always leave exactly one primary account', async () => {
  const environmentId = await insertEnvironment(db, 'live')
  const accounts = await Promise.all([1, 2, 3, 4].map((index) => add(environmentId, index)))
  await db.transaction((tx) => makePrimary(tx, accounts[0]!))

  let isDone = false
  const seen: number[] = []
  const polling = (async () => {
    while (!isDone) seen.push((await primariesOf(environmentId)).length)
  })()
  for (let round = 0; round < 10; round += 1)
    await Promise.all(accounts.map((account) => db.transaction((tx) => makePrimary(tx, account))))
  isDone = true
  await polling
  expect(new Set(seen)).toEqual(new Set([1]))
  expect(await primariesOf(environmentId)).toEqual([await findPrimary(db, environmentId)])
})

// A primary account is never inactive, whichever change comes first.
test('an account that is made primary while it is deactivated ends up as one of the two', async () => {
  const environmentId = await insertEnvironment(db, 'live')
  const first = await add(environmentId, 0)
  for (let index = 1; index <= 10; index += 1) {
    const account = await add(environmentId, index)
    await db.transaction((tx) => makePrimary(tx, first))
    const outcomes = await Promise.allSettled([
      db.transaction((tx) => makePrimary(tx, account)),
      db.transaction((tx) => deactivateBankAccount(tx, account)),
    ])
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]!.reason).toBeInstanceOf(Refusal)
    expect(await primariesOf(environmentId)).toMatchObject([{ isActive: true }])
  }
})

test('making an unknown, foreign or inactive account primary changes nothing', async () => {
  const [own, foreign] = [await insertEnvironment(db), await insertEnvironment(db)]
  const [kept, inactive, theirs] = [await add(own, 1), await add(own, 2), await add(foreign, 3)]
  await db.transaction((tx) => makePrimary(tx, kept))
  await db.transaction((tx) => deactivateBankAccount(tx, inactive))
  for (const reference of [inactive.reference, theirs.reference, 'ba_nothing'])
    await expect(
      db.transaction((tx) => makePrimary(tx, { environmentId: own, reference })),
    ).rejects.toMatchObject({ code: 'not_found' })
  expect(await findPrimary(db, own)).toEqual({ ...kept, isPrimary: true })
  expect(await findPrimary(db, foreign)).toBeUndefined()
})

test('the primary account cannot be deactivated', async () => {
  const environmentId = await insertEnvironment(db)
  const account = await add(environmentId, 1)
  await db.transaction((tx) => makePrimary(tx, account))
  await expect(db.transaction((tx) => deactivateBankAccount(tx, account))).rejects.toMatchObject({
    code: 'validation_failed',
  })
  expect(await findPrimary(db, environmentId)).toBeDefined()
})

test('an account is added once, however many requests race; a deactivated one is reactivated', async () => {
  const environmentId = await insertEnvironment(db)
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => add(environmentId, 7)))
  const added = attempts.filter((attempt) => attempt.status === 'fulfilled')
  expect(added).toHaveLength(1)
  const account = added[0]!.value
  await db.transaction((tx) => deactivateBankAccount(tx, account))
  expect(await add(environmentId, 7)).toEqual(account)
  expect(await listBankAccounts(db, environmentId)).toHaveLength(1)
})
