/**
 * Collections over HTTP for one hot merchant: virtual accounts created, and signed bank notices
 * until the last payment is posted; then both again with a million rows of each in the tables.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveNoticeKey } from '../dist/base/sealed.js'
import { sql } from '../dist/postgres/sql.js'
import { startMeter } from './cpu.mjs'
import { seedAccounts, seedPast } from './seed-collections.mjs'

const amount = 500_000n
const kinds = ['lanes', 'plain']
const patienceMs = 60_000
const notices = { lanes: 12_000, plain: 1_200 }

/** Each run uses its own account numbers, starting with 0, which the sandbox bank never issues. */
let next = 1

export async function benchCollections(tools, plan) {
  for (let round = 1; round <= plan.rounds; round += 1) await benchRound(tools, plan, '')
  if (plan.past === 0) return
  const started = performance.now()
  await seedPast(tools.db, { ...seedPlan(tools), first: take(plan.past), count: plan.past })
  console.log(`  ${plan.past} in ${Math.round((performance.now() - started) / 1000)} s`)
  const beside = `, ${plan.past} before`
  for (let round = 1; round <= plan.rounds; round += 1) await benchRound(tools, plan, beside)
}

async function benchRound(tools, plan, beside) {
  for (const kind of kinds) {
    const server = await tools.startServer(kind)
    const measured = { ...tools, server, kind }
    tools.record(`HTTP virtual accounts created, ${kind}${beside}`, await create(measured, plan))
    await receive(measured, plan, 0.2)
    tools.record(`HTTP notices until posted, ${kind}${beside}`, await receive(measured, plan, 1))
    await server.stop()
  }
}

async function create({ server, load, key, ...tools }, plan) {
  const body = JSON.stringify({ merchantReference: 'order-1001', amount: Number(amount) })
  const path = '/v1/collections/virtual-accounts'
  const { connections, runMs, warmMs } = plan
  const meter = await startMeter({ ...tools, server })
  const asked = { port: server.port, key, connections, runMs, warmMs }
  const result = await load({ ...asked, method: 'POST', path, body })
  return { ...result, used: await meter.read(result) }
}

/** Sends a share of the notices, measured from the first one sent to the last one posted. */
async function receive({ server, load, kind, ...tools }, plan, part) {
  const count = notices[kind] * part
  const first = take(count)
  await seedAccounts(tools.db, { ...seedPlan(tools), first, count })
  const path = '/rails/sandbox-bank/notices/test'
  const signed = { key: deriveNoticeKey(tools.secret).toString('hex'), first, amount: `${amount}` }
  const meter = await startMeter({ ...tools, server })
  const asked = { port: server.port, connections: plan.connections, path, notices: signed }
  const result = await load({ ...asked, count })
  await untilPosted(tools.db)
  const seconds = (Date.now() - result.startedAt) / 1000
  const used = await meter.read(result)
  return { ...result, perSecond: Math.round(count / seconds), used }
}

function seedPlan({ environmentId }) {
  return { environmentId, amount }
}

function take(count) {
  const first = next
  next += count
  return first
}

async function untilPosted(db) {
  const end = Date.now() + patienceMs
  while (Date.now() < end) {
    const waiting = await db.rows(sql`
      select from notices where rail = 'sandbox-bank' and state in ('WAITING', 'UNMATCHED')
      limit 1`)
    if (waiting.length === 0) return
    await sleep(5)
  }
  throw new Error('some notices were not posted in time')
}
