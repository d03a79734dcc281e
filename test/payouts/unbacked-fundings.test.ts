import { readdir, readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/base/config.js'
import { newId } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { fundAll } from '../../src/ledger/fund.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { compareTreasury } from '../../src/payouts/reconciliation/compare-treasury.js'
import { readTreasuryBooks } from '../../src/payouts/reconciliation/treasury-books.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { openRails } from '../../src/processes/open-rails.js'
import { openDemo } from '../../src/simulation/demo.js'
import { newSecret } from '../rails/solana/rail.js'
import { startChain } from '../simulation/localnet/localnet.js'
import { manualClock } from '../support/clock.js'
import { emptyDatabase, freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { openManilla } from '../support/open-manilla.js'
import { createHome, removeHome } from '../support/program.js'

/** With an external chain in test mode, coins cannot be minted for balances. */

const fund = '/v1/test/balances/fund'
const folder = new URL('../../migrations/', import.meta.url)
const allowing = '0024_worker_heartbeats.sql'

async function sumTreasury(db: Database) {
  return readTreasuryBooks(db, { mode: 'test', asset: 'USDC' })
}

test('funding coins is refused with alternatives, naira is funded, and all reconciles', async () => {
  const chain = await startChain()
  await chain.advance(40)
  const db = await freshDatabase()
  const clock = manualClock()
  const secret = newSecret()
  const config = readConfig({
    DATABASE_URL: db.url,
    MANILLA_SECRET: secret.reveal(),
    SOLANA_TEST_RPC_URLS: chain.url,
    SOLANA_TEST_SECRET_KEY: secret.reveal(),
  })
  const opened = await openRails({ config, db, clock, logger: createLogger('silent') })
  onTestFinished(() => opened.close())
  const { rails, mint } = opened
  const { ask, merchant } = await openManilla({ beside: { db, clock, secret }, rails, mint })
  const key = merchant.test.secret
  for (const asset of ['USDC', 'USDT']) {
    const refused = await ask('POST', fund, { key, body: { asset, amount: '100' } })
    expect(refused.status).toBe(422)
    expect(refused.json).toMatchObject({
      code: 'balance_funding_failed',
      reason: 'not_simulated',
    })
    expect(refused.json.message).toContain(`Send ${asset} to a wallet of yours`)
    expect(refused.json.message).toContain('manilla balances credit')
  }
  const funded = await ask('POST', fund, { key, body: { asset: 'NGN', amount: 5_000 } })
  expect(funded.status).toBe(201)

  const results = await reconcile({ db, rails: opened, confirmDelayMs: 1 }, clock.now())
  expect(results).toMatchObject([
    { rail: opened.solana.test!.name, differences: [] },
    { rail: 'sandbox-bank', differences: [] },
  ])
})

// A refusal must not affect other fundings in the same batch.
test('concurrent fundings of naira and coins are decided separately', async () => {
  const { ask, merchant } = await openManilla({ mint: undefined })
  const key = merchant.test.secret
  const bodies = Array.from({ length: 20 }, (_, index) =>
    index % 3 === 0 ? { asset: 'USDC', amount: '1' } : { asset: 'NGN', amount: 1_000 },
  )
  const replies = await Promise.all(bodies.map((body) => ask('POST', fund, { key, body })))
  expect(replies.map(({ status }) => status)).toEqual(
    bodies.map(({ asset }) => (asset === 'NGN' ? 201 : 422)),
  )
  const balances = await ask('GET', '/v1/balances', { key })
  const naira = bodies.filter(({ asset }) => asset === 'NGN')
  expect(balances.json.data.items).toMatchObject([
    { asset: 'NGN', available: naira.length * 1_000 },
    { asset: 'USDC', available: '0' },
    { asset: 'USDT', available: '0' },
  ])
})

test('the demo merchant gets no coins where they cannot be minted', async () => {
  const { db, seal, clock } = await openManilla({ mint: undefined })
  const home = createHome()
  const tools = { db, seal, home, now: clock.now(), mint: undefined }
  await openDemo(tools, { baseUrl: 'http://127.0.0.1:1' })
  await removeHome(home)
  const given = await db.rows(sql<{ asset: string }>`
    select asset from ledger_transfers where purpose = 'test_funding'`)
  expect(given).toEqual([{ asset: 'NGN' }])
})

// Older installations with an external chain have such credits, and books are never edited.
test('a migration accepts coins that were funded and never minted', async () => {
  const db = await emptyDatabase()
  await applyFiles(db, (name) => name < allowing)
  // Of a later migration, which this one precedes.
  await db.rows(sql`create table exchange_positions as
    select 'test' as mode, 'USDC' as asset, 0::bigint as stock`)
  const environmentId = await insertEnvironment(db)
  const now = manualClock().now()
  const order = { environmentId, asset: 'USDC', amount: 100_000_000n } as const
  await db.transaction((tx) =>
    fundAll(tx, now, [
      { ...order, id: newId(now), purpose: 'test_funding' },
      { ...order, id: newId(now), amount: 7_000_000n, purpose: 'operator_credit' },
    ]),
  )
  const compare = async (held: bigint) => {
    const books = await sumTreasury(db)
    return compareTreasury('USDC', held, { before: books, after: books, arriving: 0n })
  }
  expect(await compare(7_000_000n)).toMatchObject([{ kind: 'treasury_differs' }])

  await applyFiles(db, (name) => name === allowing)
  expect(await sumTreasury(db)).toMatchObject({ received: 107_000_000n, unminted: 100_000_000n })
  expect(await compare(7_000_000n)).toEqual([])
  // The operator may have sent the coins to the hot wallet meanwhile.
  expect(await compare(107_000_000n)).toEqual([])
  // What was really received must still be there, and nothing else.
  expect(await compare(6_999_999n)).toMatchObject([{ kind: 'treasury_differs' }])
  expect(await compare(107_000_001n)).toMatchObject([{ kind: 'treasury_differs' }])
})

test('the migration does not change minted coins', async () => {
  const { ask, db, merchant } = await openManilla()
  const key = merchant.test.secret
  await ask('POST', fund, { key, body: { asset: 'USDC', amount: '100' } })
  const before = await sumTreasury(db)
  const text = await readFile(new URL(allowing, folder), 'utf8')
  await runScript(db, text.slice(text.indexOf('insert into coin_backings')))
  expect(await sumTreasury(db)).toEqual(before)
  expect(before).toMatchObject({ received: 100_000_000n, unminted: 0n })
})

async function applyFiles(db: Database, isWanted: (name: string) => boolean): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of names.filter(isWanted))
    await runScript(db, await readFile(new URL(name, folder), 'utf8'))
}

async function runScript(db: Database, text: string): Promise<void> {
  const client = await connect(db.url, 'manilla test')
  await client.query(text)
  await client.end()
}
