/**
 * node bench/scrape.mjs [payouts]: how long a scrape of /metrics takes on Debian's PostgreSQL with
 * the settings of a fresh installation. Fails above 200 ms. See README.md.
 */
import path from 'node:path'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { withSite } from '../drills/site.mjs'
import { startStockServer } from '../tools/stock-postgres.mjs'
import { describeMachine, median } from './report.mjs'

const payoutCount = Number(process.argv[2] ?? 100_000)
const scrapes = 20
const medianMsMax = 200

await buildOrExit()
const { fromReference } = await import('../dist/base/ids.js')
const { toIdempotencyKey } = await import('../dist/idempotency/key.js')
const { concludePayouts } = await import('../dist/payouts/attempts/conclude-payouts.js')
const { sql } = await import('../dist/postgres/sql.js')
const { startMeter } = await import('./cpu.mjs')
const { seedPayouts } = await import('./seed-payouts.mjs')
const { startService } = await import('./start-manilla.mjs')
const { fundEnvironments, openBooks } = await import('./workbench.mjs')

process.exitCode = await withSite({ keepsFolder: false }, async (site) => {
  const server = await startStockServer(site)
  const folder = path.join(site.folder, 'books')
  const books = await openBooks({ folder, databaseUrl: server.url })
  await fundEnvironments(books.db, [books.environmentId])
  const env = { ...books.env, BANK_TEST: 'sandbox' }
  const service = await startService('manilla.mjs', { words: ['serve'], env })
  await fill(books, await createOriginal(books, service))
  const times = []
  const meter = startMeter({ api: [service.pid], postgres: [server.pid] })
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    const startedAt = performance.now()
    const response = await fetch(service.metricsUrl)
    await response.text()
    times.push(performance.now() - startedAt)
    if (!response.ok) throw new Error(`/metrics answered ${response.status}`)
  }
  const cpu = meter.read(scrapes)
  await service.stop()
  await books.db.close()
  const ms = (value) => `${value.toFixed(0)} ms`
  const { cores, cpu: model } = describeMachine()
  console.log(
    `PostgreSQL ${server.version}, jit ${server.jit}, ${payoutCount.toLocaleString('en')} payouts; ${cores} × ${model}\n` +
      `/metrics: first ${ms(times[0])}, median ${ms(median(times))}, longest ${ms(Math.max(...times))}; ` +
      `processor time per scrape: PostgreSQL ${ms(cpu.postgres / 1_000)}, API ${ms(cpu.api / 1_000)}`,
  )
  return median(times) > medianMsMax ? 1 : 0
})

/** One bank transfer, created over HTTP and landed, whose rows are copied. */
async function createOriginal({ db, environmentId, key }, { url }) {
  const text = 'original'
  const target = '/v1/disbursements/bank-transfer'
  const response = await fetch(`${url}${target}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': text,
    },
    body: JSON.stringify({ amount: 100_000, bankCode: '058', accountNumber: '0123456789' }),
  })
  const { data, message } = await response.json()
  if (!response.ok) throw new Error(message)
  const id = fromReference('bt_', data.reference)
  const [attempt] = await db.rows(sql`
    select number, polls from payout_attempts
    where environment_id = ${environmentId} and payout_id = ${id}`)
  const landed = {
    verdict: 'landed',
    attempt: { environmentId, payoutId: id, number: attempt.number, polls: attempt.polls },
  }
  await db.transaction((tx) => concludePayouts(tx, new Date(), [landed]))
  const { digest } = toIdempotencyKey(text, { method: 'POST', path: target, body: {} })
  return { id, digest, reference: data.reference }
}

async function fill({ db, environmentId }, original) {
  // PostgreSQL has it since version 18.
  await db.rows(sql`
    create function uuidv7(shift interval) returns uuid language sql volatile as $$
      select (lpad(to_hex((extract(epoch from now() + shift) * 1000)::bigint), 12, '0') || '7'
        || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
    $$`)
  await seedPayouts(db, { environmentId, original, count: payoutCount, onWritten() {} })
}
