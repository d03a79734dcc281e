import { strict as assert } from 'node:assert'
import { after, type Clock, type RealTime } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { isWithinSendTime, readLiveAttempts } from '../../payouts/attempts/live-attempts.js'
import { isTreasuryShort } from '../../payouts/attempts/unfinished-payouts.js'
import { findFrozen } from '../../payouts/freezes/find-frozen.js'
import { returnKindOf } from '../../payouts/payout.js'
import type { PayoutRail } from '../../payouts/ports.js'
import {
  createPayouts,
  type NewPayout,
  readForPayouts,
} from '../../payouts/requests/create-payouts.js'
import { isRailPaused } from '../../payouts/requests/paused-rails.js'
import { reportShortfall } from '../../payouts/requests/report-shortfall.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable, whileLeased } from '../../postgres/due.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { collectionLimits } from '../limits.js'
import { lockWithAccounts, shiftPayments } from '../payments/shift-payments.js'
import { prepareReturns, type ReturnToSend } from './prepare-returns.js'
import {
  changeReturnStates,
  lockReturns,
  type Return,
  type ReturnRow,
  returnColumns,
  toReturn,
} from './store-returns.js'

type ReturnDependencies = { db: Database; rail: PayoutRail; clock: Clock; logger: Logger }

export const returnsDue: DueTable = {
  table: 'payment_returns',
  keyColumns: ['environment_id', 'id'],
  openCondition: "state = 'WAITING'",
  ownerColumn: 'rail',
  counterColumn: 'tries',
  returning: `${returnColumns('job')}, job.tries as attempts,
    (select e.clock_offset_ms::float8 from environments e where e.id = job.environment_id)
      as clock_offset_ms`,
}

type ClaimedReturn = ReturnToSend & { attempts: number }

/**
 * Creates and sends the payouts of due returns. Money that the rail refuses for good, or too many
 * times, is held: the merchant has to name another destination. What is frozen waits, and uses up
 * no tries. Returns how many were due.
 */
export async function sendReturns(dependencies: ReturnDependencies, now: Date): Promise<number> {
  const { db, rail } = dependencies
  // Not claimed: waiting for a paused rail uses up no tries.
  if (await isRailPaused(db, rail.name)) return 0
  const claimed = await claimReturns(db, now, rail.name)
  if (claimed.length === 0) return 0
  const retryAt = after(now, collectionLimits.returnRetryMs)
  await whileLeased(dependencies, returnsDue, { owner: rail.name, now }, async () => {
    try {
      const refusals = await findFrozen(db, claimed.map(toFreezable))
      const frozen = claimed.filter((_, index) => refusals[index])
      const free = claimed.filter((_, index) => !refusals[index])
      await postponeReturns(db, retryAt, frozen, { isTry: false })
      await postponeReturns(db, retryAt, await sendClaimed(dependencies, now, free))
    } catch (error) {
      // Each claim counts as a try, so an unexpected failure is not retried when the lease ends.
      await postponeReturns(db, retryAt, claimed).catch(() => {})
      throw error
    }
  })
  return claimed.length
}

function toFreezable(claimed: ClaimedReturn) {
  const { environmentId, rail, destination } = claimed
  const kind = returnKindOf(claimed)
  return { environmentId, rail, destination, kind, createdByKey: null, createdByUser: null }
}

/** Returns those to try again. */
async function sendClaimed(
  dependencies: ReturnDependencies,
  now: Date,
  claimed: ClaimedReturn[],
): Promise<ClaimedReturn[]> {
  const { db, rail, logger } = dependencies
  const outcomes = await prepareReturns(rail, now, claimed)
  const prepared: NewPayout[] = []
  const failed: Return[] = []
  const retried: ClaimedReturn[] = []
  for (const [index, one] of claimed.entries()) {
    const outcome = outcomes[index]!
    if (isTreasuryShort(outcome))
      await reportShortfall({ db, logger }, now, { rail: rail.name, asset: one.asset })
    if (!(outcome instanceof Refusal)) prepared.push(outcome)
    else if (isFinal(outcome, one.attempts)) {
      failed.push(one)
      logger.warn(
        { id: one.id, paymentId: one.paymentId, why: outcome.message },
        'return refused, payment is held',
      )
    } else retried.push(one)
  }

  if (failed.length > 0) await db.transaction((tx) => hold(tx, now, failed))
  if (prepared.length > 0) {
    const frozen = await db.transaction((tx) => create(tx, now, prepared))
    await send(dependencies, prepared)
    retried.push(...claimed.filter(({ id }) => frozen.has(id)))
  }
  return retried
}

