/**
 * Whole lives: each path is measured from the first request until everything it created has ended,
 * with workers running. `key` and `group` are what BENCH_ONLY selects. `goal` bounds throughput and
 * microseconds of Node, PostgreSQL and the chain.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveNoticeKey } from '../dist/base/sealed.js'
import { toNuban } from '../dist/simulation/sandbox-bank/nuban.js'
import { startMeter } from './cpu.mjs'
import { startCounters } from './database-counters.mjs'
import { openDeployment } from './deployments.mjs'
import { openPgbench, startProcess } from './processes.mjs'
import { formatResult } from './report.mjs'
import { seedAccounts } from './seed-collections.mjs'
import { logStatements } from './statement-log.mjs'
import { sumStatements, sumSteps } from './steps.mjs'
import { assertLedgerIsClean, fundEnvironments } from './workbench.mjs'

const group = 'lives'
const profilesFolder = process.env.LIVES_PROFILES
const pollIntervalMs = 50
const endWithinMs = 120_000
const accountAmount = 500_000n
/** More notices than this per second cannot be sent: accounts are created before. */
const noticesPerSecondMax = 5_000
const batchItems = 10_000
const batchesPath = '/v1/disbursements/batches'
const shapes = process.env.LIVES_SHAPES?.split(',') ?? ['start', 'serve + work']
const funds = { USDC: '10000000', NGN: 10 ** 12 }

export const lives = [
  {
    key: 'bank-life',
    name: 'bank transfer until COMPLETED',
    chainKind: 'localnet',
    goal: { perSecond: 2_200, nodeUs: 350, postgresUs: 300 },
    run: (site, bound) =>
      runTransfers(site, bound, '/v1/disbursements/bank-transfer', {
        amount: 10_000,
        bankCode: '058',
        accountNumber: '0123456789',
        merchantReference: '#',
      }),
  },
  {
    key: 'crypto-life',
    name: 'crypto transfer until CONFIRMED, chain lands at once',
    chainKind: 'stub',
    goal: { nodeUs: 400, postgresUs: 320 },
    run: runCryptoTransfers,
  },
  {
    key: 'localnet-life',
    name: 'crypto transfer until CONFIRMED, localnet',
    chainKind: 'localnet',
    goal: { perSecond: 1_500, nodeUs: 450, postgresUs: 320, chainUs: 550 },
    run: runCryptoTransfers,
  },
  {
    key: 'payment-life',
    name: 'bank notice until posted and its webhook delivered',
    chainKind: 'localnet',
    goal: { nodeUs: 350, postgresUs: 210 },
    prepare: prepareNotices,
    run: runPayments,
  },
  {
    key: 'batch-life',
    name: `bank transfer of a batch of ${batchItems.toLocaleString('en')} until all ended`,
    chainKind: 'localnet',
    isWithoutBare: true,
    goal: { perSecond: 1_500 },
    run: runBatch,
  },
].map((life) => ({ ...life, group }))

export async function benchLives({ load }, options, report) {
  const selected = lives.filter(options.isSelected)
  const chainKinds = [...new Set(selected.map(({ chainKind }) => chainKind))]
  if (selected.length === 0) return
  const receiver = await startProcess('./receiver.mjs')
  for (const node of options.nodes)
    for (const shape of shapes)
      for (const chainKind of chainKinds) {
        console.log(`${shape}, ${chainKind}, Node ${node.version}`)
        const deployment = await openDeployment({ shape, chainKind, node: node.file })
        try {
          const site = { ...deployment, node, load, receiver, options, accountsTaken: 0 }
          await prepareMerchant(site)
          await measureLives(
            site,
            selected.filter((life) => life.chainKind === chainKind),
            report,
          )
          await assertLedgerIsClean(site.db)
        } finally {
          await deployment.stop()
        }
      }
  await receiver.stop()
}

