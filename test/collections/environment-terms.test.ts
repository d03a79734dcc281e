import { expect, test } from 'vitest'
import { TermsReader } from '../../src/collections/accounts/environment-terms.js'
import { moveClock } from '../../src/merchants/environment-clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'

const db = await freshDatabase()

// Deposits report real time, and the moves of the test clock tell what time that was in the
// environment. Reading the fee of another kind of account must not lose them.
test('terms that are read in two steps keep the clock moves of wallets', async () => {
  const environmentId = await insertEnvironment(db)
  await db.transaction(async (tx) => moveClock(tx, now, { environmentId, byMs: 60_000 }))
  const wallet = { environmentId, kind: 'dedicated_crypto_wallet' } as const
  const account = { environmentId, kind: 'virtual_account' } as const

  const recent = new TermsReader()
  await recent.complete(db, await recent.read(db), [wallet])
  const terms = await recent.complete(db, await recent.read(db), [wallet, account])

  const { clockMoves, fees } = terms.of(wallet)
  expect(clockMoves).toMatchObject([{ offsetBeforeMs: 0 }])
  expect(Object.keys(fees).sort()).toEqual([wallet.kind, account.kind])
})
