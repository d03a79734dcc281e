import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
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
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { type Crew, eachAtOnce, killSome, startCrew, stopCrew } from './crew.js'
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

import { retryWork, untilNoneRemain } from './progress.js'

export type Storm = {
  db: Database
  secret: Secret
  payments: number
  kills: number
  random: Random
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

/**
 * Payers pay right and wrong amounts, the bank sends each notice up to five times in any order,
 * merchants resolve payments, and API and workers are killed. Then everything settles, and ledger and
 * bank are compared.
 */
export async function paymentsStorm(
  storm: Storm,
): Promise<Aftermath & { killsDuringWork: number }> {
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
  const progress = { of: notices.length, done: 0, underWay: 0, what: 'notices sent' }
  const killing = killSome(storm, crew, progress)
  await eachAtOnce(
    random.shuffle(notices),
    (notice, index) => sendNotice(crew, notice, index),
    progress,
  )
  storm.say('all notices are sent')
  const killsDuringWork = await killing
  const decided = await deciding.stop()
  await settle(storm, planned)
  await stopCrew(crew)
  storm.say(`at rest; merchants decided ${decided} times`)
  return { ...(await provePayments({ db, bank, planned })), killsDuringWork }
}

async function openAccounts(
  { bank, shops }: { bank: SandboxBank; shops: Shop[] },
  planned: PlannedPayment[],
): Promise<void> {
  const accounts = [...new Set(planned.map(({ account }) => account))]
  await eachAtOnce(accounts, async (account) => {
    if (account.kind !== 'unknown') return openAccount(shops[account.shop]!, account)
    const order = { reference: account.name, name: 'Nobody', purpose: 'storm' }
    const opening = { ...order, expected: null, customer: null }
    const [opened] = await retryWork(() => bank.openAccounts([opening]))
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
  await eachAtOnce(planned, async ({ id, kind, account, amount, currency, sender, copies }) => {
    const paidAt = kind === 'late' ? new Date(account.expiresAt.getTime() + 1) : new Date()
    const paid = await retryWork(() =>
      bank.receivePayment({
        id,
        accountNumber: account.number,
        amount,
        currency,
        ...sender,
        paidAt,
        copies,
        isSilent: true,
      }),
    )
    const notice = writeNotice(noticeKey, paid!)
    for (let copy = 0; copy < copies; copy += 1) notices.push(notice)
  })
  return notices
}

/** Signed independently, as documented. */
function writeNotice(key: Buffer, payment: ReportedPayment): Notice {
  const { id, railAccount, amount, currency, sender, narration, receivedAt } = payment
  const data = {
    id,
    accountNumber: railAccount,
    amount: `${amount}`,
    currency,
    sender,
    narration,
    sessionId: payment.bankSessionId,
    paidAt: receivedAt.toISOString(),
  }
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

async function settle({ db }: Storm, planned: PlannedPayment[]): Promise<void> {
  await hasten(db, "notices where state in ('WAITING', 'UNMATCHED')")
  await hasten(db, "payment_returns where state = 'WAITING'")
  await hasten(db, "payout_attempts where state = 'LIVE'")
  const unknown = planned.filter(({ kind }) => kind === 'unknown').length
  await untilNoneRemain('every payment is judged and every return has ended', async () => {
    const [open] = await db.rows(sql<{ notices: number; unmatched: number; returns: number }>`
      select (select count(*) from notices where state = 'WAITING')::int as notices,
        (select count(*) from notices where state = 'UNMATCHED')::int as unmatched,
        (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns`)
    const { notices, unmatched, returns } = open!
    return (notices > 0 || returns > 0 || unmatched !== unknown) && open
  })
}
