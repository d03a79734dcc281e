import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { type Crew, startCrew, stopCrew } from './crew.js'
import { identifyAt } from './funded-merchant.js'
import type { Journal } from './journal.js'
import { JournalCallers } from './journal-callers.js'
import { advanceClock, expectedRefusals, takeSplitTurn } from './split-operations.js'
import { proveSplits } from './split-proof.js'
import { dayMs, openMarket, openSplitSite, reversingSerial, type SplitScene } from './split-site.js'
import { stormUntil, untilAtRest } from './storm-loop.js'

type Storm = {
  db: Database
  journal: Journal
  random: Random
  operations: number
  kills: number
  connections: number
  apis: number
  workers: number
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/** How often half a day passes. */
const advances = 10
const pollIntervalMs = 20
/** More than any seller owes. */
const largeAmount = 1_000_000_000

/**
 * Sales that are split, refunds, releases, transfers, payouts, settlements and closings of
 * sub-accounts, while API and worker processes are killed. At the end everything comes to rest and
 * is compared. Then sellers that owe something get money, and must owe nothing. Returns what is
 * wrong.
 */
export async function runSplitStorm(storm: Storm): Promise<string[]> {
  const site = await openSplitSite(storm.db)
  const crew = await startCrew({ ...storm, secret: site.secret })
  const callers = new JournalCallers({
    urls: crew.urls,
    journal: storm.journal,
    identify: identifyAt(site),
    expectedRefusals,
  })
  const scene = { ...storm, site, crew, callers }
  return run(scene).finally(() => stopCrew(crew))
}

async function run(scene: Storm & SplitScene & { crew: Crew }): Promise<string[]> {
  const { journal, site, kills, operations, say } = scene
  await openMarket(scene)
  const loop = {
    ...scene,
    takeTurn: createTurns(scene),
    countOpen: () => countOpen(site.db),
  }
  await stormUntil(loop, kills)
  say(`${journal.acknowledged} of ${operations} acknowledged; coming to rest`)
  await advanceClock(scene, 2 * dayMs)
  await untilAtRest(loop)
  const violations = await proveSplits(scene)
  if (violations.length > 0) return violations
  await describe(scene)
  await payDebts(scene)
  return proveSplits(scene)
}

/**
 * Turns of the callers, and of the clock after each share of the operations. The clock waits until
 * no sale is open: it would expire.
 */
function createTurns(scene: Storm & SplitScene): () => Promise<void> {
  const { callers, journal, operations } = scene
  let underWay = 0
  let advanced = 0
  let isAdvancing = false
  const pauseWhile = async (mustWait: () => boolean) => {
    while (mustWait() && !callers.isStopped) await sleep(pollIntervalMs)
  }
  return async () => {
    await pauseWhile(() => isAdvancing)
    if (journal.acknowledged >= ((advanced + 1) * operations) / (advances + 1)) {
      isAdvancing = true
      advanced += 1
      await pauseWhile(() => underWay > 0)
      await advanceClock(scene, dayMs / 2)
      isAdvancing = false
      return
    }
    underWay += 1
    await takeSplitTurn(scene).finally(() => {
      underWay -= 1
    })
  }
}

/** Money that sellers get pays first what they owe. */
async function payDebts({ site, callers }: SplitScene): Promise<void> {
  for (const reference of [...site.sellers.map((seller) => seller.reference), ...site.spenders]) {
    const path = `/v1/subaccounts/${reference}/transfers`
    const body = { from: 'merchant', asset: 'NGN', amount: largeAmount }
    await callers.send('transfer', 'key', path, body)
  }
}

type Figures = {
  shares: number
  released: number
  taken: number
  givenBack: number
  debts: number
  owed: bigint
  scheduled: number
  closed: number
}

/** What happened in the storm; each kind must have. */
async function describe({ site: { db }, say }: Storm & SplitScene): Promise<void> {
  const [figures] = await db.rows(sql<Figures>`
    select (select count(*) from payment_shares)::int as shares,
      (select count(*) from payment_shares where released_at is not null)::int as released,
      (select count(*) from share_take_backs)::int as taken,
      (select count(*) from share_take_backs where state = 'GIVEN_BACK')::int as given_back,
      (select count(*) from share_take_backs where owed > 0)::int as debts,
      (select coalesce(sum(debits_posted - credits_posted), 0) from ledger_accounts
        where name like 'sub_owed:%')::int8 as owed,
      (select count(*) from settlements where scheduled_for is not null)::int as scheduled,
      (select count(*) from subaccounts where status = 'CLOSED')::int as closed`)
  const named = Object.entries(figures!)
  say(named.map(([name, count]) => `${name}: ${count}`).join(', '))
  const missing = named.filter(([, count]) => Number(count) === 0).map(([name]) => name)
  if (missing.length > 0) throw new Error(`the storm had none of these: ${missing.join(', ')}`)
}

/** Also what the bank has not sent back yet. */
async function countOpen(db: Database): Promise<Record<string, number>> {
  const reversing = `${reversingSerial}%`
  const [open] = await db.rows(sql<Record<string, number>>`
    select (select count(*) from payouts where status in ('PENDING', 'SUBMITTED')
        or (status = 'COMPLETED' and destination ->> 'accountNumber' like ${reversing})
      )::int as payouts,
      (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns,
      (select count(*) from notices where state = 'WAITING')::int as notices,
      (select count(*) from share_take_backs where state = 'GIVING_BACK')::int as take_backs,
      (select count(*) from payment_shares
        where status = 'PENDING' and due_at <= now())::int as releases,
      (select count(*) from settlement_schedules where due_at <= now())::int as settlements,
      (select count(*) from subaccounts where closing_payout_id is not null)::int as closings,
      (select count(*) from sandbox_payments s where not exists
        (select from payments p where p.rail_id = s.id))::int as unpaid`)
  return open!
}
