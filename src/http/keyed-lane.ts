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

/** A call whose answer is known before it is made, so that the key is written only once. */
export function toCall<Order, Value>(
  ask: Pick<Ask<unknown, unknown, unknown>, 'environment' | 'key' | 'requestId' | 'now'>,
  order: Order,
  expected: Answer,
): Call<Order, Value> {
  return {
    environmentId: ask.environment.id,
    key: ask.key,
    input: { order, requestId: ask.requestId, toAnswer: () => expected },
    expected,
    forgetAt: after(ask.now, limits.idempotency.keptMs),
  }
}
