/**
 * Measures HTTP paths in rounds. Every path is warmed by request count before the first round; then
 * each round measures every path on every Node, each beside a bare server with the same bytes.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChain } from './chain.mjs'
import { startMeter } from './cpu.mjs'
import { paths } from './paths.mjs'
import { openPgbench, startProcess } from './processes.mjs'
import { formatResult } from './report.mjs'
import { seedPast } from './seed-collections.mjs'
import { fundEnvironments } from './workbench.mjs'

const transfersOnPage = 20

export async function benchHttp(tools, options, record) {
  const selected = paths.filter(options.isSelected)
  if (selected.length === 0) return
  const chain = await openChain(tools.folder)
  const stub = await startProcess('./stub-chain.mjs', { args: [chain.url] })
  const shared = {
    ...tools,
    chain,
    chainPids: [stub.pid, chain.pid],
    accountNumbers: numbersFrom(1),
    unposted: { count: 0 },
    wallet: chain.wallet,
  }
  await fundEnvironments(tools.db, [tools.environmentId])
  if (options.pastRows > 0) await seedRows(shared, options.pastRows)
  const variants = []
  for (const node of options.nodes)
    variants.push(await openVariant({ ...shared, stub }, { node, selected, options }))
  const pgbench = openPgbench(tools.databaseUrl)

  for (let round = 1; round <= options.rounds; round += 1) {
    console.log(`Round ${round} of ${options.rounds}`)
    for (const path of selected)
      for (const variant of variants) await measureBeside(variant, { path, options, record })
    if (pgbench)
      record(
        { key: 'tpcb', name: 'pgbench TPC-B, scale 1, 16 connections' },
        pgbench(options.seconds),
      )
  }

  for (const { stop } of variants) await stop()
  await stub.stop()
  await chain.stop()
}

/** Servers on one Node, warm, with the bare server that has the bytes of their responses. */
async function openVariant(shared, { node, selected, options }) {
  const urls = { stub: shared.stub.url, plain: shared.stub.url, localnet: shared.chain.url }
  const kinds = new Set(selected.map(({ server }) => server).concat('stub'))
  if (options.isPlainMeasured && selected.some(({ hasPlainTwin }) => hasPlainTwin))
    kinds.add('plain')
  const servers = {}
  for (const kind of kinds)
    servers[kind] = await startProcess('./server.mjs', {
      args: [kind],
      env: { ...shared.env, ...shared.chain.configFor(urls[kind]) },
      node: node.file,
    })
  const variant = { ...shared, node, options, servers }
  Object.assign(variant, await createResources(variant))

  const routes = []
  for (const path of selected) {
    const count = Math.min(options.warmRequests, path.warmRequestsMax ?? options.warmRequests)
    const { plan, result } = await run(variant, path, { count, server: servers[path.server] })
    console.log(`  warmed ${path.name}, Node ${node.version}: ${formatResult(result)}`)
    const url = plan.path.split('?')[0]
    if (!routes.some(({ method, path }) => method === plan.method && path === url))
      routes.push({ method: plan.method, path: url, ...result.sample })
    if (servers.plain && path.hasPlainTwin)
      await run(variant, path, { count: options.warmRequestsPlain, server: servers.plain })
  }
  const bare = await startProcess('./bare.mjs', {
    args: [JSON.stringify(routes)],
    node: node.file,
  })
  // Bare routes share their code, so that each warms the others.
  const bareCount = Math.ceil(options.warmRequests / 4)
  for (const path of selected)
    if (!path.isWithoutBare)
      await run(variant, path, { count: bareCount, server: bare, isBare: true })
  return {
    ...variant,
    bare,
    async stop() {
      for (const server of [bare, ...Object.values(servers)]) await server.stop()
    },
  }
}

async function measureBeside(variant, { path, options, record }) {
  const { servers, bare, node } = variant
  const { seconds } = options
  const { key, name, goal } = path
  const { result } = await run(variant, path, { seconds, server: servers[path.server] })
  record({ key, name, goal, node: node.version }, result)
  if (!path.isWithoutBare) {
    const bareRun = await run(variant, path, {
      seconds: Math.max(1, seconds / 2),
      server: bare,
      isBare: true,
    })
    record(
      { key: `${key}/bare`, name: 'bare Fastify, same bytes', node: node.version },
      bareRun.result,
    )
  }
  if (servers.plain && path.hasPlainTwin) {
    const plainRun = await run(variant, path, { seconds, server: servers.plain })
    record(
      { key: `${key}/plain`, name: 'one transaction per request', node: node.version },
      plainRun.result,
    )
  }
}

/** Sends `count` requests, or as many as fit into `seconds`. */
async function run(variant, path, { count, seconds, server, isBare = false }) {
  const { load, chain, chainPids, postmasterPid, key, options } = variant
  const plan = await path.plan(variant, { count, seconds })
  const landedBefore = path.goal.landedPerSecond ? await chain.countLanded() : 0
  const meter = startMeter({
    api: [server.pid],
    postgres: [postmasterPid],
    chain: chainPids,
    load: [load.pid],
  })
  const startedAt = performance.now()
  const result = await load.run({
    connections: path.connections ?? options.connections,
    ...(count && { count }),
    ...plan,
    ...(seconds && { runMs: seconds * 1000 }),
    key,
    port: server.port,
  })
  const landedPerSecond = path.goal.landedPerSecond
    ? ((await chain.countLanded()) - landedBefore) / result.seconds
    : undefined
  const unsettled = isBare ? 0 : ((await path.settle?.(variant)) ?? 0)
  const settledSeconds = (performance.now() - startedAt) / 1000
  const cpu = meter.read(result.sent)
  if (!isBare) await sleep(100) // lets the request log and the last sends end
  return {
    plan,
    result: {
      ...result,
      ...(path.isMeasuredUntilSettled && { perSecond: (result.sent - unsettled) / settledSeconds }),
      ...(landedPerSecond !== undefined && !isBare && { landedPerSecond }),
      cpu: isBare ? { api: cpu.api, load: cpu.load } : cpu,
    },
  }
}

/** What the GET paths read. */
async function createResources({ servers, key, wallet }) {
  const create = async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${servers.stub.port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    })
    const { data, message } = await response.json()
    if (!response.ok) throw new Error(`${path}: ${message}`)
    return data.reference
  }
  const transfer = {
    amount: '0.01',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: wallet,
  }
  for (let number = 1; number < transfersOnPage; number += 1)
    await create('/v1/disbursements/crypto', transfer)
  return {
    transferReference: await create('/v1/disbursements/crypto', transfer),
    sessionReference: await create('/v1/checkout/sessions', {
      amount: 1_250_000,
      description: 'Two loaves of agege bread',
      customer: { name: 'Ada Obi', email: 'ada@example.com' },
    }),
  }
}

async function seedRows({ db, environmentId, accountNumbers }, count) {
  const startedAt = performance.now()
  const first = accountNumbers.take(count)
  await seedPast(db, { environmentId, amount: 500_000n, first, count })
  console.log(
    `  ${count} paid accounts written in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  )
}

/** Account numbers start with 0, which the sandbox bank never issues. */
function numbersFrom(first) {
  let next = first
  return {
    take(count) {
      const taken = next
      next += count
      return taken
    },
  }
}
