import type pg from 'pg'
import type { Clock } from '../clock.js'
import { after } from '../clock.js'
import type { Answer, Answered } from '../idempotency/answer.js'
import { atMostOnce, type KeyedCall } from '../idempotency/at-most-once.js'
import { limits } from '../limits.js'
import { Lane } from '../postgres/lane.js'
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

export type KeyedLane<Order, Value> = Pick<
  Lane<Call<Order, Value>, Answered>,
  'run' | 'close' | 'stats'
>

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
  context: { connect: () => Promise<pg.Client>; clock: Clock; seal: Seal },
  useCase: UseCase<Order, Value>,
): KeyedLane<Order, Value> {
  return new Lane({ connect: context.connect, work: toLaneWork(context, useCase) })
}

type Asker = Pick<Ask<unknown, unknown, unknown>, 'environment' | 'key' | 'requestId' | 'now'>

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
    forgetAt: after(ask.now, limits.idempotency.keptMs),
  }
}

/** Something rare to do in a transaction of its own making; a refusal is thrown. */
export type Change = (tx: Tx, now: Date) => Promise<unknown>

/** Rare changes share a lane too, for the sake of their keys; they are done one after the other. */
export async function changeOneByOne(
  tx: Tx,
  now: Date,
  changes: Change[],
): Promise<Outcome<unknown>[]> {
  const outcomes: Outcome<unknown>[] = []
  for (const change of changes)
    outcomes.push(
      await change(tx, now).catch((error: unknown) => {
        if (error instanceof Refusal) return error
        throw error
      }),
    )
  return outcomes
}
