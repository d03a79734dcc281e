import { after } from '../clock.js'
import { limits } from '../limits.js'
import type { Logger } from '../log.js'
import { createPayouts, type PayoutOrder, toOrder } from '../payouts/create-payouts.js'
import { readLiveAttempts } from '../payouts/live-attempts.js'
import { type Payout, referenceOf } from '../payouts/payout.js'
import type { Inspected, PayoutRail, Target } from '../payouts/ports.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import type { Tx } from '../postgres/tx.js'
import { type Outcome, Refusal } from '../refusal.js'
import { lockWithAccounts, shiftPayments } from './shift-payments.js'
import {
  lockReturns,
  moveReturns,
  type Return,
  type ReturnRow,
  returnColumns,
  toReturnOf,
} from './store-returns.js'

type Tools = { db: Database; rail: PayoutRail; logger: Logger }

const returnsDue: DueTable = {
  table: 'payment_returns',
  key: ['environment_id', 'id'],
  open: "state = 'WAITING'",
  of: 'rail',
  counter: 'tries',
  returning: `${returnColumns.replaceAll('r.', 'job.')}, job.tries,
    (select e.clock_offset_ms::float8 from environments e where e.id = job.environment_id)
      as "clockOffsetMs"`,
}

type Claimed = Return & { tries: number; clockOffsetMs: number }

/**
 * Makes payouts of money that waits to go back. What the bank refuses for good, or will not take
 * for long, is held: somebody has to say where it shall go. Says how many there were.
 */
export async function sendReturns(tools: Tools, now: Date): Promise<number> {
  const { db, rail, logger } = tools
  const claimed = await claimReturns(db, now, rail.name)
  if (claimed.length === 0) return 0
  const orders = await orderAll(rail, now, claimed)
  const made = zip(claimed, orders).filter(isMade)
  const hopeless = zip(claimed, orders).filter(isHopeless)
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
  if (made.length > 0) await db.transaction((tx) => create(tx, now, made))
  await rail.send(
    await readLiveAttempts(
      db,
      made.map(([, order]) => order.payout),
    ),
  )
  return claimed.length
}

async function claimReturns(db: Database, now: Date, rail: string): Promise<Claimed[]> {
  const rows = await claimDue<ReturnRow & Omit<Claimed, keyof Return>>(db, returnsDue, {
    ...{ of: rail, now, leaseMs: limits.collections.leaseMs },
    limit: limits.collections.returnsAtOnce,
  })
  return rows.map(({ tries, clockOffsetMs, ...row }) => ({
    ...toReturnOf(row),
    tries,
    clockOffsetMs,
  }))
}

/** Asks the bank about every one, then has it fix what would be sent. Nothing leaves. */
async function orderAll(
  rail: PayoutRail,
  now: Date,
  claimed: Claimed[],
): Promise<Outcome<PayoutOrder>[]> {
  const inspected = await rail.inspect(claimed.map(toTarget))
  const wanted = claimed.flatMap((one, index) => {
    const outcome = inspected[index]!
    if (outcome instanceof Refusal) return []
    return [toPayout(after(now, one.clockOffsetMs), one, { rail, inspected: outcome })]
  })
  const prepared = await rail.prepare(
    wanted.map((payout) => ({ ...toTarget(payout), reference: referenceOf(payout) })),
  )
  const orders = new Map(
    wanted.map((payout, index) => {
      const outcome = prepared[index]!
      return [payout.id, outcome instanceof Refusal ? outcome : toOrder(payout, outcome, now)]
    }),
  )
  return claimed.map(({ id }, index) => orders.get(id) ?? (inspected[index] as Refusal))
}

function toTarget({ amount, destination }: Pick<Payout, 'amount' | 'destination'>): Target {
  return { asset: 'NGN', amount, destination }
}

/** A return is free: it takes the amount and nothing else. In the time of its environment. */
export function toPayout(
  now: Date,
  { environmentId, id, amount, takesFrom }: Return,
  { rail, inspected }: { rail: PayoutRail; inspected: Inspected },
): Payout {
  return {
    ...{ environmentId, id, kind: 'bank_return', rail: rail.name, asset: 'NGN', amount, fee: 0n },
    ...{ takesFrom, requestedAmount: amount.toString(), destination: inspected.destination },
    ...{ merchantReference: null, metadata: '{}', status: 'SUBMITTED', failureReason: null },
    ...{ isReviewRequired: false, eventSequence: 0, submittedAt: now, completedAt: null },
    ...{ failedAt: null, reversedAt: null, createdAt: now },
  }
}

type Paired = [Claimed, Outcome<PayoutOrder>]

function zip(claimed: Claimed[], orders: Outcome<PayoutOrder>[]): Paired[] {
  return claimed.map((one, index) => [one, orders[index]!])
}

function isMade(pair: Paired): pair is [Claimed, PayoutOrder] {
  return !(pair[1] instanceof Refusal)
}

/** A bank that does not answer is asked again when the lease is over, but not for ever. */
function isHopeless([{ tries }, outcome]: Paired): boolean {
  if (!(outcome instanceof Refusal)) return false
  return outcome.status < 500 || tries >= limits.collections.returnTries
}

async function create(tx: Tx, now: Date, made: [Claimed, PayoutOrder][]): Promise<void> {
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
    ...{ paymentId, amount, from: 'amountReturning' as const, to: 'amountHeld' as const },
    told: { type: 'payment.held' as const, causeId: id },
  }))
  shiftPayments(tx, now, locked, shifts)
}

/** Whoever outlived its lease finds that somebody else has done it. */
async function lockWaiting(tx: Tx, returns: Return[]): Promise<Set<string>> {
  const rows = await lockReturns(tx, returns)
  return new Set(rows.filter(({ state }) => state === 'WAITING').map(({ id }) => id))
}
