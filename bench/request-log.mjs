/**
 * The cost of the request log. One process runs a server with the log and two without; they are
 * loaded in short turns. Only neighbouring turns are compared, because the machine changes over
 * time. Comparing the two equal servers shows the noise.
 */
import { sql } from '../dist/postgres/sql.js'
import { startMeter } from './cpu.mjs'

const body = JSON.stringify({ asset: 'NGN', amount: 1 })
const requests = {
  'fund one hot account': { method: 'POST', path: '/v1/test/balances/fund', body },
  'GET /v1/balances': { method: 'GET', path: '/v1/balances' },
}
/** Balanced: each server is equally often in each place and after each other server. */
const orders = [
  ['logged', 'unlogged', 'control'],
  ['unlogged', 'control', 'logged'],
  ['control', 'logged', 'unlogged'],
  ['control', 'unlogged', 'logged'],
  ['logged', 'control', 'unlogged'],
  ['unlogged', 'logged', 'control'],
]

export async function benchRequestLog(tools, plan) {
  const server = await tools.startHelper('./thrice.mjs')
  const table = {}
  for (const [name, request] of Object.entries(requests)) {
    const rounds = []
    // The first round only warms up the code.
    for (let round = 0; round <= plan.rounds; round += 1) {
      const turns = await takeTurns(tools, { server, plan, request, round })
      if (round > 0) rounds.push(turns)
      console.log(`  ${name}, round ${round}: ${formatTurns(turns)}`)
    }
    table[`${name}: logged / not logged`] = compare(rounds, ['logged'], ['unlogged', 'control'])
    table[`${name}: not logged / not logged`] = compare(rounds, ['control'], ['unlogged'])
  }
  await server.stop()
  const [size] = await tools.db.rows(sql`
    select count(*)::int as rows, pg_total_relation_size('request_logs')::int8 as bytes
    from request_logs`)
  console.log(
    `  ${size.rows} requests logged, ${Math.round(Number(size.bytes) / size.rows)} bytes each`,
  )
  console.table(table)
}

async function takeTurns({ load, key, pidFile }, { server, plan, request, round }) {
  const turns = {}
  for (const name of orders[round % orders.length]) {
    const meter = await startMeter({ server, pidFile })
    const result = await load({ ...plan, ...request, key, port: server.ports[name] })
    const { each } = await meter.readAll(result)
    turns[name] = { perSecond: result.perSecond, ...each }
  }
  return turns
}

function formatTurns(turns) {
  return Object.entries(turns)
    .map(([name, { perSecond, api, postgres }]) => {
      return `${name} ${perSecond}/s, ${Math.round(api)} + ${Math.round(postgres)} µs`
    })
    .join('; ')
}

function compare(rounds, these, those) {
  const ratiosOf = (figure) =>
    rounds.map((turns) => Math.exp(meanLog(turns, these, figure) - meanLog(turns, those, figure)))
  return {
    throughput: formatRatio(ratiosOf('perSecond')),
    'API time': formatRatio(ratiosOf('api')),
    'PostgreSQL time': formatRatio(ratiosOf('postgres')),
  }
}

function meanLog(turns, names, figure) {
  return names.reduce((sum, name) => sum + Math.log(turns[name][figure]), 0) / names.length
}

/** The geometric mean and its 95 % confidence interval. */
function formatRatio(ratios) {
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const reach = 2 * Math.sqrt(variance / logs.length)
  const show = (log) => Math.exp(log).toFixed(3)
  return `${show(mean)} (${show(mean - reach)} to ${show(mean + reach)})`
}
