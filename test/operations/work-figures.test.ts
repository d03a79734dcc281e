import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { examineWork } from '../../src/operations/doctor/examine-work.js'
import { createWorkFigures } from '../../src/operations/metrics/work-figures.js'
import { addWorkFigures } from '../../src/operations/metrics/work-metrics.js'
import { sql } from '../../src/postgres/sql.js'
import { toStatement } from '../../src/postgres/statement.js'
import type { Source } from '../../src/postgres/transactions/tx.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const clock = manualClock()
const now = clock.now()
const rows = 12_000

async function addDeliveries(endpointId: string, state: string, secondsAgo: number) {
  const finishedAt = state === 'PENDING' ? null : now
  await db.rows(sql`
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at,
      finished_at)
    select ${environmentId}, gen_random_uuid(), ${endpointId}, ${state},
      ${now}::timestamptz - ${secondsAgo} * interval '1 s', ${now}, ${finishedAt}
    from generate_series(1, ${rows})`)
}

async function addPayouts(kind: string, count: number, isReviewed: boolean, secondsAgo: number) {
  await db.rows(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, is_review_required, event_sequence, submitted_at, created_at)
    select ${environmentId}, gen_random_uuid(), ${kind}, 'paper', 'NGN', 1, 0, '1', '{}', '{}',
      'SUBMITTED', ${isReviewed}, 1, ${now}::timestamptz - ${secondsAgo} * interval '1 s', ${now}
    from generate_series(1, ${count})`)
}

// Two rails, each with many rows: rows of wallets are never closed, and one row per rail is due.
await db.rows(sql`
  insert into token_accounts (rail, address, wallet, asset, busy_until, audited_at, due_at)
  select 'chain ' || n % 2, n::text, n::text, 'USDC', ${now}, ${now},
    ${now}::timestamptz + (n - 30) * interval '1 s'
  from generate_series(1, ${rows}::int) n`)
const { endpoint } = await insertEndpoint(db, environmentId)
const disabled = await insertEndpoint(db, environmentId, { isEnabled: false })
await addDeliveries(endpoint.id, 'DELIVERED', 60)
await addDeliveries(endpoint.id, 'PENDING', 50)
await addDeliveries(disabled.endpoint.id, 'PENDING', 5_000)
await db.rows(sql`
  update webhook_endpoints set failing_since = ${now}::timestamptz - interval '40 s'
  where id = ${endpoint.id}`)
await addPayouts('bank_transfer', 3, true, 300_000)
await addPayouts('bank_transfer', rows, false, 70)
await db.rows(sql`
  insert into payout_attempts (environment_id, payout_id, number, rail, token, wire, state, due_at,
    created_at)
  select environment_id, id, 1, rail, id::text, '', 'LIVE',
    ${now}::timestamptz - interval '20 s', ${now}
  from payouts`)
await db.rows(sql`
  insert into settlement_schedules (environment_id, mode, scheduled_for, due_at)
  values (${environmentId}, 'test', ${now}, ${now}::timestamptz - interval '10 s')`)
for (const table of ['token_accounts', 'deliveries', 'payouts', 'payout_attempts'])
  await db.rows(sql.raw(`vacuum analyze ${table}`))

/** Pages read by each statement of a reading. */
async function countPages() {
  const pages: number[] = []
  const explaining = {
    async rows<Row>(source: Source<Row>): Promise<Row[]> {
      const { text, values } = toStatement(source)
      const [plan] = await db.rows<Record<'QUERY PLAN', string>>({
        text: `explain (analyze, buffers, format json) ${text}`,
        values: [...values],
      })
      const [{ Plan }] = JSON.parse(plan!['QUERY PLAN'])
      pages.push(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'])
      return db.rows(source)
    },
  }
  const figures = await createWorkFigures({ db: explaining, clock })()
  return { pages, figures }
}

test('open work is measured in few pages, however many rows there are', async () => {
  const { pages, figures } = await countPages()
  expect(
    Object.fromEntries(figures.dueLag.map(({ work, lagSeconds }) => [work, lagSeconds])),
  ).toEqual({
    webhooks: 50,
    expiries: 0,
    settlements: 10,
    payouts: 20,
    returns: 0,
    payments: 0,
    hints: 0,
    wallets: 29,
    sweeps: 0,
  })
  // A disabled endpoint receives nothing, so what it has not received is not late.
  expect(figures.webhooks).toEqual({
    due: limits.metrics.rowsCountedMax,
    waiting: 0,
    failingEndpoints: 1,
    failingSeconds: 40,
  })
  const open = figures.payouts.filter(({ count }) => count > 0)
  expect(open).toEqual([
    { kind: 'bank_transfer', state: 'submitted', count: 9_997, ageSeconds: 70 },
    { kind: 'bank_transfer', state: 'review', count: 3, ageSeconds: 300_000 },
  ])
  expect(figures.payouts).toHaveLength(8)
  const [lag, backlog, payouts, expired] = pages
  expect(lag).toBeLessThan(100)
  expect(backlog).toBeLessThan(300)
  expect(expired).toBeLessThan(100)
  // One page per payout in the worst case, up to the limit.
  expect(payouts).toBeLessThan(limits.metrics.rowsCountedMax + 200)
})

test('scrapes within some seconds share one reading, and a failure is not kept', async () => {
  let readings = 0
  let isDown = false
  const counting = {
    rows<Row>(source: Source<Row>): Promise<Row[]> {
      readings += 1
      return isDown ? Promise.reject(new Error('no database')) : db.rows(source)
    },
  }
  const read = createWorkFigures({ db: counting, clock })
  await Promise.all([read(), read()])
  const once = readings
  await read()
  expect(readings).toBe(once)
  clock.advance(limits.metrics.cacheMs)
  isDown = true
  await expect(read()).rejects.toThrow('no database')
  isDown = false
  await expect(read()).resolves.toBeDefined()
})

test('transactions that expired and have no outcome are counted and named', async () => {
  const signedAt = clock.now()
  const own = await freshDatabase()
  const environment = await insertEnvironment(own)
  for (const [kind, asset, rail, validUntil] of [
    ['crypto_transfer', 'USDC', 'solana:chain', 150],
    ['bank_transfer', 'NGN', 'paper', null],
  ] as const) {
    const id = newId(signedAt)
    await own.rows(sql`
      insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, status, event_sequence, submitted_at, created_at)
      values (${environment}, ${id}, ${kind}, ${rail}, ${asset}, 1, 0, '1', '{}', '{}',
        'SUBMITTED', 1, ${signedAt}, ${signedAt})`)
    await own.rows(sql`
      insert into payout_attempts (environment_id, payout_id, number, rail, token, wire,
        valid_until, state, due_at, created_at)
      values (${environment}, ${id}, 1, ${rail}, ${`token of ${kind}`}, '', ${validUntil}, 'LIVE',
        ${signedAt}, ${signedAt})`)
  }
  await own.rows(sql`
    insert into sweeps (rail, id, asset, amount, token, wire, valid_until, state, due_at, created_at)
    values ('solana:chain', ${newId(signedAt)}, 'USDC', 1, 'token of a sweep', '', 150, 'LIVE',
      ${signedAt}, ${signedAt}::timestamptz + interval '1 s')`)
  const readAfter = async (minutes: number) => {
    const later = manualClock(new Date(signedAt.getTime() + minutes * 60_000))
    const { expired } = await createWorkFigures({ db: own, clock: later })()
    const results = await examineWork({ db: own, clock: later })
    return { expired, named: results.filter(({ check }) => check === 'Transactions') }
  }
  expect(await readAfter(4)).toEqual({ expired: [], named: [] })
  const { expired, named } = await readAfter(6)
  expect(expired).toEqual([{ rail: 'solana:chain', count: 2, ageSeconds: 360 }])
  expect(named.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^ct_\w+ on solana:chain is open 6 minutes after token of crypto_transfer/,
    ),
    expect.stringMatching(/^sw_\w+ on solana:chain is open 5 minutes after token of a sweep/),
  ])
  const registry = new Registry()
  addWorkFigures(registry, {
    db: own,
    clock: manualClock(new Date(signedAt.getTime() + 360_000)),
  })
  const metrics = await registry.metrics()
  expect(metrics).toContain('manilla_expired_transactions{rail="solana:chain"} 2')
  expect(metrics).toContain('manilla_expired_transaction_age_seconds{rail="solana:chain"} 360')
})
