import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { EnvironmentId, Mode } from '../../../src/base/environment.js'
import { createLogger } from '../../../src/base/log.js'
import { Secret } from '../../../src/base/secret.js'
import { expireAccounts } from '../../../src/collections/accounts/end-accounts.js'
import { collectionLimits } from '../../../src/collections/limits.js'
import { confirmDueHints } from '../../../src/collections/notices/confirm-hints.js'
import { fetchMissedPayments } from '../../../src/collections/notices/fetch-missed-payments.js'
import { judgeDueNotices } from '../../../src/collections/notices/judge-due-notices.js'
import {
  createJudgingLane,
  createNoticeLane,
} from '../../../src/collections/notices/notice-lanes.js'
import type { BankRail } from '../../../src/collections/ports.js'
import { Rails } from '../../../src/collections/rails.js'
import { followReturns } from '../../../src/collections/returns/follow-returns.js'
import { sendReturns } from '../../../src/collections/returns/send-returns.js'
import { approveKyc } from '../../../src/merchants/kyc/kyc.js'
import { addBankAccount, makePrimary } from '../../../src/merchants/settings/bank-accounts.js'
import { reconcile } from '../../../src/operations/reconcile/reconcile.js'
import { followReversals } from '../../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../../src/payouts/attempts/poll-payouts.js'
import type { Difference } from '../../../src/payouts/reconciliation/compare-books.js'
import type { Database } from '../../../src/postgres/database.js'
import { connect } from '../../../src/postgres/wire/connection.js'
import { Unknown } from '../../../src/rails/bank/provider-client.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { openManilla, whenDone } from '../../support/open-manilla.js'
import type { BankTools, BankUnderTest } from './bank-under-test.js'
import { openNoticeRelay, type RelayedNotice } from './notice-relay.js'
import { openShop } from './shop.js'

const noChains = { test: undefined, live: undefined }

/** The service with one bank, in the bank's mode. The test advances the clock and runs the workers. */
export async function openWorld(
  openBank: (tools: BankTools) => Promise<BankUnderTest> | BankUnderTest,
) {
  const db = await freshDatabase()
  const clock = manualClock(new Date('2026-03-02T10:00:00.000Z'))
  const lines: string[] = []
  const logger = createLogger('trace', { write: (line) => lines.push(line) })
  const bank = await openBank({ db, clock, logger })
  const { rail, otherRail, mode, provider } = bank
  const otherMode = mode === 'live' ? 'test' : 'live'
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({
      [mode]: { payoutBank: rail, collectBank: rail, banks: [rail] },
      [otherMode]: { banks: otherRail ? [otherRail] : [] },
    }),
  })
  const laneTools = {
    connect: () => connect(db.url, 'contract'),
    clock,
    rails: new Map([[rail.name, rail]]),
  }
  const judging = createJudgingLane(laneTools)
  const notices = createNoticeLane(laneTools)
  whenDone(async () => {
    await bank.close()
    await Promise.all([judging.close(), notices.close()])
  })
  const post = ({ headers, body }: RelayedNotice, to: Mode = mode) =>
    service.ask('POST', `/rails/${provider}/notices/${to}`, { headers, body })
  const relay = await openNoticeRelay(post)
  bank.sendNoticesTo(relay.url)

  /** Runs every worker once. */
  async function work(): Promise<void> {
    const now = clock.now()
    await expireAccounts(db, now)
    await confirmDueHints({ db, rail, clock, logger, notices, judging }, now)
    await judgeDueNotices({ db, rail: rail.name, lane: judging, logger }, now)
    await sendReturns({ db, rail, clock, logger }, now)
    await pollPayouts({ db, rail, clock, logger, follow: followReturns }, now)
    await followReversals({ db, rail, logger, follow: followReturns }, now).catch(runLater)
  }

  /** Advances the clock by a step, runs the workers, and so on until it is true. */
  async function passUntil(
    isTrue: () => Promise<boolean>,
    { stepMs = 2_000, stepsMax = 60 } = {},
  ): Promise<void> {
    for (let step = 0; step < stepsMax; step += 1) {
      await bank.drainNotices()
      await work()
      if (await isTrue()) return
      clock.advance(stepMs)
      // Emulators work with timers.
      await sleep(2)
    }
    expect.fail('the workers did not bring it about')
  }

  /** Lists the bank's payments, as workers do from time to time. */
  async function fetchMissed(): Promise<number> {
    clock.advance(collectionLimits.missedPaymentsAgeMinMs + 1_000)
    const missed = await fetchMissedPayments({ db, rail, mode, logger }, clock.now())
    await judgeDueNotices({ db, rail: rail.name, lane: judging, logger }, clock.now())
    return missed
  }

  /** What `manilla reconcile` finds, also with a bank that reports something else. */
  async function compare(other: BankRail = rail): Promise<Difference[]> {
    const rails = { solana: noChains, rails: new Rails({ [mode]: { banks: [other] } }) }
    const [result] = await reconcile({ db, rails, confirmDelayMs: 1 }, clock.now())
    return result!.differences
  }

  return {
    db,
    clock,
    /** What the workers and the rail logged. */
    lines,
    bank,
    relay,
    post,
    work,
    passUntil,
    fetchMissed,
    compare,
    service,
    /** A merchant of its own, with helpers about its money. */
    async open() {
      const merchant = await service.addMerchant('Ada')
      if (mode === 'live') await approve(db, clock.now(), merchant.environments.live.id)
      return openShop({ service, bank, merchant, passUntil })
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** A job that got no answer runs again. */
function runLater(error: unknown): void {
  if (!(error instanceof Unknown)) throw error
}

/** What an operator does before a merchant can collect in live mode. */
async function approve(db: Database, now: Date, environmentId: EnvironmentId): Promise<void> {
  await db.transaction(async (tx) => {
    await approveKyc(tx, environmentId)
    const account = { bankCode: '058', accountNumber: '0123456789', accountName: 'Ada' }
    const { reference } = await addBankAccount(tx, now, { environmentId, ...account })
    await makePrimary(tx, { environmentId, reference })
  })
}
