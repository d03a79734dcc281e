import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ApiParts } from '../../src/api/pipeline/api-parts.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import { isList } from '../../src/api/server/add-route.js'
import { limits } from '../../src/base/limits.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { examineReplica } from '../../src/operations/doctor/examine-replica.js'
import { Database } from '../../src/postgres/database.js'
import { postgresLimits } from '../../src/postgres/limits.js'
import { Replica, readPosition, readReplicaState } from '../../src/postgres/replica.js'
import { sql } from '../../src/postgres/sql.js'
import { manualClock } from '../support/clock.js'
import { openMuteProxy } from '../support/mute-proxy.js'
import { openManilla, type TestService } from '../support/open-manilla.js'
import { startPrimaryAndReplica } from '../support/replica-server.js'
import { until } from '../support/sessions.js'

const maxDelayMs = 2_500
type Servers = Awaited<ReturnType<typeof startPrimaryAndReplica>>
let servers: Servers
let service: TestService

beforeAll(async () => {
  servers = await startPrimaryAndReplica()
  service = await openService(servers.replica.url)
})
afterAll(async () => {
  await service?.close()
  await servers?.stop()
})

async function openService(url: string): Promise<TestService> {
  const secret = new Secret(randomBytes(32).toString('hex'))
  const opened = await openManilla({
    beside: { db: servers.db, clock: manualClock(), secret },
    databaseRead: { url: new Secret(url), maxDelayMs },
    requestLogDays: 0,
  })
  await until(() => isUsed(opened))
  return opened
}

/** Statements of lists so far, by who answered them. */
async function readCounts({ metrics }: TestService) {
  const metric = await metrics.registry.getSingleMetric('manilla_replica_reads_total')!.get()
  const counts = metric.values.map(({ labels, value }) => [labels.source, value])
  return Object.fromEntries(counts) as Record<'replica' | 'primary' | 'repeated', number>
}

const read = (one: TestService, path: string, headers = {}) =>
  one.ask('GET', path, { key: one.merchant.test.secret, headers })

async function isUsed(one: TestService): Promise<boolean> {
  const before = await readCounts(one)
  expect((await read(one, '/v1/events')).status).toBe(200)
  return (await readCounts(one)).replica > before.replica
}

async function fund(one: TestService, amount: number): Promise<void> {
  const { status } = await one.ask('POST', '/v1/test/balances/fund', {
    key: one.merchant.test.secret,
    body: { asset: 'NGN', amount },
    headers: { 'idempotency-key': randomBytes(8).toString('hex') },
  })
  expect(status).toBe(201)
}

async function available(one: TestService): Promise<number> {
  const { json } = await read(one, '/v1/balances')
  return json.data.items.find(({ asset }: { asset: string }) => asset === 'NGN').available
}

const entryCount = async (one: TestService): Promise<number> =>
  (await read(one, '/v1/balance-entries?limit=100')).json.data.items.length

/** Waits until the replica has everything; a paused one never does. */
const untilCaughtUp = () =>
  until(async () => {
    const [primary] = await servers.db.rows(
      sql<{ position: string }>`select pg_current_wal_lsn()::text as position`,
    )
    const [row] = await servers.replica.db.rows(sql<{ isThere: boolean }>`
      select pg_last_wal_replay_lsn() >= ${primary!.position}::pg_lsn as is_there`)
    return row!.isThere
  })

/** About one resource, which is read from the primary, or a setting. */
const listsOnPrimary = [
  'listPaymentReturns',
  'listEventDeliveries',
  'listWebhookEndpoints',
  'listBanks',
  'listRates',
]
/** They read as much as lists do. */
const summaries = /^(count|summarizeSettlements$|get\w+Report$)/

// Under load, a list may be asked of the replica and answered by the primary.
test('lists of an environment are asked of the replica, and nothing else is', async () => {
  const countAsked = async () => {
    const { replica, primary, repeated } = await readCounts(service)
    return replica + primary + repeated
  }
  const routes = createRoutes({ collections: {}, simulated: [] } as unknown as ApiParts)
  const gets = routes.filter(
    ({ method, access, path }) =>
      method === 'GET' && (access === 'secret' || access === 'any_key') && !path.includes(':'),
  )
  for (const route of gets) {
    const isOnReplica =
      summaries.test(route.operation) ||
      (isList(route) && !listsOnPrimary.includes(route.operation))
    for (const accept of route.hasCsv ? ['application/json', 'text/csv'] : ['application/json']) {
      const before = await countAsked()
      const { status } = await read(service, route.path, { accept })
      if (isOnReplica) expect(status).toBe(200)
      const isAsked = (await countAsked()) > before
      expect([route.operation, isAsked]).toEqual([route.operation, isOnReplica])
    }
  }
  // What the replica itself says.
  await until(() => isUsed(service))
  const sessions = await servers.replica.db.rows(sql<{ query: string }>`
    select query from pg_stat_activity where application_name = 'manilla lists'`)
  expect(sessions.some(({ query }) => query.includes('from events'))).toBe(true)
})

