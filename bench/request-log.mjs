/**
 * What the log of requests costs: two API processes, one that keeps requests and one that does not,
 * asked in turns on one database. Processor time for each request says more than requests per
 * second where the machine has other things to do.
 */
import { sql } from 'kysely'
import { startMeter } from './cpu.mjs'

const twins = [
  ['kept', 'lanes'],
  ['not kept', 'unlogged'],
]

export async function benchRequestLog({ startHelper, load, record, db, key, pidFile }, plan) {
  const { rounds, ...pace } = plan
  const body = JSON.stringify({ asset: 'USDC', amount: '0.000001' })
  const asked = {
    'fund one hot account': { method: 'POST', path: '/v1/test/balances/fund', body },
    'GET /v1/balances': { method: 'GET', path: '/v1/balances' },
  }
  const servers = await Promise.all(twins.map(([, kind]) => startHelper('./server.mjs', [kind])))
  for (let round = 0; round < rounds; round += 1)
    for (const [name, request] of Object.entries(asked)) {
      // Whoever is second finds a larger database, so they take turns at that, too.
      const order = round % 2 === 0 ? [0, 1] : [1, 0]
      for (const index of order) {
        const [word] = twins[index]
        const server = servers[index]
        const meter = await startMeter({ server, pidFile })
        const result = await load({ ...pace, ...request, key, port: server.port })
        const { used, each } = await meter.readAll(result)
        record(`HTTP ${name}, requests ${word}`, { ...result, used, each })
      }
    }
  for (const server of servers) await server.stop()
  const [size] = await db.rows(sql`
    select count(*)::int as rows, pg_total_relation_size('request_logs')::int8 as bytes
    from request_logs`)
  console.log(
    `  ${size.rows} requests kept, ${Math.round(Number(size.bytes) / size.rows)} bytes each`,
  )
  return Object.keys(asked)
}

/**
 * The median of the ratios of every two runs that followed each other: what else the machine did
 * was most alike then.
 */
export function compareRequestLog(results, names) {
  const rows = names.map((name) => {
    const [kept, not] = twins.map(([word]) => results[`HTTP ${name}, requests ${word}`])
    const compare = (read) => median(kept.map((result, at) => read(result) / read(not[at])))
    const more = (who) => median(kept.map(({ each }, at) => each[who] - not[at].each[who]))
    return [
      name,
      {
        'throughput, kept / not kept': round(compare(({ perSecond }) => perSecond)),
        'API time, not kept / kept': round(1 / compare(({ each }) => each.api)),
        'API µs more': Math.round(more('api')),
        'PostgreSQL µs more': Math.round(more('postgres')),
      },
    ]
  })
  console.table(Object.fromEntries(rows))
}

function median(list) {
  const sorted = list.toSorted((left, right) => left - right)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

function round(ratio) {
  return Number(ratio.toFixed(3))
}
