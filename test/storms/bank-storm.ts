import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulators/emulator.js'
import { openEmulator, variablesFor } from '../../emulators/open-emulator.js'
import { after, systemClock } from '../../src/base/clock.js'
import { type Provider, readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import type { Secret } from '../../src/base/secret.js'
import { collectionLimits } from '../../src/collections/limits.js'
import { fetchMissedPayments } from '../../src/collections/notices/fetch-missed-payments.js'
import type { BankRail } from '../../src/collections/ports.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { openProviders } from '../../src/processes/open-banks.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { type Aftermath, proveBank } from './bank-proof.js'
import { changeBankWeather, decideFates, listOutgoing, reverseSome } from './bank-weather.js'
import { type Crew, eachAtOnce, killSome, replaceAll, startCrew, stopCrew } from './crew.js'
import { hasten } from './kill-site.js'
import { type PlannedAccount, type PlannedPayment, planPayments } from './payment-plan.js'
import {
  askUntilAnswered,
  decideMeanwhile,
  openAccount,
  openShops,
  type Shop,
} from './payment-shops.js'
import { untilNoneRemain } from './progress.js'

export type Storm = {
  provider: Provider
  db: Database
  secret: Secret
  payments: number
  payouts: number
  kills: number
  random: Random
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/** Answers to payouts, by key. */
export type Answers = Map<string, { body: object; text: string }>

type Scene = Storm & { emulator: Emulator; crew: Crew; rail: BankRail; shops: Shop[] }

/** Divides the provider's waiting times. */
const speed = 50
/** Whole naira, which every provider pays, and above the smallest account of every provider. */
const steps = { min: 10_000, step: 100 }
const funding = 1_000_000_000
/** A provider has no such accounts, currencies or amounts. */
const impossible = new Set(['unknown', 'foreign', 'zero'])
/** Accounts that expire sooner are paid late. */
const soonMs = 10_000
const transfersPath = '/v1/disbursements/bank-transfer'

/**
 * A provider's emulator runs here and is never killed; API and worker processes are. Accounts are
 * opened and paid, money is paid out and refunded, and notices, answers and payouts get lost, come
 * twice or late, fail or come back. Then the faults end, and both books are compared.
 */
export async function bankStorm(storm: Storm): Promise<Aftermath & { killsDuringWork: number }> {
  const { provider, db, secret, random } = storm
  const emulator = await openEmulator(provider, { clock: systemClock, speed })
  try {
    const variables = { BANK_TEST: provider, ...variablesFor(emulator, 'TEST') }
    const crew = await startCrew({ ...storm, variables, workers: 3 })
    const given = { ...variables, DATABASE_URL: db.url, MANILLA_SECRET: secret.reveal() }
    const tools = { config: readConfig(given), db, clock: systemClock, logger: silent }
    const rail = openProviders(tools, 'test').find((one) => one.provider === provider)
    assert(rail, 'the rail is configured')
    const scene = { ...storm, emulator, crew, rail, shops: await openShops(storm, crew.urls) }
    const { answers, killsDuringWork } = await rage(scene)
    await settle(scene)
    const changedAnswers = await repeatAnswers(scene, random.shuffle([...answers]).slice(0, 100))
    await stopCrew(crew)
    const proven = await proveBank({ db, emulator, rail, answers })
    return { ...proven, changedAnswers, killsDuringWork }
  } finally {
    await emulator.close()
  }
}

const silent = createLogger('silent')

async function rage(scene: Scene): Promise<{ answers: Answers; killsDuringWork: number }> {
  const { emulator, random, crew, shops } = scene
  const [payer] = shops
  await payer!.change('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: funding })
  const weather = changeBankWeather(emulator, random)
  const fates = decideFates(emulator, random, { reverses: true })
  const noticing = moveNotices(scene)
  const deciding = decideMeanwhile(shops, random, steps.step)

  const answers: Answers = new Map()
  const tasks = planTasks(scene, answers)
  const progress = { of: tasks.length, done: 0, underWay: 0, what: 'done' }
  const killing = killSome(scene, crew, progress)
  await eachAtOnce(tasks, (task, index) => task(index), progress)
  const killsDuringWork = await killing
  const decided = await deciding.stop()
  await weather.stop()
  await fates.stop()
  await noticing.stop()
  scene.say(`fair weather; merchants decided ${decided} times`)
  return { answers, killsDuringWork }
}

type Task = (index: number) => Promise<void>

function planTasks(scene: Scene, answers: Answers): Task[] {
  const { random } = scene
  const planned = planPayments(random, scene.payments, steps)
  const openings = new Map<PlannedAccount, Promise<void>>()
  const payments = planned
    .filter(({ kind }) => !impossible.has(kind))
    .map((payment) => () => pay(scene, openings, payment))
  const payouts = Array.from({ length: scene.payouts }, (_, number) => {
    const body = newPayout(random)
    return async (index: number) => {
      const text = await payOut(scene, { key: `payout ${number}`, body, index })
      answers.set(`payout ${number}`, { body, text })
    }
  })
  return random.shuffle([...payments, ...payouts])
}

/** Every payer waits for the account, which the first one has opened. */
async function pay(
  { emulator, shops, random }: Scene,
  openings: Map<PlannedAccount, Promise<void>>,
  { account, amount, copies }: PlannedPayment,
): Promise<void> {
  const opening = openings.get(account) ?? openAccount(shops[account.shop]!, account)
  openings.set(account, opening)
  await opening
  const expiresInMs = account.expiresAt.getTime() - Date.now()
  const isSoon = account.kind === 'virtual' && expiresInMs < soonMs
  if (isSoon && expiresInMs > 0) await sleep(expiresInMs + 1)
  const isSilent = random.integer(1, 20) === 1
  const paid = await emulator.pay({ accountNumber: account.number, amount, copies, isSilent })
  assert(paid, 'the provider knows the account that it opened')
}

function newPayout(random: Random): object {
  const serial = String(random.integer(100_000_000, 899_999_999))
  return {
    amount: random.integer(100, 5_000) * 100,
    bankCode: '058',
    accountNumber: toNuban({ bankCode: '058', serial }),
  }
}

/** Retries under one key until the payout is acknowledged. */
async function payOut(
  { crew, shops }: Scene,
  { key, body, index }: { key: string; body: object; index: number },
): Promise<string> {
  const { authorization } = shops[0]!
  const urls = index % 2 === 0 ? crew.urls : crew.urls.toReversed()
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const { status, text } = await askUntilAnswered(urls, transfersPath, request)
  assert.equal(status, 201, text)
  return text
}

async function repeatAnswers(
  scene: Scene,
  some: [string, { body: object; text: string }][],
): Promise<string[]> {
  const changed: string[] = []
  for (const [index, [key, { body, text }]] of some.entries())
    if ((await payOut(scene, { key, body, index })) !== text) changed.push(key)
  return changed
}

/** Notices go to one API process, then to the other: one of them may be down. */
function moveNotices({ emulator, crew, provider, random }: Scene): { stop(): Promise<void> } {
  let isOver = false
  const move = async () => {
    for (let turn = 0; !isOver; turn += 1) {
      emulator.sendNoticesTo(`${crew.urls[turn % crew.urls.length]}/rails/${provider}/notices/test`)
      await sleep(random.integer(200, 1_000))
    }
  }
  const moving = move()
  return {
    async stop() {
      isOver = true
      await moving
    },
  }
}

/** Without faults, everything ends: the provider's side first, then ours. */
async function settle(scene: Scene): Promise<void> {
  const { db, emulator, rail, random, crew } = scene
  const fates = decideFates(emulator, random, { reverses: false })
  await replaceAll(crew, async () => {
    // Requests of killed processes may still be in the emulator's sockets.
    await sleep(500)
    await letTimePass(db)
    await findMissed(scene)
  })
  await untilNoneRemain('nothing is open any more', async () => {
    const open = await countOpen(db)
    const ending = listOutgoing(emulator).filter(({ state }) => state === 'pending').length
    const isOpen = ending > 0 || Object.values(open).some((count) => count > 0)
    return isOpen && { ...open, ending }
  }).catch(async (error) => {
    console.log(await countOpen(db), await listOpenOrders(db))
    throw error
  })
  await fates.stop()
  reverseSome(emulator, random, Math.ceil(scene.payouts / 20))
  // Notices with a wrong signature are sent again for days.
  await Promise.race([emulator.drainNotices(), sleep(2_000)])
  const tools = { db, rail, logger: silent, follow: followReturns }
  await followReversals(tools, new Date())
  await untilNoneRemain('every notice is confirmed', async () => {
    const { hints, notices } = await countOpen(db)
    return hints + notices
  })
}

/**
 * Ends every lease and pause at once, including the pause between two requests for a refund. Only
 * while no process runs and lists are complete: as if all that time had passed.
 */
async function letTimePass(db: Database): Promise<void> {
  await hasten(db, "notices where state in ('WAITING', 'UNMATCHED')")
  await hasten(db, "notice_hints where state = 'OPEN'")
  await hasten(db, "payment_returns where state = 'WAITING'")
  await hasten(db, "payout_attempts where state = 'LIVE'")
  await db.rows(sql`update bank_orders set busy_until = now() where busy_until > now()`)
}

/** The job of the workers, after the minute in which a notice may still arrive. */
async function findMissed({ db, rail, say }: Scene): Promise<void> {
  const now = after(new Date(), collectionLimits.missedPaymentsAgeMinMs)
  const count = await fetchMissedPayments({ db, rail, mode: 'test', logger: silent }, now)
  await hasten(db, "notices where state = 'WAITING'")
  say(`${count} payments were found by listing at the end`)
}

/** For a person who polls for the reason. */
function listOpenOrders(db: Database): Promise<object[]> {
  return db.rows(sql<object>`
    select p.kind, p.amount, a.token, a.due_at, a.polls, o.sendings, o.refusals, o.refusal,
      o.busy_until from payout_attempts a
    join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    left join bank_orders o on o.rail = a.rail and o.token = a.token
    where a.state = 'LIVE' limit 20`)
}

type Open = { notices: number; hints: number; returns: number; payouts: number }

async function countOpen(db: Database): Promise<Open> {
  const [open] = await db.rows(sql<Open>`
    select (select count(*) from notices where state in ('WAITING', 'UNMATCHED'))::int as notices,
      (select count(*) from notice_hints where state = 'OPEN')::int as hints,
      (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns,
      (select count(*) from payouts where status = 'SUBMITTED')::int as payouts`)
  return open!
}
