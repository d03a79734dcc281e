/**
 * Webhooks: five environments with ten endpoints each, one of them dead (it accepts connections and
 * never answers) and one slow (two seconds). Measures the throughput of a backlog, then the time from
 * commit to first attempt at a steady rate.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../dist/base/ids.js'
import { emitAll } from '../dist/events/emit.js'
import { createMerchant } from '../dist/merchants/create-merchant.js'
import { sql } from '../dist/postgres/sql.js'
import { createEndpoint } from '../dist/webhooks/change-endpoints.js'

const environments = 5
const endpoints = 10
const workerCount = 2
const isQuick = sql`w.url like '%/quick%'`

export async function benchDeliveries({ db, seal, startReceiver, startWorker }, plan) {
  const receiver = await startReceiver()
  const ids = await db.transaction((tx) => openShops(tx, seal, receiver.port))
  const backlog = await sendBacklog({ db, startWorker }, ids, plan.backlog)
  const pace = await keepPace({ db, startWorker }, ids, plan)
  const received = await receiver.ask()
  const quick = received.filter(({ path }) => path.startsWith('/quick'))
  const expected = plan.backlog / environments + pace.events / environments
  const isWhole =
    quick.length === environments * (endpoints - 2) &&
    quick.every(({ received: count }) => count === expected)
  if (!isWhole) throw new Error(`healthy endpoints missed something: ${JSON.stringify(quick)}`)
  await receiver.stop()
  return [
    [`webhooks, ${plan.backlog * endpoints} deliveries, ${workerCount} workers`, backlog],
    [`webhooks, cause to first attempt at ${plan.perSecond} events/s`, pace],
  ]
}

async function openShops(tx, seal, port) {
  const now = new Date()
  const ids = []
  for (let shop = 0; shop < environments; shop += 1) {
    const { environments } = await createMerchant(tx, now, `Bench ${shop}`)
    const environment = environments.test
    ids.push(environment.id)
    for (let number = 0; number < endpoints; number += 1) {
      const kind = number === 0 ? 'dead' : number === 1 ? 'slow' : 'quick'
      const url = `http://127.0.0.1:${port}/${kind}/${randomUUID()}`
      await createEndpoint(tx, now, { environment, seal, url, eventTypes: null, description: '' })
    }
  }
  return ids
}

/** Deliveries per second while there is a backlog. */
async function sendBacklog({ db, startWorker }, ids, count) {
  for (let from = 0; from < count; from += 500) await emitSome(db, ids, Math.min(500, count - from))
  const workers = await Promise.all(Array.from({ length: workerCount }, startWorker))
  await untilQuickOnesAreDone(db)
  const [row] = await db.rows(sql`
    select count(*)::int as count,
      extract(epoch from max(d.finished_at) - min(a.started_at))::float8 as seconds,
      percentile_cont(0.5) within group (order by a.duration_ms)::float8 as p50,
      percentile_cont(0.99) within group (order by a.duration_ms)::float8 as p99
    from deliveries d
    join delivery_attempts a using (environment_id, event_id, endpoint_id)
    join webhook_endpoints w on w.environment_id = d.environment_id and w.id = d.endpoint_id
    where ${isQuick} and a.status = 200 and w.environment_id = any(${ids})`)
  await Promise.all(workers.map((worker) => worker.stop()))
  return { perSecond: Math.round(row.count / row.seconds), p50: row.p50, p99: row.p99 }
}

async function keepPace({ db, startWorker }, ids, { perSecond, paceMs }) {
  await db.rows(sql`
    update deliveries set state = 'GIVEN_UP', finished_at = now() where state = 'PENDING'`)
  const worker = await startWorker()
  const startedAt = new Date()
  const start = performance.now()
  let events = 0
  while (performance.now() - start < paceMs) {
    const dueEvents = Math.floor(((performance.now() - start) / 1_000) * perSecond)
    const missing = Math.floor((dueEvents - events) / ids.length) * ids.length
    if (missing > 0) await emitSome(db, ids, missing)
    events += missing
    await sleep(20)
  }
  await untilQuickOnesAreDone(db)
  const [row] = await db.rows(sql`
    with waits as (
      select extract(epoch from a.started_at - e.created_at) * 1000 as ms
      from events e
      join delivery_attempts a on a.environment_id = e.environment_id and a.event_id = e.id
      join webhook_endpoints w on w.environment_id = a.environment_id and w.id = a.endpoint_id
      where a.number = 1 and e.created_at >= ${startedAt} and ${isQuick}
        and e.environment_id = any(${ids}))
    select percentile_cont(0.5) within group (order by ms)::float8 as p50,
      percentile_cont(0.99) within group (order by ms)::float8 as p99 from waits`)
  await worker.stop()
  return { perSecond: events / (paceMs / 1_000), events, ...row }
}

function emitSome(db, ids, count) {
  return db.transaction(async (tx) => {
    const now = new Date()
    const newEvents = Array.from({ length: count }, (_, index) => ({
      environmentId: ids[index % ids.length],
      type: 'crypto_transfer.confirmed',
      resourceId: newId(now),
      causeId: newId(now),
      sequence: 1,
      data,
    }))
    emitAll(tx, now, newEvents)
  })
}

async function untilQuickOnesAreDone(db) {
  for (;;) {
    const [row] = await db.rows(sql`
      select exists (select from deliveries d join webhook_endpoints w
        on w.environment_id = d.environment_id and w.id = d.endpoint_id
        where d.state = 'PENDING' and ${isQuick}) as "isOpen"`)
    if (!row.isOpen) return
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
