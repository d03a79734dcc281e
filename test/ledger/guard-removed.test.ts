import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import type { LedgerAccount } from '../../src/ledger/accounts.js'
import { listBalances } from '../../src/ledger/balances.js'
import { Book } from '../../src/ledger/book.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { writeBook } from '../../src/ledger/write-book.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'

// Every money rule is held twice, in code and by the database. These tests bypass the code, in
// realistic ways, and check that the database still holds the rule.

const db = await freshDatabase()

/** An available balance of 100; an earlier payout of 2 has opened all accounts. */
async function environmentWithHundred(): Promise<EnvironmentId> {
  const environmentId = await insertEnvironment(db)
  const place = { environmentId, asset: 'USDC' } as const
  await db.transaction((tx) => moveAll(tx, now, [fundingOf(place, 102n), holdOf(place, 1n, 1n)]))
  return environmentId
}

/** Reads the accounts without a lock, as a store that forgot to lock would. */
function readAccounts(environmentId: EnvironmentId): Promise<LedgerAccount[]> {
  return db.rows(sql<LedgerAccount>`
    select environment_id, asset, name, debits_pending,
      debits_posted, credits_pending,
      credits_posted, entry_count
    from ledger_accounts where environment_id = ${environmentId}`)
}

async function balanceOf(environmentId: EnvironmentId) {
  const balances = await listBalances(db, environmentId)
  return balances.find(({ asset }) => asset === 'USDC')!
}

// The book believes in a balance of a thousand, so its own check passes. The constraint checks the
// stored values and refuses.
test('a book that is wrong about the balance is stopped by the constraint', async () => {
  const environmentId = await environmentWithHundred()
  const inflated = (await readAccounts(environmentId)).map((account) =>
    account.name === 'available' ? { ...account, creditsPosted: 1_000n } : account,
  )
  const outcome = db.transaction(async (tx) => {
    const book = new Book(inflated)
    expect(book.move(holdOf({ environmentId, asset: 'USDC' }, 100n, 1n)).isMoved).toBe(true)
    writeBook(tx, book)
  })
  await expect(outcome).rejects.toMatchObject({ constraint: 'available_never_below_zero' })
  expect(await balanceOf(environmentId)).toMatchObject({ available: 100n, held: 2n })
})

// Ten transactions read the balance of 100 without locks, so each believes that its 30 fits. The
// constraint lets three through.
test('without locks, no more than the balance goes through', async () => {
  const environmentId = await environmentWithHundred()
  const accounts = await readAccounts(environmentId)
  const books = Array.from({ length: 10 }, () => {
    const book = new Book(accounts)
    expect(book.move(holdOf({ environmentId, asset: 'USDC' }, 29n, 1n)).isMoved).toBe(true)
    return book
  })
  const outcomes = await Promise.allSettled(
    books.map((book) => db.transaction(async (tx) => writeBook(tx, book))),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(7)
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { constraint: 'available_never_below_zero' } })
  expect(await balanceOf(environmentId)).toMatchObject({ available: 10n, held: 92n })
})

test('suspense cannot be overdrawn past the book', async () => {
  const environmentId = await environmentWithHundred()
  const spent = db.rows(sql`
    insert into ledger_accounts (environment_id, asset, name, debits_pending)
    values (${environmentId}, 'USDC', 'suspense', 1)`)
  await expect(spent).rejects.toMatchObject({ constraint: 'suspense_never_below_zero' })
})

// Resolutions are read under locks. Here another session resolves the payout without locks, between
// the read and the write: the primary key must stop the second resolution.
test('a hold that another session resolves meanwhile is not resolved again', async () => {
  const environmentId = await environmentWithHundred()
  const hold = holdOf({ environmentId, asset: 'USDC' }, 29n, 1n)
  await db.transaction((tx) => moveAll(tx, now, [hold]))
  const outcome = db.transaction(async (tx) => {
    const resolution = { environmentId, causeId: hold.causeId, verb: 'settle' } as const
    expect(await resolveAll(tx, now, [resolution])).toEqual([true])
    tx.write(sql`
      insert into ledger_resolutions values (${environmentId}, ${hold.causeId}, 'settle',
        'crypto_payout', 'USDC', 'available', 30, null, null, ${now})`)
  })
  await expect(outcome).rejects.toMatchObject({ constraint: 'ledger_resolutions_pkey' })
  expect(await balanceOf(environmentId)).toMatchObject({ available: 70n, held: 32n })
})
