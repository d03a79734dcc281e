import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { deriveNoticeKey } from '../../src/base/sealed.js'
import type { Secret } from '../../src/base/secret.js'
import type { ReportedPayment } from '../../src/collections/ports.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import {
  createSandboxBank,
  type SandboxBank,
} from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { isRunning, type Program, spawnServe, spawnWork } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { hasten } from './kill-site.js'
import { type PlannedPayment, planPayments } from './payment-plan.js'
import { type Aftermath, provePayments } from './payment-proof.js'
import {
  askUntilAnswered,
  decideMeanwhile,
  openAccount,
  openShops,
  type Shop,
} from './payment-shops.js'

export type Storm = {
  db: Database
  secret: Secret
  payments: number
  kills: number
  random: Random
  /** For conditions that become true by themselves, even on a slow machine. */
  patienceMs: number
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

type Crew = { urls: string[]; apis: Program[]; workers: Program[]; start: (() => Program)[] }

const apiCount = 2
const workerCount = 4
const connections = 48

/**
 * Payers pay right and wrong amounts, the bank sends each notice up to five times in any order,
 * merchants resolve payments, and API and workers are killed. Then everything settles, and ledger and
 * bank are compared.
 */
export async function paymentsStorm(storm: Storm): Promise<Aftermath> {
  const { db, random, secret } = storm
  const planned = planPayments(random, storm.payments)
  const crew = await startCrew(storm)
  const noticeKey = deriveNoticeKey(secret)
  const logger = createLogger('silent')
  const bank = createSandboxBank({ db, clock: systemClock, logger, noticeKey })
  const shops = await openShops(storm, crew.urls)
  await openAccounts({ bank, shops }, planned)
  const notices = await payAll({ bank, noticeKey }, planned)
  storm.say(`${planned.length} paid, ${notices.length} notices`)

  const deciding = decideMeanwhile(shops, random)
  const progress = { count: 0, of: notices.length }
  const killing = killSome(storm, crew, progress)
  await eachAtOnce(random.shuffle(notices), async (notice, index) => {
    await sendNotice(crew, notice, index)
    progress.count += 1
  })
  storm.say('all notices are sent')
  await killing
  const decided = await deciding.stop()
  await settle(storm, planned)
  await stopCrew(crew)
  storm.say(`at rest; merchants decided ${decided} times`)
  return provePayments({ db, bank, planned })
}

async function startCrew({ db, secret, onStart }: Storm): Promise<Crew> {
  const ports = await Promise.all(Array.from({ length: apiCount }, freePort))
  const noted = (program: Program) => {
    onStart(program)
    return program
  }
  const startApi = ports.map((port) => () => noted(spawnServe(db.url, secret.reveal(), port)))
  const startWorker = () => noted(spawnWork(db.url, secret.reveal()))
  const start = [...startApi, ...Array.from({ length: workerCount }, () => startWorker)]
  const apis = startApi.map((begin) => begin())
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(urls.map((url) => askUntilAnswered([url], '/health', {})))
  return { urls, apis, workers: Array.from({ length: workerCount }, startWorker), start }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert(address && typeof address === 'object')
  return address.port
}

async function openAccounts(
  { bank, shops }: { bank: SandboxBank; shops: Shop[] },
  planned: PlannedPayment[],
): Promise<void> {
  const accounts = [...new Set(planned.map(({ account }) => account))]
  await eachAtOnce(accounts, async (account) => {
    if (account.kind !== 'unknown') return openAccount(shops[account.shop]!, account)
    const order = { reference: account.name, name: 'Nobody', purpose: 'storm' }
    const [opened] = await bank.openAccounts([{ ...order, expected: null, customer: null }])
    assert(opened && 'number' in opened)
    account.number = opened.number
  })
}

type Notice = { body: string; signature: string }

/** The bank accepts the payment without a notice: the storm sends the notices. */
async function payAll(
  { bank, noticeKey }: { bank: SandboxBank; noticeKey: Buffer },
  planned: PlannedPayment[],
): Promise<Notice[]> {
  const notices: Notice[] = []
  await Promise.all(
    planned.map(async ({ id, kind, account, amount, currency, sender, copies }) => {
      const paidAt = kind === 'late' ? new Date(account.expiresAt.getTime() + 1) : new Date()
      const paid = await bank.receivePayment({
        id,
        accountNumber: account.number,
        amount,
        currency,
        ...sender,
        paidAt,
        copies,
        isSilent: true,
      })
      const notice = writeNotice(noticeKey, paid!)
      for (let copy = 0; copy < copies; copy += 1) notices.push(notice)
    }),
  )
  return notices
}

/** Signed independently, as documented. */
function writeNotice(key: Buffer, payment: ReportedPayment): Notice {
  const { amount, receivedAt, bankSessionId: sessionId, ...rest } = payment
  const data = { ...rest, sessionId, amount: `${amount}`, paidAt: receivedAt.toISOString() }
  const body = JSON.stringify({ event: 'payment.received', data })
  return { body, signature: createHmac('sha512', key).update(body).digest('hex') }
}

async function sendNotice(crew: Crew, { body, signature }: Notice, index: number): Promise<void> {
  const urls = index % 2 === 0 ? crew.urls : crew.urls.toReversed()
  const headers = { 'content-type': 'application/json', 'x-sandbox-signature': signature }
  const request = { method: 'POST', headers, body }
  const { status, text } = await askUntilAnswered(urls, '/rails/sandbox-bank/notices/test', request)
  assert.equal(status, 200, text)
}

/**
 * Kills processes while notices are sent: mostly workers, sometimes an API process. Each is replaced,
 * and one API process is always up.
 */
async function killSome(
  { random, kills, say }: Storm,
  crew: Crew,
  progress: { count: number; of: number },
): Promise<void> {
  for (let round = 1; round <= kills; round += 1) {
    while (progress.count < (progress.of * round) / (kills + 1)) await sleep(5)
    await sleep(random.integer(0, 100))
    const isApi = round % 3 === 0
    const crowd = isApi ? crew.apis : crew.workers
    const victim = random.integer(0, crowd.length - 1)
    crowd[victim]!.signal('SIGKILL')
    await crowd[victim]!.ended
    crowd[victim] = crew.start[isApi ? victim : apiCount + victim]!()
    say(`kill ${round}: ${isApi ? 'an API' : 'a worker'}, ${progress.count} notices sent`)
    if (isApi) await askUntilAnswered([crew.urls[victim]!], '/health', {})
  }
}

async function settle({ db, patienceMs }: Storm, planned: PlannedPayment[]): Promise<void> {
  await hasten(db, "notices where state in ('WAITING', 'UNMATCHED')")
  await hasten(db, "payment_returns where state = 'WAITING'")
  await hasten(db, "payout_attempts where state = 'LIVE'")
  const unknown = planned.filter(({ kind }) => kind === 'unknown').length
  const end = performance.now() + patienceMs
  for (;;) {
    const [open] = await db.rows(sql<{ notices: number; unmatched: number; returns: number }>`
      select (select count(*) from notices where state = 'WAITING')::int as notices,
        (select count(*) from notices where state = 'UNMATCHED')::int as unmatched,
        (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns`)
    const { notices, unmatched, returns } = open!
    if (notices === 0 && returns === 0 && unmatched === unknown) return
    assert(performance.now() < end, `it takes too long: ${JSON.stringify(open)}`)
    await sleep(50)
  }
}

async function stopCrew({ apis, workers }: Crew): Promise<void> {
  await Promise.all(
    [...apis, ...workers].map((program) => {
      if (isRunning(program.pid)) program.signal('SIGTERM')
      return program.ended
    }),
  )
}

async function eachAtOnce<Item>(
  items: Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries()
  const runOne = async () => {
    for (const [index, item] of waiting) await work(item, index)
  }
  await Promise.all(Array.from({ length: connections }, runOne))
}
