import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { bodySchema } from '../../src/api/openapi/event-schemas.js'
import { after as later, minute } from '../../src/base/clock.js'
import type { Environment } from '../../src/base/environment.js'
import { showEvent } from '../../src/events/resource.js'
import { moveAll } from '../../src/ledger/move.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { lowBalanceLimits } from '../../src/merchants/limits.js'
import { patchSettings } from '../../src/merchants/settings/settings.js'
import type { SettingsPatch } from '../../src/merchants/settings/settings-document.js'
import type { Asset } from '../../src/money/assets.js'
import { sql } from '../../src/postgres/sql.js'
import { watchBalances } from '../../src/webhooks/endpoints/watch-balances.js'
import { freshDatabase } from '../support/database.js'
import { claimFor } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { openSession, untilBlocked } from '../support/sessions.js'

const db = await freshDatabase()

async function openEnvironment(lowBalance?: SettingsPatch['lowBalance']): Promise<Environment> {
  return db.transaction(async (tx) => {
    const { environments } = await createMerchant(tx, now, 'Ada Stores')
    if (lowBalance) await patchSettings(tx, now, environments.test, { lowBalance })
    return environments.test
  })
}

function setThresholds(environment: Environment, lowBalance: SettingsPatch['lowBalance']) {
  return db.transaction((tx) => patchSettings(tx, now, environment, { lowBalance: lowBalance! }))
}

async function fund({ id }: Environment, asset: Asset, amount: bigint): Promise<void> {
  const funding = fundingOf({ environmentId: id, asset }, amount)
  await db.transaction((tx) => moveAll(tx, now, [funding]))
}

/** Holds: held money is not available. */
async function spend({ id }: Environment, asset: Asset, amount: bigint): Promise<void> {
  const hold = holdOf({ environmentId: id, asset }, amount)
  await db.transaction((tx) => moveAll(tx, now, [hold]))
}

async function lowEventsOf({ id }: Environment) {
  const events = await db.rows(sql<{ data: string; sequence: number; resourceId: string }>`
    select data, sequence, resource_id from events
    where environment_id = ${id} and type = 'balance.low' order by resource_id, sequence`)
  return events.map(({ data, ...rest }) => ({ ...rest, ...JSON.parse(data) }))
}

test('emits one event per fall', async () => {
  const environment = await openEnvironment({ NGN: 1_000 })
  await fund(environment, 'NGN', 1_500n)
  expect(await watchBalances(db, now)).toBe(0)
  await spend(environment, 'NGN', 501n)
  expect(await watchBalances(db, now)).toBe(1)
  const first = { asset: 'NGN', available: 999, threshold: 1_000 }
  expect(await lowEventsOf(environment)).toMatchObject([first])

  // Falling further is the same fall.
  for (const amount of [1n, 500n]) {
    await spend(environment, 'NGN', amount)
    expect(await watchBalances(db, now)).toBe(0)
  }
  await fund(environment, 'NGN', 501n)
  expect(await watchBalances(db, now)).toBe(0)
  await fund(environment, 'NGN', 1n)
  expect(await watchBalances(db, now)).toBe(0)
  await spend(environment, 'NGN', 300n)
  expect(await watchBalances(db, later(now, minute))).toBe(1)
  const [one, two, ...more] = await lowEventsOf(environment)
  expect([one, two]).toMatchObject([first, { asset: 'NGN', available: 700, threshold: 1_000 }])
  expect(more).toEqual([])
  expect(two!.resourceId).toBe(one!.resourceId)
  expect(two!.sequence).toBeGreaterThan(one!.sequence)
})

test('a balance that equals its threshold is not low', async () => {
  const environment = await openEnvironment({ NGN: 100, USDC: '25.50' })
  await fund(environment, 'NGN', 100n)
  await fund(environment, 'USDC', 25_500_000n)
  expect(await watchBalances(db, now)).toBe(0)
  await spend(environment, 'NGN', 1n)
  await spend(environment, 'USDC', 1n)
  expect(await watchBalances(db, now)).toBe(2)
})

test('thresholds apply to their own asset, merchant and mode only', async () => {
  const environment = await openEnvironment({ NGN: 100, USDT: '1' })
  const silent = await openEnvironment()
  const indifferent = await openEnvironment({ NGN: null })
  for (const asset of ['NGN', 'USDC', 'USDT'] as const) {
    await fund(environment, asset, 5_000_000n)
    for (const other of [silent, indifferent]) await fund(other, asset, 1n)
  }
  expect(await watchBalances(db, now)).toBe(0)
  await spend(environment, 'USDC', 5_000_000n)
  expect(await watchBalances(db, now)).toBe(0)
  await spend(environment, 'USDT', 4_750_000n)
  expect(await watchBalances(db, now)).toBe(1)
  expect(await lowEventsOf(environment)).toMatchObject([
    { asset: 'USDT', available: '0.25', threshold: '1' },
  ])
  await spend(environment, 'NGN', 5_000_000n)
  expect(await watchBalances(db, now)).toBe(1)
  const events = await lowEventsOf(environment)
  expect(new Set(events.map(({ asset }) => asset))).toEqual(new Set(['NGN', 'USDT']))
  expect(new Set(events.map(({ resourceId }) => resourceId)).size).toBe(2)
  for (const other of [silent, indifferent]) expect(await lowEventsOf(other)).toEqual([])
})

