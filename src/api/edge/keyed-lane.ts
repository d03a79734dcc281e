import type pg from 'pg'
import type { Clock } from '../../base/clock.js'
import { after } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Answer, Answered } from '../../idempotency/answer.js'
import { atMostOnce, type KeyedCall, whileInProgress } from '../../idempotency/at-most-once.js'
import type { Database } from '../../postgres/database.js'
import { type OpenedLane, type OpenLane, openLane } from '../../postgres/lane.js'
import type { Tx } from '../../postgres/tx.js'
import { refused } from './envelope.js'
import type { RouteRequest } from './route.js'

/** A use case over a list, as the rooms write them. */
export type UseCase<Order, Value> = (
  tx: Tx,
  now: Date,
  orders: Order[],
) => Promise<Outcome<Value>[]>

type Input<Order, Value> = {
  order: Order
  requestId: string
  toAnswer: (value: Value) => Answer
}

export type Call<Order, Value> = KeyedCall<Input<Order, Value>> & { mode: Mode }

export type KeyedLane<Order, Value> = OpenedLane<Call<Order, Value>, Answered>

/** Runs a list of calls in one transaction: keys claimed, work done, answers remembered. */
export function toLaneWork<Order, Value>(
  context: { clock: Clock; seal: Seal },
  useCase: UseCase<Order, Value>,
) {
  return (tx: Tx, calls: Call<Order, Value>[]): Promise<Outcome<Answered>[]> => {
    const now = context.clock.now()
    return atMostOnce({ tx, now, seal: context.seal }, calls, async (inputs) => {
      const outcomes = await useCase(
        tx,
        now,
        inputs.map((input) => input.order),
      )
      return outcomes.map((outcome, index) => {
        const { requestId, toAnswer } = inputs[index]!
        return outcome instanceof Refusal ? refused(outcome, requestId) : toAnswer(outcome)
      })
    })
  }
}

type LaneContext = {
  connect: () => Promise<pg.Client>
  clock: Clock
  seal: Seal
  open?: OpenLane
}

/** Where requests that change something gather: test mode never makes live mode wait. */
export function createKeyedLanes<Order, Value>(
  context: LaneContext,
  useCase: UseCase<Order, Value>,
) {
  const lanes: Record<Mode, KeyedLane<Order, Value>> = {
    test: createKeyedLane(context, useCase),
    live: createKeyedLane(context, useCase),
  }
  return { ...lanes, run: (call: Call<Order, Value>) => lanes[call.mode].run(call) }
}

function createKeyedLane<Order, Value>(
  context: LaneContext,
  useCase: UseCase<Order, Value>,
): KeyedLane<Order, Value> {
  const { connect, open = openLane } = context
  const lane = open<Call<Order, Value>, Answered>({
    connect,
    work: toLaneWork(context, useCase),
    nameOf: ({ environmentId }) => String(environmentId),
  })
  return {
    stats: lane.stats,
    run: (call) => whileInProgress(() => lane.run(call)),
    ping: () => lane.ping(),
    close: () => lane.close(),
  }
}

export type Asker = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'environment' | 'key' | 'requestId' | 'now'
>

/** A call whose answer is known before it is made, so that the key is written only once. */
export function toCall<Order, Value>(
  ask: Asker,
  order: Order,
  expected: Answer,
): Call<Order, Value> {
  return { ...toLateCall<Order, Value>(ask, order, () => expected), expected }
}

/** A call whose answer depends on what the work finds. */
export function toLateCall<Order, Value>(
  ask: Asker,
  order: Order,
  toAnswer: (value: Value) => Answer,
): Call<Order, Value> {
  return {
    environmentId: ask.environment.id,
    mode: ask.environment.mode,
    key: ask.key,
    input: { order, requestId: ask.requestId, toAnswer },
    // In the time of the world, by which keys are forgotten.
    forgetAt: after(ask.now, limits.idempotency.keptMs - ask.environment.clockOffsetMs),
  }
}

/** A refusal for good is remembered under the key like an answer; all else is thrown on. */
export function toRemembered(error: unknown): Refusal {
  if (error instanceof Refusal && error.status < 500) return error
  throw error
}

/** Something rare to do in a transaction; it refuses, by throwing, before it writes. */
export type KeyedChange = (tx: Tx, now: Date) => Promise<unknown>

/**
 * Rare changes have no lane: each has a transaction of its own, so that a long one holds up nobody,
 * and is done at most once per key all the same.
 */
export function createChanges(context: { db: Database; clock: Clock; seal: Seal }) {
  const work = toLaneWork<KeyedChange, unknown>(context, changeOne)
  return (call: Call<KeyedChange, unknown>): Promise<Answered> =>
    whileInProgress(async () => {
      const [answered] = await context.db.transaction((tx) => work(tx, [call]))
      if (answered instanceof Refusal) throw answered
      return answered!
    })
}

async function changeOne(tx: Tx, now: Date, [change]: KeyedChange[]): Promise<Outcome<unknown>[]> {
  try {
    return [await change!(tx, now)]
  } catch (error) {
    if (error instanceof Refusal) return [error]
    throw error
  }
}
