/**
 * Webhooks. Throughput: two workers clear a backlog for five merchants with ten endpoints each, of
 * which one never responds and one takes two seconds. Latency: dedicated accounts are created over
 * HTTP at a fixed rate, measured from the event to its first delivery attempt.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../dist/base/ids.js'
import { emitAll } from '../dist/events/emit.js'
import { createMerchant } from '../dist/merchants/create-merchant.js'
import { issueKey } from '../dist/merchants/keys/issue-key.js'
import { sql } from '../dist/postgres/sql.js'
import { createEndpoint } from '../dist/webhooks/endpoints/change-endpoints.js'
import { startMeter } from './cpu.mjs'
import { startProcess } from './processes.mjs'

const throughput = {
  key: 'webhooks',
  group: 'webhooks',
  name: 'webhook deliveries, two workers',
  goal: { perSecond: 6_000, nodeUs: 150, postgresUs: 60 },
}
const latency = {
  key: 'webhook-latency',
  group: 'webhooks',
  name: 'commit to first delivery attempt, 300 events/s',
  goal: { p50: 10, p99: 50 },
}
const merchantCount = 5
const endpointsPerMerchant = 10
const quickPerMerchant = endpointsPerMerchant - 2
const workerCount = 2
const eventsPerInsert = 500
/** Sized for about this rate: a backlog lasts roughly as long as a round of other paths. */
const deliveriesPerSecondExpected = 3_000
const latencyEventsPerSecond = 300
const isQuick = sql`w.url like '%/quick%'`

export async function benchDeliveries(tools, options, record) {
  const selected = [throughput, latency].filter(options.isSelected)
  if (selected.length === 0) return
  for (const node of options.nodes) {
    const receiver = await startProcess('./receiver.mjs')
    const workers = await Promise.all(
      Array.from({ length: workerCount }, () =>
        startProcess('./worker.mjs', { env: tools.env, node: node.file }),
      ),
    )
    const context = {
      ...tools,
      node,
      receiver,
      pids: {
        api: workers.map(({ pid }) => pid),
        postgres: [tools.postmasterPid],
        load: [receiver.pid],
      },
    }
    if (selected.includes(throughput)) await benchThroughput(context, options, record)
    if (selected.includes(latency)) await benchLatency(context, options, record)
    await Promise.all(workers.map((worker) => worker.stop()))
    await receiver.stop()
  }
}

async function benchThroughput({ db, seal, pids, receiver, node }, options, record) {
  const ids = await db.transaction((tx) => createMerchants(tx, { seal, port: receiver.port }))
  const warmEvents = Math.ceil(options.warmRequests / quickPerMerchant / 100) * 100
  const events =
    Math.ceil((options.seconds * deliveriesPerSecondExpected) / quickPerMerchant / 100) * 100
  await clearBacklog(db, ids, { events: warmEvents, pids })
  for (let round = 1; round <= options.rounds; round += 1) {
    const result = await clearBacklog(db, ids, { events, pids })
    record({ ...throughput, node: node.version }, result)
  }
  const received = (await receiver.ask('report')).filter(({ path }) => path.startsWith('/quick'))
  const expected = (warmEvents + options.rounds * events) / merchantCount
  const isWhole =
    received.length === merchantCount * quickPerMerchant &&
    received.every(({ received: count }) => count === expected)
  if (!isWhole) throw new Error(`healthy endpoints missed events: ${JSON.stringify(received)}`)
}

/** Commits a backlog at once and waits until the healthy endpoints have received all of it. */
async function clearBacklog(db, ids, { events, pids }) {
  const createdAt = new Date()
  let meter
  await db.transaction(async (tx) => {
    for (let from = 0; from < events; from += eventsPerInsert)
      emitAll(tx, createdAt, makeEvents(ids, Math.min(eventsPerInsert, events - from), createdAt))
    await tx.rows(sql`select 1`)
    meter = startMeter(pids)
  })
  await waitUntilDelivered(db, ids)
  const [row] = await db.rows(sql`
    select count(*)::int as count,
      extract(epoch from max(d.finished_at) - min(a.started_at))::float8 as seconds,
      percentile_cont(0.5) within group (order by a.duration_ms)::float8 as p50,
      percentile_cont(0.99) within group (order by a.duration_ms)::float8 as p99
    from deliveries d
    join delivery_attempts a using (environment_id, event_id, endpoint_id)
    join webhook_endpoints w on w.environment_id = d.environment_id and w.id = d.endpoint_id
    where ${isQuick} and a.status = 200 and d.environment_id = any(${ids})
      and d.created_at = ${createdAt}`)
  const cpu = meter.read(row.count)
  // Endpoints that do not respond would otherwise gather a backlog over the rounds.
  await db.rows(sql`
    update deliveries set state = 'GIVEN_UP', finished_at = now() where state = 'PENDING'`)
  return { perSecond: row.count / row.seconds, p50: row.p50, p99: row.p99, cpu }
}

