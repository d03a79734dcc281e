import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { listBalances } from '../../src/ledger/balances.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { openSession } from '../support/sessions.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()

async function fundedEnvironment(amount: bigint): Promise<EnvironmentId> {
  const environmentId = await insertEnvironment(db)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, amount)
  await db.transaction((tx) => moveAll(tx, now, [funding]))
  return environmentId
}

async function balanceOf(environmentId: EnvironmentId) {
  const balances = await listBalances(db, environmentId)
  return balances.find(({ asset }) => asset === 'USDC')!
}

function tenHolds(environmentId: EnvironmentId): Movement[] {
  return Array.from({ length: 10 }, () => holdOf({ environmentId, asset: 'USDC' }, 29n, 1n))
}

// Ten payouts of 30 race for a balance of 100 on ten connections. Three fit; seven must be refused,
// and exactly the winners' money must be held.
test('racing holds never exceed the balance', async () => {
  const environmentId = await fundedEnvironment(100n)
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(db)))
  const holds = tenHolds(environmentId)
  const outcomes = await Promise.all(
    sessions.map((session, index) =>
      inTransaction(session, (tx) => moveAll(tx, now, [holds[index]!])),
    ),
  )
  const moved = outcomes.flat().filter(({ isMoved }) => isMoved)
  const refused = outcomes.flat().filter(({ isMoved }) => !isMoved)

  expect(moved).toHaveLength(3)
  for (const outcome of refused)
    expect(outcome).toEqual({ isMoved: false, why: 'not_covered', available: 10n })
  expect(await balanceOf(environmentId)).toMatchObject({ available: 10n, held: 90n })
  await expectLowerProofs(db)
})

// The ledger accounts of a new environment do not exist yet. Ten transactions want to open them at
// once, in both orders of their lines; none may fail, wait for another in a circle or book twice.
test('racing transactions open the accounts of a new environment once', async () => {
  const environmentId = await insertEnvironment(db)
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(db)))
  const runs: string[] = []
  const fundings = sessions.map((_, index) =>
    fundingOf({ environmentId, asset: index % 2 === 0 ? 'USDC' : 'USDT' }, 10n),
  )
  const outcomes = await Promise.all(
    sessions.map((session, index) =>
      inTransaction(session, (tx) => {
        runs.push(fundings[index]!.causeId)
        const pair = [fundings[index]!, fundingOf({ environmentId, asset: 'NGN' }, 1n)]
        return moveAll(tx, now, index % 3 === 0 ? pair : pair.reverse())
      }),
    ),
  )
  expect(outcomes.flat().every(({ isMoved }) => isMoved)).toBe(true)
  // The work of the first ones ran again; see `CommitFirst`.
  expect(runs.length).toBeGreaterThan(sessions.length)
  const balances = await listBalances(db, environmentId)
  expect(balances.map(({ available }) => available).sort()).toEqual([10n, 50n, 50n])
  await expectLowerProofs(db)
})

// The same ten in one list. The first three fit; the others are refused one by one, while a smaller
// one behind them still fits.
test('holds of one list are judged one after the other', async () => {
  const environmentId = await fundedEnvironment(100n)
  const small = holdOf({ environmentId, asset: 'USDC' }, 9n, 1n)
  const outcomes = await db.transaction((tx) =>
    moveAll(tx, now, [...tenHolds(environmentId), small]),
  )
  expect(outcomes.map(({ isMoved }) => isMoved)).toEqual(
    outcomes.map((_, index) => index < 3 || index === 10),
  )
  expect(await balanceOf(environmentId)).toMatchObject({ available: 0n, held: 100n })
  await expectLowerProofs(db)
})

// Amount and fee are covered together: a payout whose fee does not fit is refused whole.
test('a movement is made with all of its lines or none', async () => {
  const environmentId = await fundedEnvironment(100n)
  const short = holdOf({ environmentId, asset: 'USDC' }, 100n, 1n)
  const exact = holdOf({ environmentId, asset: 'USDC' }, 99n, 1n)
  const [refused, moved] = await db.transaction((tx) => moveAll(tx, now, [short, exact]))

  expect(refused).toEqual({ isMoved: false, why: 'not_covered', available: 100n })
  expect(moved).toMatchObject({ isMoved: true })
  const rows = await db.rows(sql`
    select from ledger_transfers where cause_id = ${short.causeId}`)
  expect(rows).toEqual([])
  await expectLowerProofs(db)
})

// A cause moves money once per purpose. A repeat fails by primary key and changes nothing.
test('a repeated cause moves nothing', async () => {
  const environmentId = await insertEnvironment(db)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 100n)
  await db.transaction((tx) => moveAll(tx, now, [funding]))
  const again = db.transaction((tx) => moveAll(tx, now, [funding]))

  await expect(again).rejects.toMatchObject({ constraint: 'ledger_transfers_pkey' })
  expect(await balanceOf(environmentId)).toMatchObject({ available: 100n })
  await expectLowerProofs(db)
})

test('money of another environment or asset covers nothing', async () => {
  const rich = await fundedEnvironment(1_000n)
  const poor = await insertEnvironment(db)
  const outcomes = await db.transaction((tx) =>
    moveAll(tx, now, [
      holdOf({ environmentId: poor, asset: 'USDC' }, 1n),
      holdOf({ environmentId: rich, asset: 'USDT' }, 1n),
      holdOf({ environmentId: rich, asset: 'USDC' }, 1n),
    ]),
  )
  expect(outcomes.map(({ isMoved }) => isMoved)).toEqual([false, false, true])
})

test('a merchant without any movement has balances of zero', async () => {
  const environmentId = await insertEnvironment(db)
  const zero = { available: 0n, held: 0n, pending: 0n }
  expect(await listBalances(db, environmentId)).toEqual([
    { asset: 'NGN', ...zero },
    { asset: 'USDC', ...zero },
    { asset: 'USDT', ...zero },
  ])
})

test('money in suspense is pending, and cannot be spent', async () => {
  const environmentId = await insertEnvironment(db)
  const received: Movement = {
    ...fundingOf({ environmentId, asset: 'NGN' }, 500n),
    lines: [{ debit: 'clearing', credit: 'suspense', amount: 500n, purpose: 'operator_credit' }],
  }
  const [, refused] = await db.transaction((tx) =>
    moveAll(tx, now, [received, holdOf({ environmentId, asset: 'NGN' }, 1n)]),
  )
  expect(refused).toMatchObject({ isMoved: false, why: 'not_covered' })
  expect((await listBalances(db, environmentId))[0]).toEqual({
    asset: 'NGN',
    available: 0n,
    held: 0n,
    pending: 500n,
  })
})