test('an unused balance is low as soon as a threshold is set', async () => {
  const environment = await openEnvironment({ USDC: '1' })
  expect(await watchBalances(db, now)).toBe(1)
  expect(await lowEventsOf(environment)).toMatchObject([
    { asset: 'USDC', available: '0', threshold: '1' },
  ])
})

test('the current threshold counts', async () => {
  const environment = await openEnvironment({ NGN: 10 })
  await fund(environment, 'NGN', 50n)
  expect(await watchBalances(db, now)).toBe(0)
  await setThresholds(environment, { NGN: 51 })
  expect(await watchBalances(db, now)).toBe(1)
  await setThresholds(environment, { NGN: 50 })
  expect(await watchBalances(db, now)).toBe(0)
  await setThresholds(environment, { NGN: 60 })
  expect(await watchBalances(db, now)).toBe(1)
  await setThresholds(environment, { NGN: null })
  await spend(environment, 'NGN', 50n)
  expect(await watchBalances(db, now)).toBe(0)
  expect(await lowEventsOf(environment)).toHaveLength(2)
})

// Eight processes have all seen the fall and compete for the row that decides which one emits.
test('concurrent watchers emit one event', async () => {
  const environment = await openEnvironment({ NGN: 1_000, USDC: '1', USDT: '1' })
  const session = await openSession(db)
  const watchAtOnce = async () => {
    await session.query('begin; lock table low_balances in share mode')
    const watching = Array.from({ length: 8 }, () => watchBalances(db, now))
    await untilBlocked(db, 8)
    await session.query('rollback')
    const counts = await Promise.all(watching)
    return counts.reduce((total, count) => total + count, 0)
  }
  expect(await watchAtOnce()).toBe(3)
  expect(await lowEventsOf(environment)).toHaveLength(3)
  await fund(environment, 'NGN', 1_000n)
  expect(await watchAtOnce()).toBe(0)
  await spend(environment, 'NGN', 1n)
  expect(await watchAtOnce()).toBe(1)
  expect(await lowEventsOf(environment)).toHaveLength(4)
})

test('checks all environments, also beyond one batch', async () => {
  const environment = await openEnvironment()
  const count = lowBalanceLimits.environmentsPerBatchMax + 5
  const before = await watchBalances(db, now)
  await db.rows(sql`
    with new_merchants as (
      insert into merchants select gen_random_uuid(), 'Ada Stores', ${now}::timestamptz
      from generate_series(1, ${count}::int) returning id),
    opened as (
      insert into environments (merchant_id, mode, created_at)
      select id, 'test', ${now}::timestamptz from new_merchants returning id)
    insert into environment_settings (environment_id, document, version, updated_at)
    select id, '{"lowBalance":{"NGN":5}}', 1, ${now}::timestamptz from opened`)
  expect(before).toBe(0)
  expect(await watchBalances(db, now)).toBe(count)
  expect(await watchBalances(db, now)).toBe(0)
  expect(await lowEventsOf(environment)).toEqual([])
})

test('the body matches its schema', async () => {
  const environment = await openEnvironment({ NGN: 9_007_199_254_740_991, USDT: '0.000001' })
  const { endpoint } = await insertEndpoint(db, environment.id, { types: ['balance.*'] })
  await fund(environment, 'NGN', 9_007_199_254_740_990n)
  expect(await watchBalances(db, now)).toBe(2)
  const isBody = new Ajv2020({ strict: false }).compile(bodySchema('balance.low'))
  const bodies = (await claimFor(db, now, endpoint)).map(showEvent)
  for (const body of bodies) expect([isBody(JSON.parse(body)), isBody.errors]).toEqual([true, null])
  expect(bodies.map((body) => body.replace(/^.*"data":/, '')).toSorted()).toEqual([
    '{"asset":"NGN","available":9007199254740990,"threshold":9007199254740991}}',
    '{"asset":"USDT","available":"0","threshold":"0.000001"}}',
  ])
})

// A watcher that fails half-way must not have recorded the fall: the next one emits it.
test('a fall is recorded and emitted together, or not at all', async () => {
  const environment = await openEnvironment({ NGN: 5 })
  await db.rows(sql`
    create function refuse_event() returns trigger language plpgsql as
      $$ begin raise exception 'no room for events'; end $$`)
  await db.rows(sql`
    create trigger no_room before insert on events
      for each statement execute function refuse_event()`)
  await expect(watchBalances(db, now)).rejects.toThrow('no room for events')
  await db.rows(sql`drop trigger no_room on events`)
  expect(await watchBalances(db, later(now, minute))).toBe(1)
  expect(await lowEventsOf(environment)).toHaveLength(1)
})
