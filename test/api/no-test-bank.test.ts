import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal } from '../../src/base/sealed.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { openRails } from '../../src/processes/open-rails.js'
import { prepareDatabase } from '../../src/processes/prepare-database.js'
import { serve } from '../../src/processes/serve.js'
import { createJobs } from '../../src/processes/work.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { newSecret } from '../rails/solana/rail.js'
import { startChain } from '../simulation/localnet/localnet.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { manualClock } from '../support/clock.js'
import { emptyDatabase } from '../support/database.js'
import { openManilla, standardNaira, standardRetention } from '../support/open-manilla.js'
import { expectAllProofs } from '../support/sound-books.js'

/** A service with BANK_TEST=none, on a database that has no sandbox tables. */
async function openWithoutBank() {
  const chain = await startChain()
  const db = await emptyDatabase()
  const clock = manualClock()
  const secret = newSecret()
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: db.url,
    MANILLA_SECRET: secret.reveal(),
    LOG_LEVEL: 'silent',
    BANK_TEST: 'none',
    SOLANA_TEST_RPC_URLS: chain.url,
    SOLANA_TEST_SECRET_KEY: secret.reveal(),
  })
  const applied = await prepareDatabase(db.url, config)
  const logger = createLogger('silent')
  const opened = await openRails({ config, db, clock, logger })
  onTestFinished(() => opened.close())
  const { treasuryAddress } = opened.solana.test!
  await giveLamports(chain.url, treasuryAddress)
  await chain.advance(40)
  const { rails, simulatedRails } = opened
  const mint = createCoinMint(chain.url, { treasuryAddress })
  const service = await openManilla({
    beside: { db, clock, secret },
    rails,
    simulatedRails,
    mint,
  })
  return { ...service, chain, config, clock, logger, applied, opened }
}

test('without a test bank, coins are paid out, naira is refused and the books are sound', async () => {
  const { chain, clock, config, logger, opened, applied, db, ask, merchant } =
    await openWithoutBank()
  expect(applied.filter((name) => name.includes('sandbox'))).toEqual([])
  const sandboxTables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_name like 'sandbox%'`)
  expect(sandboxTables).toEqual([])

  const key = merchant.test.secret
  let requests = 0
  const post = (path: string, body: object) => {
    requests += 1
    return ask('POST', path, { key, body, headers: { 'idempotency-key': `request-${requests}` } })
  }
  for (const body of [
    { asset: 'USDC', amount: '100' },
    { asset: 'NGN', amount: 50_000 },
  ])
    expect((await post('/v1/test/balances/fund', body)).status).toBe(201)
  await chain.advance(40)

  const coins = await post('/v1/disbursements/crypto', {
    asset: 'USDC',
    amount: '5',
    network: 'SOLANA',
    destinationAddress: await newWallet(),
  })
  expect(coins.status).toBe(201)
  const rail = opened.solana.test!
  for (let round = 0; round < 10; round += 1) {
    clock.advance(1_000)
    await chain.advance(10)
    await pollPayouts({ db, rail, clock, logger, follow: followReturns }, clock.now())
  }
  const { reference } = coins.json.data
  const paid = await ask('GET', `/v1/disbursements/crypto/${reference}`, { key })
  expect(paid.json.data).toMatchObject({ status: 'CONFIRMED' })

  const account = { accountNumber: '0123456789', bankCode: '058' }
  const refused = [
    await ask('GET', '/v1/banks', { key }),
    await ask('GET', '/v1/banks/resolve?bankCode=058&accountNumber=0123456789', { key }),
    await post('/v1/disbursements/bank-transfer/quote', { amount: 10_000, ...account }),
    await post('/v1/disbursements/bank-transfer', { amount: 10_000, ...account }),
    await post('/v1/collections/virtual-accounts', { amount: 10_000, merchantReference: 'a-1' }),
    await post('/v1/collections/dedicated-accounts', { externalReference: 'c-1' }),
    await post('/v1/test/bank-transfers', { accountNumber: '0123456789', amount: 10_000 }),
  ]
  expect(refused.map(({ status, json }) => [status, json.reason])).toEqual(
    refused.map(() => [503, 'rail_unavailable']),
  )

  // Every background job runs without the sandbox tables.
  const lane = { run: async () => undefined } as never
  const jobTools = {
    seal: createSeal(config.secret),
    clock,
    logger,
    lane,
    noticeLane: lane,
    requestLogDays: 30,
    eventDays: 396,
    retention: standardRetention,
    naira: standardNaira,
    callbackSender: createSender({ clock, allowsLoopback: false }),
  }
  for (const job of createJobs(opened, jobTools)) await job.run(db, clock.now())
  const results = await reconcile({ db, rails: opened, confirmDelayMs: 1 }, clock.now())
  expect(results).toMatchObject([{ rail: rail.name, differences: [] }])
  await expectAllProofs(db)

  const served = await serve(config, db.url, { logger, rails: opened })
  const ready = await fetch(`${served.url}/readyz`)
  await served.close()
  expect(ready.status).toBe(200)
})
