import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { listBalances } from '../../src/ledger/balances.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { openSession } from '../support/sessions.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()

/** A balance of 1,000 with three holds of 30 (29 and a fee of 1). */
async function threeHolds(): Promise<{ environmentId: EnvironmentId; holds: Movement[] }> {
  const environmentId = await insertEnvironment(db)
  const place = { environmentId, asset: 'USDC' } as const
  const holds = Array.from({ length: 3 }, () => holdOf(place, 29n, 1n))
  await db.transaction((tx) => moveAll(tx, now, [fundingOf(place, 1_000n), ...holds]))
  return { environmentId, holds }
}

async function balanceOf(environmentId: EnvironmentId) {
  const balances = await listBalances(db, environmentId)
  return balances.find(({ asset }) => asset === 'USDC')!
}

test('a hold is settled or released, once', async () => {
  const { environmentId, holds } = await threeHolds()
  const [settled, released] = holds.map(({ causeId }) => causeId)
  const resolve = (causeId: string, verb: 'settle' | 'release') =>
    db.transaction((tx) => resolveAll(tx, now, [{ environmentId, causeId, verb }]))

  expect(await resolve(settled!, 'settle')).toEqual([true])
  expect(await balanceOf(environmentId)).toMatchObject({ available: 910n, held: 60n })
  expect(await resolve(released!, 'release')).toEqual([true])
  expect(await balanceOf(environmentId)).toMatchObject({ available: 940n, held: 30n })

  for (const causeId of [settled!, released!])
    for (const verb of ['settle', 'release'] as const)
      expect(await resolve(causeId, verb)).toEqual([false])
  expect(await balanceOf(environmentId)).toMatchObject({ available: 940n, held: 30n })
  await expectLowerProofs(db)
})

// The same payout comes several times in one list, as two notices of a bank may. The first verb
// wins, and it moves the held amount once.
test('a cause that is listed several times is resolved once, for its own amount', async () => {
  const { environmentId, holds } = await threeHolds()
  const verbs = ['release', 'settle', 'release'] as const
  const resolved = await db.transaction((tx) =>
    resolveAll(
      tx,
      now,
      verbs.map((verb) => ({ environmentId, causeId: holds[0]!.causeId, verb })),
    ),
  )
  expect(resolved).toEqual([true, false, false])
  expect(await balanceOf(environmentId)).toMatchObject({ available: 940n, held: 60n })
  const [row] = await db.rows(sql<{ amount: bigint }>`
    select amount from ledger_resolutions where cause_id = ${holds[0]!.causeId}`)
  expect(row!.amount).toBe(30n)
  await expectLowerProofs(db)
})

// Sixteen connections settle and release the same three payouts at once. Each payout is resolved
// once, by one of them.
test('racing resolutions of the same holds agree on one winner each', async () => {
  const { environmentId, holds } = await threeHolds()
  const sessions = await Promise.all(Array.from({ length: 16 }, () => openSession(db)))
  const verbs = sessions.map((_, index) => (index % 2 ? ('settle' as const) : ('release' as const)))
  const outcomes = await Promise.all(
    sessions.map((session, index) => {
      const list = index % 3 ? holds : holds.toReversed()
      const resolutions = list.map(({ causeId }) => ({
        environmentId,
        causeId,
        verb: verbs[index]!,
      }))
      return inTransaction(session, (tx) => resolveAll(tx, now, resolutions))
    }),
  )
  expect(outcomes.flat().filter((isFirst) => isFirst)).toHaveLength(3)
  const winners = verbs.filter((_, index) => outcomes[index]!.includes(true))
  const rows = await db.rows(sql<{ verb: string }>`
    select distinct verb from ledger_resolutions where environment_id = ${environmentId}`)
  expect(new Set(rows.map(({ verb }) => verb))).toEqual(new Set(winners))
  expect((await balanceOf(environmentId)).held).toBe(0n)
  await expectLowerProofs(db)
})

// Resolving a cause without a hold is a bug; the other holds of the list must stay untouched.
test('resolving a cause without a hold is a bug, and changes nothing', async () => {
  const { environmentId, holds } = await threeHolds()
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 5n)
  await db.transaction((tx) => moveAll(tx, now, [funding]))
  const other = await insertEnvironment(db)
  const strangers = [
    { environmentId, causeId: newId(now) },
    { environmentId, causeId: funding.causeId },
    { environmentId: other, causeId: holds[0]!.causeId },
  ]
  for (const stranger of strangers) {
    const outcome = db.transaction((tx) =>
      resolveAll(tx, now, [
        { environmentId, causeId: holds[0]!.causeId, verb: 'settle' },
        { ...stranger, verb: 'release' },
      ]),
    )
    await expect(outcome).rejects.toThrow('holds money')
  }
  expect(await balanceOf(environmentId)).toMatchObject({ available: 915n, held: 90n })
  await expectLowerProofs(db)
})

// An unexpected payment is returned from suspense: held, then settled or released, without touching
// the merchant's balance or statement.
test('a hold on suspense stays off the statement of the available balance', async () => {
  const environmentId = await insertEnvironment(db)
  const received: Movement = {
    ...fundingOf({ environmentId, asset: 'NGN' }, 1n),
    lines: [{ debit: 'clearing', credit: 'suspense', amount: 50n, purpose: 'operator_credit' }],
  }
  const returns = [20n, 30n].map(
    (amount): Movement => ({
      ...holdOf({ environmentId, asset: 'NGN' }, amount),
      lines: [{ debit: 'suspense', credit: 'clearing', amount, purpose: 'crypto_payout' }],
    }),
  )
  await db.transaction((tx) => moveAll(tx, now, [received, ...returns]))
  const resolved = await db.transaction((tx) =>
    resolveAll(tx, now, [
      { environmentId, causeId: returns[0]!.causeId, verb: 'settle' },
      { environmentId, causeId: returns[1]!.causeId, verb: 'release' },
    ]),
  )
  expect(resolved).toEqual([true, true])
  const entries = await db.rows(sql`
    select from ledger_transfers where environment_id = ${environmentId} and entry_number is not null
    union all
    select from ledger_resolutions where environment_id = ${environmentId} and entry_number is not null`)
  expect(entries).toEqual([])
  expect((await listBalances(db, environmentId))[0]).toMatchObject({ available: 0n, pending: 30n })
  await expectLowerProofs(db)
})