test('one resource and what belongs to it are read from the primary', async () => {
  await fund(service, 1)
  const { json } = await service.ask('POST', '/v1/webhook-endpoints', {
    key: service.merchant.test.secret,
    body: { url: 'https://shop.example/webhooks', events: ['*'] },
  })
  await servers.replica.pause()
  onTestFinished(async () => {
    await servers.replica.resume()
  })
  const sent = await service.ask('POST', `/v1/webhook-endpoints/${json.data.id}/test`, {
    key: service.merchant.test.secret,
  })
  const event = sent.json.data.eventId
  // The replica does not have it yet.
  for (const path of [`/v1/events/${event}`, `/v1/events/${event}/deliveries`])
    expect([path, (await read(service, path)).status]).toEqual([path, 200])
})

test('balances are current while lists are late, for as long as the limit allows', async () => {
  await until(() => isUsed(service))
  await untilCaughtUp()
  const [before, entries] = [await available(service), await entryCount(service)]
  await servers.replica.pause()
  await fund(service, 500)
  const pausedAt = performance.now()
  expect(await available(service)).toBe(before + 500)
  expect(await entryCount(service)).toBe(entries)

  // Beyond the limit, the primary answers.
  await until(async () => (await entryCount(service)) === entries + 1)
  const lateMs = performance.now() - pausedAt
  expect(lateMs).toBeGreaterThan(maxDelayMs - 2 * limits.replica.checkIntervalMs)
  expect(lateMs).toBeLessThan(maxDelayMs + limits.replica.checkIntervalMs)
  const delay = service.metrics.registry.getSingleMetric('manilla_replica_delay_seconds')!
  expect((await delay.get()).values[0]!.value * 1_000).toBeGreaterThan(maxDelayMs)
  expect(await isUsed(service)).toBe(false)

  // A list that began on the primary stays there: the replica may lack the rows that follow.
  await fund(service, 1)
  const path = '/v1/balance-entries?asset=NGN&limit=1'
  const onPrimary = (await read(service, path)).json.data
  await servers.replica.resume()
  await until(() => isUsed(service))
  const counts = await readCounts(service)
  const second = (await read(service, `${path}&cursor=${onPrimary.nextCursor}`)).json.data
  expect(await readCounts(service)).toEqual(counts)
  expect(second.items[0].number).toBe(onPrimary.items[0].number - 1)

  // One that began on the replica continues there.
  const onReplica = (await read(service, path)).json.data
  const third = (await read(service, `${path}&cursor=${onReplica.nextCursor}`)).json.data
  // Two queries each: the entries, and who is on the other side.
  expect((await readCounts(service)).replica).toBe(counts.replica + 4)
  expect(third.items).toEqual(second.items)
  expect(await entryCount(service)).toBe(entries + 2)
})

test('a replica that dies under load fails no request, and is used again when it is back', async () => {
  await until(() => isUsed(service))
  let isDone = false
  let answered = 0
  const load = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      const { status } = await read(service, '/v1/balance-entries')
      expect(status).toBe(200)
      answered += 1
    }
  })
  const untilAnswered = (more: number) => {
    const wanted = answered + more
    return until(() => answered >= wanted)
  }
  try {
    await untilAnswered(50)
    const before = await readCounts(service)
    await servers.replica.kill()
    await untilAnswered(100)
    const during = await readCounts(service)
    expect(during.repeated).toBeGreaterThan(before.repeated)
    expect(during.primary).toBeGreaterThan(before.primary)
    await servers.replica.start()
    await until(() => isUsed(service))
    await untilAnswered(50)
  } finally {
    isDone = true
  }
  await Promise.all(load)
})

