import type pg from 'pg'
import type { Clock } from '../clock.js'
import { after } from '../clock.js'
import type { Answer, Answered } from '../idempotency/answer.js'
import { atMostOnce, type KeyedCall } from '../idempotency/at-most-once.js'
import { limits } from '../limits.js'
import type { Database } from '../postgres/database.js'
import { type OpenedLane, type OpenLane, openLane } from '../postgres/lane.js'
import type { Tx } from '../postgres/tx.js'
import { type Outcome, Refusal } from '../refusal.js'
import type { Seal } from '../sealed.js'
import { refused } from './envelope.js'
import type { Ask } from './route.js'

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

export type Call<Order, Value> = KeyedCall<Input<Order, Value>>

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

/** Where requests that change something gather, each at most once per key. */
export function createKeyedLane<Order, Value>(
  context: { connect: () => Promise<pg.Client>; clock: Clock; seal: Seal; open?: OpenLane },
  useCase: UseCase<Order, Value>,
): KeyedLane<Order, Value> {
  const { connect, open = openLane } = context
  return open({ connect, work: toLaneWork(context, useCase) })
}

export type Asker = Pick<
  Ask<unknown, unknown, unknown>,
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
export type Change = (tx: Tx, now: Date) => Promise<unknown>

/**
 * Rare changes have no lane: each has a transaction of its own, so that a long one holds up nobody,
 * and is done at most once per key all the same.
 */
export function createChanges(context: { db: Database; clock: Clock; seal: Seal }) {
  const work = toLaneWork<Change, unknown>(context, changeOne)
  return async (call: Call<Change, unknown>): Promise<Answered> => {
    const [answered] = await context.db.transaction((tx) => work(tx, [call]))
    if (answered instanceof Refusal) throw answered
    return answered!
  }
}

async function changeOne(tx: Tx, now: Date, [change]: Change[]): Promise<Outcome<unknown>[]> {
  try {
    return [await change!(tx, now)]
  } catch (error) {
    if (error instanceof Refusal) return [error]
    throw error
  }
}