export async function prepareMerchant({ ask, receiver, hasOwnChain, db, environmentId }) {
  // Only the localnet of the service mints coins; another treasury has been funded already.
  if (hasOwnChain)
    for (const [asset, amount] of Object.entries(funds))
      await ask('POST', '/v1/test/balances/fund', { asset, amount })
  else await fundEnvironments(db, [environmentId])
  // No endpoint listens to transfers here: the cost of a delivery is part of the life of a payment.
  const url = `http://127.0.0.1:${receiver.port}/quick`
  await ask('POST', '/v1/webhook-endpoints', { url, events: ['virtual_account.paid'] })
}

async function measureLives(site, selected, report) {
  const { node, options, shape } = site
  const pgbench = openPgbench(site.databaseUrl)
  if (pgbench)
    report.record(
      { key: 'tpcb', name: 'pgbench TPC-B, scale 1, 16 connections' },
      pgbench(options.seconds),
    )
  for (const life of selected) {
    const meta = { ...life, key: `${life.key} ${shape}`, shape, node: node.version }
    const { result: warm, plan } = await runLife(site, life, { count: options.warmRequests })
    console.log(`  warmed ${life.name}: ${formatResult(warm)}`)
    const bare = life.isWithoutBare ? undefined : await openBare(site, warm, plan)
    // Before the counters start: rows that are prepared are no part of a life.
    const bound = { seconds: options.seconds }
    const prepared = []
    while (prepared.length < options.rounds) prepared.push(await life.prepare?.(site, bound))
    const counters = await startCounters(site.db, { isSettled: options.isSplitIntoSteps })
    const lanes = await site.readLanes()
    let count = 0
    for (const preparedRound of prepared) {
      const { result } = await runLife(site, life, bound, preparedRound)
      count += result.sent
      report.record(meta, result)
    }
    report.describe(meta, {
      database: await counters.read(count),
      lanes: subtract(await site.readLanes(), lanes),
    })
    for (let round = 1; bare && round <= options.rounds; round += 1)
      report.record(
        { ...meta, key: `${meta.key}/bare`, name: 'bare Fastify, same bytes' },
        await bare.run(),
      )
    await bare?.stop()
    if (options.isSplitIntoSteps) report.describe(meta, { steps: await splitIntoSteps(site, life) })
  }
}

/** Two more rounds, because profiles and logged statements cost time themselves. */
async function splitIntoSteps(site, life) {
  const bound = { seconds: site.options.seconds }
  const profiled = await site.profile(() => runLife(site, life, bound))
  const prepared = await life.prepare?.(site, bound)
  const logged = await logStatements(site, () => runLife(site, life, bound, prepared))
  const perLife = (sums, { sent }) =>
    Object.fromEntries(Object.entries(sums).map(([step, us]) => [step, us / sent]))
  const node = {}
  for (const [index, profile] of profiled.profiles.entries()) {
    keepProfile(profile, { name: `${life.key}-${site.shape}-${index}`, ...profiled.result.result })
    for (const [step, us] of Object.entries(sumSteps(profile))) node[step] = (node[step] ?? 0) + us
  }
  const postgres = perLife(sumStatements(logged.statements), logged.result.result)
  const measured = Object.values(postgres).reduce((sum, us) => sum + us, 0)
  const executions = logged.statements.reduce((sum, one) => sum + one.executions, 0)
  return {
    node: perLife(node, profiled.result.result),
    postgres: {
      ...postgres,
      'outside statements': logged.result.result.cpu.postgres - measured,
    },
    statements: executions / logged.result.result.sent,
  }
}

