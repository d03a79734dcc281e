import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { sweepLimits } from '../../src/wallets/limits.js'
import { type Program, startProgram } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { Payers, type Sweeping } from './deposit-payers.js'
import { type Aftermath, proveDeposits, readBooked, readDeposits } from './deposit-proof.js'
import { openShops, openWallets, type PlannedWallet } from './deposit-shops.js'
import { hasten, kill, victims } from './kill-site.js'
import { untilNoneRemain } from './progress.js'
import { databaseUrlOf, hurry, openSite, type Site } from './storm-site.js'
import { randomWeather } from './weather.js'

/** In blocks. After this many, earlier transactions have landed or never will. */
const longestDelay = 20

const quiet = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent' }

export type Storm = {
  home: string
  kills: number
  deposits: number
  wallets: number
  connections: number
  random: Random
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

type Scene = Storm & { payers: Payers; planned: PlannedWallet[] }

/**
 * Payers deposit right and wrong amounts, repeatedly and during sweeps; nodes lose, refuse and lag;
 * processes are killed during sweeps. Then the faults end, and the chain is compared with the ledger.
 */
export async function depositsStorm(
  storm: Storm,
): Promise<Aftermath & { killsDuringSweeps: number }> {
  const { home, random, kills, deposits, say } = storm
  let program = await start(storm)
  const db = openDatabase(home)
  const shops = await openShops(db, home)
  await db.close()
  const site = openSite(home)
  const planned = await openWallets(site, { random, shops, count: storm.wallets })
  const payers = new Payers(random, planned)
  await payers.equip(site.chain)
  const scene = { ...storm, payers, planned }
  say(`${planned.length} wallets are open`)
  let duringSweeps = 0
  for (let round = 1; round <= kills; round += 1) {
    const ends = await burst(scene, Math.ceil((deposits * round) / (kills + 1)))
    const victim = random.pick(victims)
    const underWay = payers.sweeping.length
    if (underWay > 0) duringSweeps += 1
    await kill(home, program, victim)
    await ends()
    const sum = `${payers.answers.size} answered, ${payers.open.size} not`
    say(`kill ${round} (${victim}) while ${underWay} wallets were swept: ${sum}`)
    program = await start(storm)
  }
  say(`${duringSweeps} of ${kills} kills fell while coins were swept`)
  const ends = await burst(scene, deposits)
  await ends()
  await settle(scene)
  const aftermath = await proveDeposits({ ...scene, program })
  return { ...aftermath, killsDuringSweeps: duringSweeps }
}

async function start({ home, onStart }: Storm): Promise<Program> {
  const program = await startProgram(home, quiet)
  onStart(program)
  const db = openDatabase(home)
  const due = ['token_accounts', "sweeps where state = 'LIVE'", "notices where state = 'WAITING'"]
  for (const rows of due) await hasten(db, rows)
  await db.close()
  return program
}

function openDatabase(home: string): Database {
  return new Database(databaseUrlOf(home), () => {})
}

/** Waits for this many answers and a running sweep, and a random moment more. */
async function burst(scene: Scene, wanted: number) {
  const { home, payers, random, connections } = scene
  const site = openSite(home)
  const weather = await changeWeather(site, random)
  const paying = payers.run(site, { connections, wanted })
  const db = openDatabase(home)
  await untilNoneRemain(`${wanted} are answered while coins are swept`, async () => {
    payers.sweeping = await listSweeping(db)
    const isReached = payers.answers.size >= wanted && payers.sweeping.length > 0
    return !isReached && { answered: payers.answers.size, sweeping: payers.sweeping.length }
  })
  await db.close()
  await sleep(random.integer(20, 500))
  return async () => {
    await Promise.all([paying.stop(), weather.stop()])
  }
}

function listSweeping(db: Database): Promise<Sweeping[]> {
  return db.rows(sql<Sweeping>`
    select a.number as address, s.asset, trim_scale(p.amount / 1000000::numeric)::text as amount
    from sweep_parts p join sweeps s on s.rail = p.rail and s.id = p.sweep_id
    join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
    where p.is_live`)
}

/** Faults live in the chain's memory, so a new process starts without any. */
async function changeWeather({ chain }: Site, random: Random) {
  let isOver = false
  const change = async () => {
    while (!isOver) {
      const rules = randomWeather(random).map((rule) => {
        return rule.fault === 'delay' ? { ...rule, slots: random.integer(1, longestDelay) } : rule
      })
      await chain.call('localnet_setFaults', rules).catch(() => {})
      await sleep(random.integer(50, 400))
    }
  }
  const changing = change()
  return {
    async stop() {
      isOver = true
      await changing
    },
  }
}

/** Without faults: every deposit is judged, and swept if worth it. */
async function settle(scene: Scene): Promise<void> {
  const { home, payers, planned, say } = scene
  const site = openSite(home)
  // Setting faults may fail by a fault itself.
  await untilNoneRemain('the weather clears', () =>
    site.chain.call('localnet_setFaults', []).then(
      () => false,
      () => 'a fault',
    ),
  )
  await payers.retryOpen(site)
  // Delayed or unanswered transactions have landed or never will.
  await untilNothingCanLand(site)
  const { deposits } = await readDeposits(site.chain, { payers, planned })
  say(`fair weather: ${payers.answers.size} answered, ${deposits.length} deposits on the chain`)
  const db = openDatabase(home)
  await untilNoneRemain('all is judged and swept', async () => {
    await hurry(site.chain)
    const { payments, refused } = await readBooked(db)
    const unjudged = Math.max(0, deposits.length - payments.length - refused.length)
    const open = await countOpen(db)
    return (unjudged > 0 || open > 0) && { unjudged, open }
  })
  await db.close()
}

async function untilNothingCanLand({ chain }: Site): Promise<void> {
  const height = () => chain.call<number>('getBlockHeight', { commitment: 'finalized' })
  const first = await chain.call<number>('getBlockHeight', { commitment: 'processed' })
  await untilNoneRemain('what was delayed is final', async () => {
    await hurry(chain)
    return Math.max(0, first + longestDelay + 1 - (await height()))
  })
}

async function countOpen(db: Database): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`
    select ((select count(*) from notices where state = 'WAITING')
      + (select count(*) from sweeps where state = 'LIVE')
      + (select count(*) from token_accounts t
        join collection_accounts a on a.rail = t.rail and a.rail_account = t.wallet
        where t.is_unread or t.has_trouble or (t.asset = coalesce(a.asset, t.asset) and t.amount >=
          case when a.kind = 'crypto_wallet' then 1 else ${sweepLimits.amountMin} end)
      ))::int as count`)
  return row!.count
}