async function benchLatency({ db, seal, pids, receiver, load, env, node }, options, record) {
  const server = await startProcess('./server.mjs', { env, node: node.file })
  const { environmentId, key } = await db.transaction((tx) =>
    createMerchantWithKey(tx, { seal, port: receiver.port }),
  )
  const plan = {
    port: server.port,
    connections: 64,
    key,
    method: 'POST',
    path: '/v1/collections/dedicated-accounts',
    body: JSON.stringify({ externalReference: 'customer-#' }),
  }
  await load.run({ ...plan, count: options.warmRequests })
  await waitUntilDelivered(db, [environmentId])
  // As autovacuum does within a minute: without statistics, creating an account reads all of them.
  await db.rows(sql`analyze`)
  for (let round = 1; round <= options.rounds; round += 1) {
    const startedAt = new Date()
    const meter = startMeter({ ...pids, load: [load.pid, ...pids.load] })
    const { sent, seconds } = await load.run({
      ...plan,
      perSecond: latencyEventsPerSecond,
      runMs: 2_000 * options.seconds,
    })
    await waitUntilDelivered(db, [environmentId])
    const [row] = await db.rows(sql`
      with waits as (
        select extract(epoch from a.started_at - e.created_at) * 1000 as ms
        from events e
        join delivery_attempts a on a.environment_id = e.environment_id and a.event_id = e.id
        where a.number = 1 and e.created_at >= ${startedAt} and e.environment_id = ${environmentId})
      select percentile_cont(0.5) within group (order by ms)::float8 as p50,
        percentile_cont(0.99) within group (order by ms)::float8 as p99 from waits`)
    const result = { perSecond: sent / seconds, p50: row.p50, p99: row.p99, cpu: meter.read(sent) }
    record({ ...latency, node: node.version }, result)
  }
  await server.stop()
}

async function createMerchants(tx, { seal, port }) {
  const now = new Date()
  const ids = []
  for (let number = 0; number < merchantCount; number += 1) {
    const { environments } = await createMerchant(tx, now, `Bench ${number}`)
    ids.push(environments.test.id)
    for (let endpoint = 0; endpoint < endpointsPerMerchant; endpoint += 1) {
      const kind = endpoint === 0 ? 'dead' : endpoint === 1 ? 'slow' : 'quick'
      await addEndpoint(tx, { environment: environments.test, seal, port, kind })
    }
  }
  return ids
}

async function createMerchantWithKey(tx, { seal, port }) {
  const now = new Date()
  const { environments } = await createMerchant(tx, now, 'Bench latency')
  const environment = environments.test
  await addEndpoint(tx, { environment, seal, port, kind: 'quick' })
  const issued = await issueKey(tx, now, {
    seal,
    environment,
    kind: 'secret',
    name: 'bench',
    expiresAt: null,
    allowedAddresses: [],
  })
  return { environmentId: environment.id, key: issued.key.reveal() }
}

function addEndpoint(tx, { environment, seal, port, kind }) {
  return createEndpoint(tx, new Date(), {
    environment,
    seal,
    url: `http://127.0.0.1:${port}/${kind}/${randomUUID()}`,
    eventTypes: null,
    description: '',
  })
}

function makeEvents(ids, count, now) {
  return Array.from({ length: count }, (_, index) => ({
    environmentId: ids[index % ids.length],
    type: 'crypto_transfer.confirmed',
    resourceId: newId(now),
    causeId: newId(now),
    sequence: 1,
    data,
  }))
}

async function waitUntilDelivered(db, ids) {
  for (;;) {
    const [row] = await db.rows(sql`
      select exists (select from deliveries d join webhook_endpoints w
        on w.environment_id = d.environment_id and w.id = d.endpoint_id
        where d.state = 'PENDING' and ${isQuick} and d.environment_id = any(${ids})) as is_pending`)
    if (!row.isPending) return
    await sleep(200)
  }
}

/** As long as a real event body. */
const data = JSON.stringify({
  reference: 'ct_06q2z4h8k1m7n3p5r9s0t2v4w6',
  merchantReference: 'payout-9',
  asset: 'USDC',
  network: 'SOLANA',
  amount: '25.50',
  fee: '0.5',
  totalDebit: '26',
  destinationAddress: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  status: 'CONFIRMED',
  transactionSignature: 'x'.repeat(88),
  failureReason: null,
  metadata: { customer: '77', order: 'a-1001' },
  submittedAt: '2026-01-05T09:00:00.000Z',
  confirmedAt: '2026-01-05T09:00:12.000Z',
  failedAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
})
