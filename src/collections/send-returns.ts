import type { Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { createPayouts, type NewPayout } from '../payouts/create-payouts.js'
import { isInTime, readLiveAttempts } from '../payouts/live-attempts.js'
import type { PayoutRail } from '../payouts/ports.js'
import { isShort } from '../payouts/unfinished-payouts.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import type { Tx } from '../postgres/tx.js'
import { requestReturns, type Wanted } from './request-returns.js'
import { lockWithAccounts, shiftPayments } from './shift-payments.js'
import {
  lockReturns,
  moveReturns,
  type Return,
  type ReturnRow,
  returnColumns,
  toReturnOf,
} from './store-returns.js'

type Tools = { db: Database; rail: PayoutRail; clock: Clock; logger: Logger }

const returnsDue: DueTable = {
  table: 'payment_returns',
  key: ['environment_id', 'id'],
  open: "state = 'WAITING'",
  of: 'rail',
  counter: 'tries',
  returning: `${returnColumns('job')}, job.tries,
    (select e.clock_offset_ms::float8 from environments e where e.id = job.environment_id)
      as "clockOffsetMs"`,
}

type Claimed = Wanted & { tries: number }

/**
 * Makes payouts of money that waits to go back. What the rail refuses for good, or will not take
 * for long, is held: somebody has to say where it shall go. Says how many there were.
 */
export async function sendReturns(tools: Tools, now: Date): Promise<number> {
  const { db, rail, logger } = tools
  const claimed = await claimReturns(db, now, rail.name)
  if (claimed.length === 0) return 0
  const orders = await requestReturns(rail, now, claimed)
  const made = zip(claimed, orders).filter(isMade)
  const hopeless = zip(claimed, orders).filter(isHopeless)
  for (const [{ id, asset }, order] of zip(claimed, orders))
    if (isShort(order)) logger.error({ id, asset }, 'the hot wallet is short: a return has to wait')
  for (const [{ id }, refusal] of hopeless)
    logger.warn({ id, reason: (refusal as Refusal).reason }, 'a payment cannot go back: held')

  if (hopeless.length > 0)
    await db.transaction((tx) =>
      hold(
        tx,
        now,
        hopeless.map(([one]) => one),
      ),
    )
  if (made.length > 0) {
    await db.transaction((tx) => create(tx, now, made))
    await sendMade(
      tools,
      made.map(([, order]) => order),
    )
  }
  return claimed.length
}

/** What took too long to be made is left to whoever looks after payouts. */
async function sendMade({ db, rail, clock, logger }: Tools, made: NewPayout[]): Promise<void> {
  const live = await readLiveAttempts(
    db,
    made.map(({ payout }) => payout),
  )
  const attempts = live.filter((attempt) => isInTime(attempt, clock.now()))
  if (attempts.length > 0) await rail.send(attempts)
  const late = live.length - attempts.length
  if (late > 0) logger.warn({ rail: rail.name, attempts: late }, 'it is too late to send returns')
}

async function claimReturns(db: Database, now: Date, rail: string): Promise<Claimed[]> {
  const rows = await claimDue<ReturnRow & Omit<Claimed, keyof Return>>(db, returnsDue, {
    of: rail,
    now,
    leaseMs: limits.collections.leaseMs,
    limit: limits.collections.returnsAtOnce,
  })
  return rows.map(({ tries, clockOffsetMs, ...row }) => ({
    ...toReturnOf(row),
    tries,
    clockOffsetMs,
  }))
}

type Paired = [Claimed, Outcome<NewPayout>]

function zip(claimed: Claimed[], orders: Outcome<NewPayout>[]): Paired[] {
  return claimed.map((one, index) => [one, orders[index]!])
}

function isMade(pair: Paired): pair is [Claimed, NewPayout] {
  return !(pair[1] instanceof Refusal)
}

/** A rail that does not answer is asked again when the lease is over, but not for ever. */
function isHopeless([{ tries }, outcome]: Paired): boolean {
  if (!(outcome instanceof Refusal)) return false
  return outcome.status < 500 || tries >= limits.collections.returnTries
}

async function create(tx: Tx, now: Date, made: [Claimed, NewPayout][]): Promise<void> {
  const own = await lockWaiting(
    tx,
    made.map(([one]) => one),
  )
  const orders = made.filter(([{ id }]) => own.has(id)).map(([, order]) => order)
  moveReturns(
    tx,
    orders.map(({ payout }) => ({ ...payout, from: 'WAITING', to: 'SENT' })),
  )
  const outcomes = await createPayouts(tx, now, orders)
  for (const outcome of outcomes) if (outcome instanceof Refusal) throw outcome
}

async function hold(tx: Tx, now: Date, returns: Return[]): Promise<void> {
  const own = await lockWaiting(tx, returns)
  const left = returns.filter(({ id }) => own.has(id))
  const locked = await lockWithAccounts(
    tx,
    left.map(({ environmentId, paymentId }) => ({ environmentId, id: paymentId })),
  )
  moveReturns(
    tx,
    left.map((one) => ({ ...one, from: 'WAITING', to: 'FAILED' })),
  )
  const shifts = left.map(({ id, paymentId, amount }) => ({
    paymentId,
    amount,
    from: 'amountReturning' as const,
    to: 'amountHeld' as const,
    told: { type: 'payment.held' as const, causeId: id },
  }))
  shiftPayments(tx, now, locked, shifts)
}

/** Whoever outlived its lease finds that somebody else has done it. */
async function lockWaiting(tx: Tx, returns: Return[]): Promise<Set<string>> {
  const rows = await lockReturns(tx, returns)
  return new Set(rows.filter(({ state }) => state === 'WAITING').map(({ id }) => id))
}
