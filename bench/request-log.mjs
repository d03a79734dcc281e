/**
 * What the log of requests costs: a server that keeps them and two that do not, in one process, are
 * asked in short turns. Neighbouring turns are compared, for the machine is not the same a minute
 * later; the two equal servers, compared in the same way, say what can be told at all.
 */
import { sql } from '../dist/postgres/sql.js'
import { startMeter } from './cpu.mjs'

const body = JSON.stringify({ asset: 'USDC', amount: '0.000001' })
const asked = {
  'fund one hot account': { method: 'POST', path: '/v1/test/balances/fund', body },
  'GET /v1/balances': { method: 'GET', path: '/v1/balances' },
}
/** Each is as often first, second and last as the others, and follows each of them as often. */
const orders = [
  ['kept', 'not', 'control'],
  ['not', 'control', 'kept'],
  ['control', 'kept', 'not'],
  ['control', 'not', 'kept'],
  ['kept', 'control', 'not'],
  ['not', 'kept', 'control'],
]

export async function benchRequestLog(tools, plan) {
  const server = await tools.startHelper('./thrice.mjs')
  const table = {}
  for (const [name, request] of Object.entries(asked)) {
    const rounds = []
    // The first round compiles the code that the others measure.
    for (let round = 0; round <= plan.rounds; round += 1) {
      const turns = await takeTurns(tools, { server, plan, request, round })
      if (round > 0) rounds.push(turns)
      console.log(`  ${name}, round ${round}: ${tellTurns(turns)}`)
    }
    table[`${name}: kept / not kept`] = compare(rounds, ['kept'], ['not', 'control'])
    table[`${name}: not kept / not kept`] = compare(rounds, ['control'], ['not'])
  }
  await server.stop()
  const [size] = await tools.db.rows(sql`
    select count(*)::int as rows, pg_total_relation_size('request_logs')::int8 as bytes
    from request_logs`)
  console.log(
    `  ${size.rows} requests kept, ${Math.round(Number(size.bytes) / size.rows)} bytes each`,
  )
  console.table(table)
}

async function takeTurns({ load, key, pidFile }, { server, plan, request, round }) {
  const turns = {}
  for (const who of orders[round % orders.length]) {
    const meter = await startMeter({ server, pidFile })
    const result = await load({ ...plan, ...request, key, port: server.ports[who] })
    const { each } = await meter.readAll(result)
    turns[who] = { perSecond: result.perSecond, ...each }
  }
  return turns
}

function tellTurns(turns) {
  return Object.entries(turns)
    .map(([who, { perSecond, api, postgres }]) => {
      return `${who} ${perSecond}/s, ${Math.round(api)} + ${Math.round(postgres)} µs`
    })
    .join('; ')
}

function compare(rounds, these, those) {
  const ratiosOf = (figure) =>
    rounds.map((turns) => Math.exp(meanLog(turns, these, figure) - meanLog(turns, those, figure)))
  return {
    throughput: tellRatio(ratiosOf('perSecond')),
    'API time': tellRatio(ratiosOf('api')),
    'PostgreSQL time': tellRatio(ratiosOf('postgres')),
  }
}

function meanLog(turns, names, figure) {
  return names.reduce((sum, name) => sum + Math.log(turns[name][figure]), 0) / names.length
}

/** The geometric mean, and where the true one lies with 95 %. */
function tellRatio(ratios) {
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const reach = 2 * Math.sqrt(variance / logs.length)
  const show = (log) => Math.exp(log).toFixed(3)
  return `${show(mean)} (${show(mean - reach)} to ${show(mean + reach)})`
}
