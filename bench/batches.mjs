/**
 * npm run bench:batches: one batch of bank transfers and one of crypto transfers, 10,000 items
 * each, through the real API and two real workers. Kills a worker during validation and payment,
 * and the API in the middle of the submission; then proves that every item was paid once.
 *
 *   node bench/batches.mjs [items]
 */
import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { base58 } from '@scure/base'
import { buildOrExit } from '../bin/build-when-needed.mjs'

const items = Number(process.argv[2] ?? 10_000)
const kills = Number(process.env.BATCHES_KILLS ?? 2)
/** `bank` or `crypto`; empty: both. */
const only = process.env.BATCHES_ONLY ?? ''
const pollIntervalMs = 100
const timeoutMs = 10 * 60_000
const path = '/v1/disbursements/batches'
const program = fileURLToPath(new URL('../bin/manilla.mjs', import.meta.url))

/** Workers that must not outlive this process. */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

await buildOrExit()
const { fromReference, newId, prefixes } = await import('../dist/base/ids.js')
const { fundAll } = await import('../dist/ledger/fund.js')
const { toNuban } = await import('../dist/simulation/sandbox-bank/nuban.js')
const { openChain } = await import('./chain.mjs')
const { startService } = await import('./start-manilla.mjs')
const { assertLedgerIsClean, openBooks, withWorkbench } = await import('./workbench.mjs')

await withWorkbench({ max_connections: '400' }, async (bench) => {
  const books = await openBooks({ folder: bench.folder, databaseUrl: bench.serverUrl })
  await fund(books)
  const chain = await openChain(bench.folder)
  const env = { ...books.env, ...chain.configFor(chain.url), RATE_LIMIT_PER_SECOND: '0' }
  const site = { books, env, service: await startApi(env), workers: [], kills: 0 }
  site.workers.push(startWorker(env), startWorker(env))
  try {
    if (only !== 'crypto') await measure(site, bankBatch())
    if (only !== 'bank') await measure(site, cryptoBatch())
  } finally {
    for (const worker of site.workers) worker.kill('SIGTERM')
    await Promise.all(site.workers.map((worker) => worker.ended))
    await site.service.stop()
  }
  await assertLedgerIsClean(books.db)
  reconcile(env)
  await chain.stop()
  await books.db.close()
})

/** As many coins as the treasury of `openChain` has, so that the books agree with the chain. */
async function fund({ db, environmentId }) {
  const now = new Date()
  const purpose = 'operator_credit'
  const fundings = Object.entries({ USDC: 10n ** 15n, NGN: 10n ** 14n }).map(([asset, amount]) => ({
    id: newId(now),
    environmentId,
    asset,
    amount,
    purpose,
  }))
  await db.transaction((tx) => fundAll(tx, now, fundings))
}

function bankBatch() {
  const numbers = Array.from({ length: items }, (_, index) =>
    toNuban({ bankCode: '058', serial: String(index).padStart(9, '0') }),
  )
  return {
    title: 'bank transfers',
    csv: `accountNumber,bankCode,amountNaira\n${numbers.map((one) => `${one},058,500`).join('\n')}\n`,
  }
}

function cryptoBatch() {
  const rows = Array.from({ length: items }, () => `${newWallet()},0.25,USDC`)
  return { title: 'crypto transfers', csv: `destinationAddress,amount,asset\n${rows.join('\n')}\n` }
}

function newWallet() {
  const { publicKey } = generateKeyPairSync('ed25519')
  return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
}

async function measure(site, { title, csv }) {
  console.log(`\n${items.toLocaleString('en')} ${title}`)
  const killsBefore = site.kills
  const created = await timed(() => send(site, path, { body: csv, type: 'text/csv' }))
  const { reference } = created.value
  report('create', created.ms)
  const validated = await timed(() =>
    follow(site, reference, { isDone: ({ status }) => status !== 'VALIDATING', of: 'validated' }),
  )
  report('validate', validated.ms)
  if (validated.value.status !== 'READY') throw new Error(JSON.stringify(validated.value))
  const submitted = await timed(() => submitWithKill(site, reference))
  report('submit, with a killed API', submitted.ms)
  const paid = await timed(() =>
    follow(site, reference, { isDone: ({ status }) => status === 'COMPLETED', of: 'processed' }),
  )
  report('until every item is a transfer', site.processedMs)
  report('until every transfer has ended', paid.ms)
  const { counts } = paid.value
  console.log(`  kills: ${site.kills - killsBefore}; results: ${JSON.stringify(counts)}`)
  await proveOnce(site.books.db, reference)
}

function report(what, ms) {
  const rate = Math.round((items / ms) * 1_000).toLocaleString('en')
  console.log(`  ${what}: ${(ms / 1_000).toFixed(1)} s (${rate} items/s)`)
}

async function timed(work) {
  const started = performance.now()
  const value = await work()
  return { value, ms: performance.now() - started }
}

/** Polls the batch and kills a worker at each part of the progress. */
async function follow(site, reference, { isDone, of }) {
  const endMs = Date.now() + timeoutMs
  const startedMs = performance.now()
  let killed = 0
  for (;;) {
    const batch = await read(site, reference)
    if (batch.progress.processed < items) site.processedMs = performance.now() - startedMs
    if (isDone(batch)) return batch
    if (Date.now() > endMs) throw new Error(`not done in time: ${JSON.stringify(batch)}`)
    if (killed < kills && batch.progress[of] > (items * (killed + 1)) / (kills + 2)) {
      killed += 1
      await killWorker(site, killed % 2)
    }
    await sleep(pollIntervalMs)
  }
}

async function killWorker(site, index) {
  const worker = site.workers[index]
  worker.kill('SIGKILL')
  await worker.ended
  site.kills += 1
  site.workers[index] = startWorker(site.env)
}

/** The answer is lost with the process; the same key finds out what happened. */
async function submitWithKill(site, reference) {
  const key = randomUUID()
  const url = `${path}/${reference}/submit`
  const lost = send(site, url, { body: '{}', key }).catch(() => undefined)
  await sleep(5)
  process.kill(site.service.pid, 'SIGKILL')
  site.kills += 1
  await lost
  site.service = await startApi(site.env)
  return send(site, url, { body: '{}', key })
}

async function read(site, reference) {
  const response = await fetch(`${site.service.url}${path}/${reference}`, {
    headers: { authorization: `Bearer ${site.books.key}` },
  })
  return (await response.json()).data
}

async function send(site, url, { body, type = 'application/json', key = randomUUID() }) {
  const response = await fetch(site.service.url + url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${site.books.key}`,
      'content-type': type,
      'idempotency-key': key,
    },
    body,
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer.data
}

async function proveOnce(db, reference) {
  const id = fromReference(prefixes.payoutBatch, reference)
  const [row] = await db.rows({
    text: `select count(*)::int as payouts, count(distinct batch_item)::int as items
      from payouts where batch_id = $1`,
    values: [id],
  })
  const doubled = row.payouts - row.items
  const lost = items - row.items
  console.log(`  payouts: ${row.payouts}; doubled: ${doubled}; lost: ${lost}`)
  if (doubled !== 0 || lost !== 0) process.exitCode = 1
}

function startApi(env) {
  return startService('manilla.mjs', { words: ['serve'], env })
}

function startWorker(env) {
  const child = spawn(process.execPath, [program, 'work'], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', process.env.BENCH_LOGS ? 'inherit' : 'ignore'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.ended = new Promise((resolve) => child.once('exit', resolve))
  return child
}

function reconcile(env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'reconcile'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  console.log(stdout.trim() || stderr.trim())
  if (status !== 0) process.exitCode = 1
}