test('a silent replica delays a few lists and fails none', async () => {
  const proxy = await openMuteProxy(servers.replica.url)
  onTestFinished(() => proxy.close())
  const other = await openService(proxy.url)
  proxy.muteNew()
  proxy.mute()
  const startedAt = performance.now()
  const replies = await Promise.all([1, 2, 3].map(() => read(other, '/v1/events')))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  const { statementMs } = limits.replica
  expect(performance.now() - startedAt).toBeLessThan(
    statementMs + postgresLimits.responseGraceMs + 2_000,
  )
  // The next ones do not wait for it.
  const again = performance.now()
  expect((await read(other, '/v1/events')).status).toBe(200)
  expect(performance.now() - again).toBeLessThan(1_000)
  proxy.unmute()
  await until(() => isUsed(other))
  await other.close()
})

function openReplica(url: string): Replica {
  const replica = new Replica({
    url,
    primary: servers.db,
    quickPrimary: servers.db,
    maxDelayMs,
    logger: createLogger('silent'),
  })
  onTestFinished(() => replica.close())
  return replica
}

test('a read that conflicts with replay is repeated on the primary', async () => {
  await servers.db.rows(sql`create table scratch (id int)`)
  await untilCaughtUp()
  const replica = openReplica(servers.replica.url)
  await until(() => replica.isUsable)
  const reader = replica.startReading()
  // The source tells the servers apart; on the primary the read does not wait.
  const reading = reader.rows(sql<{ isReplica: boolean }>`
    select pg_is_in_recovery() as is_replica, (select count(*) from scratch) as count
    from pg_sleep(case when pg_is_in_recovery() then 1.5 else 0 end)`)
  await sleep(200)
  await servers.db.rows(sql`drop table scratch`)
  await servers.db.rows(sql`create table scratch (id int)`)
  expect(await reading).toMatchObject([{ isReplica: false }])
  expect(replica.reads).toMatchObject({ repeated: 1, replica: 0 })
  // A conflict is no reason to avoid the replica; this request stays on the primary.
  expect(replica.isUsable).toBe(true)
  const question = sql<{ isReplica: boolean }>`select pg_is_in_recovery() as is_replica`
  expect(await reader.rows(question)).toEqual([{ isReplica: false }])
  expect(await replica.startReading().rows(question)).toEqual([{ isReplica: true }])
})

// Its last replayed commit looks no older than on an idle primary.
test('a replica that lost its primary is not used until it streams again', async () => {
  const { replica } = servers
  await until(() => isUsed(service))
  await replica.followPrimary(false)
  await until(async () => !(await isUsed(service)))
  const entries = await entryCount(service)
  await fund(service, 1)
  expect(await entryCount(service)).toBe(entries + 1)
  await replica.followPrimary(true)
  await until(() => isUsed(service))
  expect(await entryCount(service)).toBe(entries + 1)
})

test('measuring needs no privileges', async () => {
  await servers.db.rows(sql`create role plain login`)
  await untilCaughtUp()
  const asPlain = (url: string) => new Database(url.replace('manilla@', 'plain@'), () => {})
  const [primary, replica] = [asPlain(servers.db.url), asPlain(servers.replica.url)]
  expect(await readReplicaState(replica)).toMatchObject({ isReplica: true, isStreaming: true })
  expect(await readPosition(primary)).toBeGreaterThan(0n)
  await Promise.all([primary.close(), replica.close()])
})

test('a server that is no replica is not used', async () => {
  const replica = openReplica(servers.db.url)
  await sleep(300)
  expect(replica.isUsable).toBe(false)
  expect(await replica.startReading().rows(sql`select 1 as one`)).toEqual([{ one: 1 }])
  expect(replica.reads).toEqual({ replica: 0, primary: 1, repeated: 0 })
})

test('doctor reports the state of the replica', async () => {
  const examine = async (url: string) => {
    const read = { url: new Secret(url), maxDelayMs: 300 }
    const [result] = await examineReplica(servers.db, read)
    return `${result!.state}: ${result!.message}`
  }
  const { url } = servers.replica
  expect(await examineReplica(servers.db, undefined)).toEqual([])
  await untilCaughtUp()
  expect(await examine(url)).toMatch(/^ok: streaming, caught up after \d+ ms$/)
  expect(await examine(servers.db.url)).toBe('warning: not a replica, lists use the primary')
  expect(await examine(url.replace(/manilla-\w+/, 'absent'))).toMatch(/^warning: not usable/)
  await servers.replica.pause()
  await servers.db.rows(sql`insert into scratch values (1)`)
  expect(await examine(url)).toMatch(/^warning: \d+ bytes behind after 300 ms, replay is paused$/)
  await servers.replica.resume()
})
