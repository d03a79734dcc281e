/**
 * What the log of requests costs: two API processes on one database, one that keeps requests and
 * one that does not. Asked in turns they tell the throughput. Asked at the same time they tell the
 * processor time of a request, undisturbed by what else the machine does: it disturbs both alike.
 */
import { sql } from 'kysely'
import { startMeter } from './cpu.mjs'

const body = JSON.stringify({ asset: 'USDC', amount: '0.000001' })
const asked = {
  'fund one hot account': { method: 'POST', path: '/v1/test/balances/fund', body },
  'GET /v1/balances': { method: 'GET', path: '/v1/balances' },
}

export async function benchRequestLog(tools, plan) {
  const measured = []
  for (let round = 0; round < plan.rounds; round += 1)
    measured.push(...(await measureTwins(tools, { plan, round })))
  const { db } = tools
  const [size] = await db.rows(sql`
    select count(*)::int as rows, pg_total_relation_size('request_logs')::int8 as bytes
    from request_logs`)
  console.log(
    `  ${size.rows} requests kept, ${Math.round(Number(size.bytes) / size.rows)} bytes each`,
  )
  const rows = Object.keys(asked).map((name) => [name, compare(measured, name)])
  console.table(Object.fromEntries(rows))
}

/** Started anew for every round: no two processes of the same program are equally fast. */
async function measureTwins(tools, { plan, round }) {
  const [kept, not] = await Promise.all(
    ['lanes', 'unlogged'].map((kind) => tools.startHelper('./server.mjs', [kind])),
  )
  // Code that has run a few hundred times is slower than the same code later.
  for (const request of Object.values(asked))
    await askAtOnce(tools, { plan: { ...plan, count: 5_000 }, request, kept, not })
  const measured = []
  for (const [name, request] of Object.entries(asked)) {
    const turns = await askInTurns(tools, { plan, name, request, kept, not, round })
    const cpu = await askAtOnce(tools, { plan, request, kept, not })
    console.log(`    at once: kept ${Math.round(cpu.kept)} µs, not kept ${Math.round(cpu.not)} µs`)
    measured.push({ name, turns, cpu })
  }
  await kept.stop()
  await not.stop()
  return measured
}

function compare(measured, name) {
  const ours = measured.filter((one) => one.name === name)
  return {
    'throughput, kept / not kept': toRatio(ours.map(({ turns }) => turns.throughput)),
    'API time, not kept / kept': toRatio(ours.map(({ cpu }) => cpu.not / cpu.kept)),
    'API µs more': Math.round(median(ours.map(({ cpu }) => cpu.kept - cpu.not))),
    'PostgreSQL µs more': Math.round(median(ours.map(({ turns }) => turns.postgres))),
  }
}

/** Whoever is second finds a larger database, so they take turns at that, too. */
async function askInTurns({ load, record, key, pidFile }, { plan, name, request, round, ...both }) {
  const results = {}
  for (const who of round % 2 === 0 ? ['kept', 'not'] : ['not', 'kept']) {
    const server = both[who]
    const meter = await startMeter({ server, pidFile })
    const result = await load({ ...plan, ...request, key, port: server.port })
    const { used, each } = await meter.readAll(result)
    results[who] = { ...result, each }
    record(`HTTP ${name}, requests ${who === 'kept' ? 'kept' : 'not kept'}`, { ...result, used })
  }
  return {
    throughput: results.kept.perSecond / results.not.perSecond,
    postgres: results.kept.each.postgres - results.not.each.postgres,
  }
}

async function askAtOnce({ load, key }, { plan, request, kept, not }) {
  const connections = plan.connections / 2
  const measure = async (server) => {
    const before = (await server.ask()).cpu
    const { sent } = await load({ ...plan, ...request, connections, key, port: server.port })
    const { cpu } = await server.ask()
    return (cpu.user + cpu.system - before.user - before.system) / sent
  }
  const [ofKept, ofNot] = await Promise.all([measure(kept), measure(not)])
  return { kept: ofKept, not: ofNot }
}

/** The median, and between what the middle half lies. */
function toRatio(ratios) {
  const sorted = ratios.toSorted((left, right) => left - right)
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(3)
  return `${median(ratios).toFixed(3)} (${at(0.25)} to ${at(0.75)})`
}

function median(list) {
  const sorted = list.toSorted((left, right) => left - right)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}
