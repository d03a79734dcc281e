import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../src/postgres/database.js'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { type Program, startProgram } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { hasten, kill, victims } from './kill-site.js'
import { Callers } from './payout-callers.js'
import { type Aftermath, proveAftermath } from './payout-proof.js'
import { untilNoneRemain } from './progress.js'
import { databaseUrlOf, hurry, openSite, type Site } from './storm-site.js'
import { randomWeather } from './weather.js'

const quiet = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent' }

export type Storm = {
  home: string
  kills: number
  payouts: number
  wallets: number
  connections: number
  random: Random
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/** Transfers to this wallet are lost during the storm. */
type Scene = Storm & { callers: Callers; hole: string }

/**
 * Many callers pay out while the chain loses, delays, fails and refuses transactions and processes
 * are killed at random moments. Then the faults end, every unanswered key is retried, and the chain
 * is compared with the ledger.
 */
export async function payoutStorm(storm: Storm): Promise<Aftermath & { killsDuringWork: number }> {
  const { random, kills, payouts } = storm
  const wallets = await Promise.all(Array.from({ length: storm.wallets }, newWallet))
  const [failing = '', , late = ''] = magicWallets.map(({ address }) => address)
  const callers = new Callers(random, [...wallets, failing, late])
  const scene = { ...storm, callers, hole: wallets[0]! }

  let program = await start(scene)
  await callers.fund(openSite(storm.home), payouts)
  let duringWork = 0
  for (let round = 1; round <= kills; round += 1) {
    const before = callers.answers.size
    const { callersEnd, weatherEnds } = await burst(scene, (payouts * round) / (kills + 1))
    const victim = random.pick(victims)
    const { underWay } = callers
    if (underWay > 0) duringWork += 1
    await kill(storm.home, program, victim)
    await Promise.all([callersEnd(), weatherEnds()])
    const answered = callers.answers.size - before
    const sum = `${answered} answered, ${callers.open.size} not`
    storm.say(`kill ${round} (${victim}) with ${underWay} requests under way: ${sum}`)
    program = await start(scene)
  }
  storm.say(`${duringWork} of ${kills} kills fell while requests were under way`)
  const { callersEnd, weatherEnds } = await burst(scene, payouts)
  const lost = await callers.payInto(openSite(storm.home), scene.hole)
  await callersEnd()
  await untilSignedAnew(scene, lost)
  await weatherEnds()
  await settle(scene)
  const aftermath = await proveAftermath({ ...storm, callers, program })
  return { ...aftermath, killsDuringWork: duringWork }
}

async function start({ home, onStart }: Storm): Promise<Program> {
  const program = await startProgram(home, quiet)
  onStart(program)
  const db = new Database(databaseUrlOf(home), () => {})
  await hasten(db, "payout_attempts where state = 'LIVE'")
  await db.close()
  return program
}

/** Waits for this many answers and a random moment more. */
async function burst(scene: Scene, answered: number) {
  const { callers, random, hole } = scene
  const site = openSite(scene.home)
  const weather = await changeWeather(site, random, hole)
  const bursting = callers.run(site, scene.connections)
  await untilNoneRemain('payouts are answered', () => Math.max(0, answered - callers.answers.size))
  await sleep(random.integer(20, 500))
  return { callersEnd: bursting.stop, weatherEnds: weather.stop }
}

/** Faults live in the chain's memory, so a new process starts without any. */
async function changeWeather({ chain }: Site, random: Random, hole: string) {
  let isOver = false
  const lost = { match: { account: hole }, fault: 'drop' } as const
  const set = () => chain.call('localnet_setFaults', [lost, ...randomWeather(random)])
  const change = async () => {
    while (!isOver) {
      await sleep(random.integer(50, 400))
      await set().catch(() => {}) // it may have been killed
    }
  }
  await set()
  const changing = change()
  return {
    async stop() {
      isOver = true
      await changing
    },
  }
}

/** Lost attempts expired and were replaced during the storm. */
async function untilSignedAnew(scene: Scene, reference: string): Promise<void> {
  const { api, chain } = openSite(scene.home)
  const blockhashLife = 150
  let blocks = 0
  await untilNoneRemain('a lost payout is signed anew', async () => {
    await hurry(chain)
    blocks += 1
    const { attempts } = await api.get(`/v1/disbursements/crypto/${reference}`)
    return attempts.length > 1 ? 0 : Math.max(1, blockhashLife - blocks)
  })
}

/** Without faults: unanswered requests are retried, and every payout reaches a final state. */
async function settle(scene: Scene): Promise<void> {
  const { api, chain } = openSite(scene.home)
  await chain.call('localnet_setFaults', [])
  await scene.callers.retryOpen(openSite(scene.home))
  scene.say(`fair weather: ${scene.callers.answers.size} answered`)
  await untilNoneRemain('nothing is open any more', async () => {
    await hurry(chain)
    const { items } = await api.get('/v1/disbursements/crypto?status=SUBMITTED&limit=1')
    return items.length > 0 && items[0].reference
  })
}
