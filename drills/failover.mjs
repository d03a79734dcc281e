/**
 * npm run drill:failover -- [--rounds 10] [--seed 123] [--keep]
 *
 * Runs the service on PostgreSQL under Patroni with the files under deploy/, loses the primary
 * again and again under load, and proves that no acknowledged write was lost or duplicated. Needs
 * Debian's packages; everything runs on loopback in a temporary folder. See
 * docs/operating/failover.md.
 */
import pg from 'pg'
import { startCluster } from './cluster.mjs'
import { Load } from './load.mjs'
import { ManillaProcesses } from './manilla-processes.mjs'
import { createMerchant } from './merchant.mjs'
import { proveEverything, waitForRest } from './proofs.mjs'
import { createRandom } from './random.mjs'
import { startReceiver } from './receiver.mjs'
import { printProofs, printRounds } from './report.mjs'
import { planRounds, runRound } from './rounds.mjs'
import { runDrill } from './run-drill.mjs'

const say = (line) => console.log(line)

async function drill({ site, options, programs }) {
  const { startChain } = await import('./chain.mjs')
  const random = createRandom(options.seed)
  say('Starting etcd, three PostgreSQL nodes under Patroni and HAProxy …')
  const cluster = await startCluster(site, programs)
  const chain = await startChain(site)
  const service = new ManillaProcesses(site, { databaseUrl: cluster.databaseUrl, chain })
  say('Starting two API processes and two workers …')
  await service.start({ apis: 2, workers: 2 })
  const merchant = await createMerchant(service, chain)
  const receiver = await startReceiver(site)
  const api = merchant.api()
  await api.write('/v1/webhook-endpoints', 'drill endpoint', { url: receiver.url, events: ['*'] })

  const load = new Load(merchant, random)
  load.start()
  const rounds = await runRounds({ cluster, service, load, random }, options.rounds)
  await load.stop()
  say(`\n${load.writes.length} writes acknowledged in ${load.attempts.length} requests`)
  printRounds(rounds)

  say('\nWaiting for everything to come to rest …')
  const db = new pg.Client(cluster.databaseUrl)
  // The statement in flight reports it.
  db.on('error', () => {})
  await db.connect()
  const scene = { api, chain, db, load, merchant, random, receiver, service, say }
  await waitForRest(scene)
  const isRight = printProofs(await proveEverything(scene))
  await db.end()
  await service.stop()
  await chain.stop()
  receiver.stop()
  return isRight
}

async function runRounds(scene, count) {
  const rounds = []
  for (const kind of planRounds(scene.random, count)) {
    const round = await runRound(scene, kind)
    rounds.push(round)
    say(
      `Round ${rounds.length} of ${count}: ${kind} of ${round.from}; ${round.to} took over, ` +
        `first write after ${(round.firstWriteMs / 1000).toFixed(1)} s, ` +
        `${JSON.stringify(round.reasons)}${round.died.length > 0 ? `, DIED: ${round.died}` : ''}`,
    )
  }
  return rounds
}

await runDrill(
  {
    name: 'Failover drill',
    defaults: { rounds: 4 },
    programs: ['postgres', 'etcd', 'patroni', 'haproxy'],
  },
  drill,
)