function keepProfile(profile, { name, sent }) {
  if (!profilesFolder) return
  const file = path.join(profilesFolder, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
  writeFileSync(file, JSON.stringify({ ...profile, lives: sent }))
}

/** Runs `count` lives, or as many as start within `seconds`, until all have ended. */
export async function runLife(site, life, bound, preparedBefore) {
  const { roles, load, receiver } = site
  const prepared = preparedBefore ?? (await life.prepare?.(site, bound))
  const meter = startMeter({ ...roles, load: [load.pid, receiver.pid] })
  const startedAt = performance.now()
  const { sent, plan, sample, seconds } = await life.run(site, bound, prepared)
  const elapsed = seconds ?? (performance.now() - startedAt) / 1000
  return { plan, result: { sent, sample, perSecond: sent / elapsed, cpu: meter.read(sent) } }
}

async function send(site, plan, { count, seconds }) {
  return site.load.run({
    connections: site.options.connections,
    port: site.port,
    key: site.key,
    ...plan,
    count: count ?? plan.count,
    ...(seconds && { runMs: seconds * 1000 }),
  })
}

async function runTransfers(site, bound, route, body) {
  const plan = { method: 'POST', path: route, body: JSON.stringify(body) }
  const { sent, sample } = await send(site, plan, bound)
  const list = async (status) => (await site.ask('GET', `${route}?status=${status}&limit=1`)).items
  await until(async () => (await list('SUBMITTED')).length === 0)
  const failed = await list('FAILED')
  if (failed.length > 0) throw new Error(`a transfer failed: ${JSON.stringify(failed)}`)
  return { sent, sample, plan }
}

function runCryptoTransfers(site, bound) {
  return runTransfers(site, bound, '/v1/disbursements/crypto', {
    amount: '0.01',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: site.wallet,
    merchantReference: '#',
  })
}

async function prepareNotices(site, { count, seconds }) {
  const accounts = count ?? seconds * noticesPerSecondMax
  const first = site.accountsTaken + 1
  site.accountsTaken += accounts
  const { db, environmentId } = site
  await seedAccounts(db, { environmentId, amount: accountAmount, first, count: accounts })
  return {
    method: 'POST',
    path: '/rails/sandbox-bank/notices/test',
    count: accounts,
    notices: {
      key: deriveNoticeKey(site.secret).toString('hex'),
      first,
      amount: `${accountAmount}`,
    },
  }
}

async function runPayments(site, bound, plan) {
  const before = await countReceived(site)
  const { sent, sample } = await send(site, plan, bound)
  await until(async () => (await countReceived(site)) === before + sent)
  return { sent, sample, plan }
}

async function countReceived({ receiver }) {
  const paths = await receiver.ask('report')
  return paths.reduce((sum, { received }) => sum + received, 0)
}

/** The rate counts from the submission; processor time includes the upload and its validation. */
async function runBatch(site, { count = batchItems }) {
  const items = Math.min(count, batchItems)
  const numbers = Array.from({ length: items }, (_, index) =>
    toNuban({ bankCode: '058', serial: String(index).padStart(9, '0') }),
  )
  const csv = `accountNumber,bankCode,amountNaira\n${numbers.map((number) => `${number},058,500`).join('\n')}\n`
  const { reference } = await site.ask('POST', batchesPath, csv, 'text/csv')
  const read = () => site.ask('GET', `${batchesPath}/${reference}`)
  await until(async () => (await read()).status === 'READY')
  const startedAt = performance.now()
  await site.ask('POST', `${batchesPath}/${reference}/submit`, {})
  await until(async () => (await read()).status === 'COMPLETED')
  return { sent: items, seconds: (performance.now() - startedAt) / 1000 }
}

async function until(isTrue) {
  const end = Date.now() + endWithinMs
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('lives did not end in time')
    await sleep(pollIntervalMs)
  }
}

/** A Fastify server that answers the same requests with the same bytes. */
async function openBare(site, { sample }, plan) {
  const { node, options, load } = site
  const route = { method: plan.method, path: plan.path, ...sample }
  const bare = await startProcess('./bare.mjs', {
    args: [JSON.stringify([route])],
    node: node.file,
  })
  const runBare = async (bound) => {
    const meter = startMeter({ api: [bare.pid], load: [load.pid] })
    const result = await send({ ...site, port: bare.port }, plan, bound)
    return { ...result, cpu: meter.read(result.sent) }
  }
  await runBare({ count: Math.ceil(options.warmRequests / 4) })
  return { run: () => runBare({ seconds: Math.max(1, options.seconds / 2) }), stop: bare.stop }
}

function subtract(after, before) {
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]))
}
