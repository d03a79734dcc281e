/**
 * npm run drill:upgrade -- [--from <commit>] [--seconds 10] [--seed 123] [--keep]
 *
 * Runs the previous version under load, migrates with this one, runs both side by side, stops the
 * previous one, and proves that no write was lost, doubled or refused. If a migration demands it, the
 * previous version is stopped before, and callers retry. Follows docs/operating/upgrade.md. Needs Debian's PostgreSQL; everything runs on loopback in a temporary
 * folder. The previous version is the newest without this one's newest migrations, unless `--from`
 * names another.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startStockServer } from '../tools/stock-postgres.mjs'
import { Load } from './load.mjs'
import { ManillaProcesses } from './manilla-processes.mjs'
import { createMerchant } from './merchant.mjs'
import { buildVersion, findPrevious } from './previous-version.mjs'
import { proveEverything, waitForRest } from './proofs.mjs'
import { createRandom } from './random.mjs'
import { startReceiver } from './receiver.mjs'
import { printPhases, printProofs } from './report.mjs'
import { runDrill } from './run-drill.mjs'

const say = (line) => console.log(line)

async function drill({ site, options: { from, seconds, seed } }) {
  const { startChain } = await import('./chain.mjs')
  const previous = await buildVersion(site, from || findPrevious())
  say(`The previous version: ${previous.commit}`)
  // Two versions, each with its own connections.
  const server = await startStockServer(site, { max_connections: '300' })
  const chain = await startChain(site)
  const random = createRandom(seed)
  const databaseUrl = server.url
  const root = previous.folder
  const old = new ManillaProcesses(site, { databaseUrl, chain, root, name: 'old-' })
  const { secret } = old
  const current = new ManillaProcesses(site, { databaseUrl, chain, secret, name: 'new-' })

  await old.start({ apis: 1, workers: 1 })
  // The addresses that the load balancer knows; they change during the drill.
  const urls = [...old.urls]
  const merchant = await createMerchant({ urls, run: (...words) => old.run(...words) }, chain)
  const receiver = await startReceiver(site)
  const api = merchant.api()
  await api.write('/v1/webhook-endpoints', 'drill endpoint', { url: receiver.url, events: ['*'] })
  const load = new Load(merchant, random)
  const phases = []
  const phase = async (name, work) => {
    const startedAt = performance.now()
    const result = await work()
    const endedAt = performance.now()
    phases.push({ name, startedAt, endedAt })
    return result
  }

  load.start()
  await phase('old alone', () => sleep(seconds * 1000))
  const needsStop = (await current.check('migrate', '--dry-run')).code !== 0
  const oldCount = old.urls.length
  if (needsStop) await phase('old stops', () => old.stop())
  say(await phase('migrate', () => current.run('migrate')))
  await phase('new starts', () => current.start({ apis: 1, workers: 1 }))
  urls.push(...current.urls)
  if (!needsStop) await phase('side by side', () => sleep(seconds * 1000))
  urls.splice(0, oldCount)
  if (!needsStop) await phase('old stops', () => old.stop())
  await phase('new alone', () => sleep(seconds * 1000))
  await load.stop()
  say(`${load.writes.length} writes acknowledged in ${load.attempts.length} requests`)
  printPhases(phases, load.attempts)

  say('\nWaiting for everything to come to rest …')
  const db = new pg.Client(databaseUrl)
  await db.connect()
  const scene = { api, chain, db, load, merchant, random, receiver, service: current, say }
  await waitForRest(scene)
  const isRight = printProofs([
    { claim: 'No process of the previous version died', found: old.deaths.map(({ why }) => why) },
    ...(needsStop ? [] : [proveEveryRequestServed(load)]),
    ...(await proveEverything(scene)),
  ])
  await db.end()
  await current.stop()
  await chain.stop()
  receiver.stop()
  return isRight
}

/** An upgrade side by side needs no retry. */
function proveEveryRequestServed({ attempts }) {
  const failed = attempts.filter(({ status }) => status === undefined || status >= 500)
  return {
    claim: `Every request was served (${attempts.length})`,
    found: failed.map(({ status, reason }) => `${status ?? ''} ${reason}`),
  }
}

await runDrill({ name: 'Upgrade drill', defaults: { from: '', seconds: 10 }, programs: [] }, drill)