/** Skips attempts that are too old to send; the payout worker replaces those. */
async function send(
  { db, rail, clock, logger }: ReturnDependencies,
  created: NewPayout[],
): Promise<void> {
  const live = await readLiveAttempts(
    db,
    created.map(({ payout }) => payout),
  )
  const attempts = live.filter((attempt) => isWithinSendTime(attempt, clock.now()))
  if (attempts.length > 0) await rail.send(attempts)
  const late = live.length - attempts.length
  if (late > 0) logger.warn({ rail: rail.name, attempts: late }, 'return attempts too old to send')
}

async function claimReturns(db: Database, now: RealTime, rail: string): Promise<ClaimedReturn[]> {
  const rows = await claimDue<ReturnRow & Omit<ClaimedReturn, keyof Return>>(db, returnsDue, {
    owner: rail,
    now,
    limit: collectionLimits.returnsPerBatchMax,
  })
  return rows.map(({ attempts, clockOffsetMs, ...row }) => {
    const { destination, claimId, ...waiting } = toReturn(row)
    assert(destination !== null && claimId === null, 'a return that waits has a destination')
    return { ...waiting, destination, claimId, attempts, clockOffsetMs }
  })
}

const postpone = listStatement({
  name: 'postpone_payment_returns',
  columns: { environmentId: 'int4', id: 'uuid', tries: 'int4' },
  text: (list, parameter) => `
    update payment_returns r set due_at = ${parameter(0)}::timestamptz,
      tries = r.tries - case when ${parameter(1)}::bool then 0 else 1 end
    from ${list} where r.environment_id = list.environment_id and r.id = list.id
      and r.tries = list.tries and r.state = 'WAITING'`,
})

/** Matches the count of tries: a worker whose lease has ended changes nothing. */
async function postponeReturns(
  db: Queryable,
  dueAt: Date,
  returns: ClaimedReturn[],
  { isTry }: { isTry: boolean } = { isTry: true },
) {
  if (returns.length === 0) return
  const rows = returns.map(({ environmentId, id, attempts }) => ({
    environmentId,
    id,
    tries: attempts,
  }))
  await db.rows(postpone(rows, dueAt, isTry))
}

/** A rail that does not answer is retried a limited number of times. */
function isFinal({ status }: Refusal, attempts: number): boolean {
  return status < 500 || attempts >= collectionLimits.returnAttemptsMax
}

/** Returns the ids of those that were frozen since they were claimed. */
async function create(tx: Tx, now: RealTime, prepared: NewPayout[]): Promise<Set<string>> {
  const waiting = await lockWaiting(
    tx,
    prepared.map(({ payout }) => payout),
  )
  const owned = prepared.filter(({ payout }) => waiting.has(payout.id))
  const reads = await readForPayouts(tx, owned)
  const refusals = await findFrozen(
    tx,
    owned.map(({ payout }) => payout),
  )
  const free = owned.filter((_, index) => !refusals[index])
  changeReturnStates(
    tx,
    free.map(({ payout }) => ({ ...payout, from: 'WAITING', to: 'SENT' })),
  )
  const outcomes = await createPayouts(tx, now, free, Promise.resolve(reads))
  for (const outcome of outcomes) if (outcome instanceof Refusal) throw outcome
  const frozen = owned.filter((_, index) => refusals[index])
  return new Set(frozen.map(({ payout }) => payout.id))
}

async function hold(tx: Tx, now: RealTime, returns: Return[]): Promise<void> {
  const waiting = await lockWaiting(tx, returns)
  const owned = returns.filter(({ id }) => waiting.has(id))
  const locked = await lockWithAccounts(
    tx,
    owned.map(({ environmentId, paymentId }) => ({ environmentId, id: paymentId })),
  )
  changeReturnStates(
    tx,
    owned.map((one) => ({ ...one, from: 'WAITING', to: 'FAILED' })),
  )
  const shifts = owned.map(({ id, paymentId, amount }) => ({
    paymentId,
    amount,
    from: 'amountReturning' as const,
    to: 'amountHeld' as const,
    event: { type: 'payment.held' as const, causeId: id },
  }))
  shiftPayments(tx, now, locked, shifts)
}

/** If our lease ended, another worker may have handled a return: it is no longer WAITING. */
async function lockWaiting(
  tx: Tx,
  returns: Pick<Return, 'environmentId' | 'id'>[],
): Promise<Set<string>> {
  const rows = await lockReturns(tx, returns)
  return new Set(rows.filter(({ state }) => state === 'WAITING').map(({ id }) => id))
}
