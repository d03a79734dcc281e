import type pg from 'pg'
import { after, type Clock, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Answer, KeyedAnswer } from '../../idempotency/answer.js'
import { atMostOnce, type KeyedCall, whileInProgress } from '../../idempotency/at-most-once.js'
import { idempotencyLimits } from '../../idempotency/limits.js'
import type { Database } from '../../postgres/database.js'
import { laneLimits } from '../../postgres/limits.js'
import { environmentKey } from '../../postgres/transactions/busy.js'
import {
  type LaneWork,
  type OpenedLane,
  type OpenLane,
  openLane,
} from '../../postgres/transactions/lane.js'
import type { Turns } from '../../postgres/transactions/turns.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isTransient } from '../../postgres/wire/failures.js'
import { type AuditedCall, auditAnswer } from '../auth/audit-call.js'
import { refused } from './envelope.js'
import type { RouteRequest } from './route.js'

/**
 * A use case over a list: each input is done or refused alone. `reads` are the queries that its
 * `Read` has started, for these inputs and possibly others.
 */
export type UseCase<Input, Value, Reads = undefined> = (
  tx: Tx,
  now: RealTime,
  inputs: Input[],
  reads?: Promise<Reads>,
) => Promise<Outcome<Value>[]>

/** The locks and queries of a use case that depend on its inputs only; see `atMostOnce`. */
type Read<Input, Reads> = (tx: Tx, inputs: Input[]) => Promise<Reads>

/** `useCaseInput` is the caller's; the rest turns the outcome into an answer. */
type CallInput<Input, Value> = {
  useCaseInput: Input
  requestId: string
  /** The body of the request: a refusal names the field that it concerns. */
  sent: unknown
  toAnswer: (value: Value) => Answer
  /** Set for users: an accepted call is a line of the audit log. */
  audited: AuditedCall | undefined
}

export type Call<Input, Value> = KeyedCall<CallInput<Input, Value>> & { mode: Mode }

export type KeyedLane<Input, Value> = OpenedLane<Call<Input, Value>, KeyedAnswer>

/**
 * Runs a list of calls in one transaction: claims the keys, does the work, stores the answers.
 *
 * There are two kinds of refusals. One by the use case is an answer: it is stored under the key and
 * replayed. One by `atMostOnce` is about the key itself (reused, or in progress): it is returned as
 * a `Refusal`, which `run` throws, and nothing is stored.
 */
export function toLaneWork<Input, Value, Reads>(
  { clock, seal }: { clock: Clock; seal: Seal },
  useCase: UseCase<Input, Value, Reads>,
  read?: Read<Input, Reads>,
) {
  type Inputs = CallInput<Input, Value>[]
  const toInputs = (inputs: Inputs) => inputs.map(({ useCaseInput }) => useCaseInput)
  return (tx: Tx, calls: Call<Input, Value>[]): Promise<Outcome<KeyedAnswer>[]> => {
    const now = clock.now()
    const execute = async (callInputs: Inputs, reads: Promise<Reads> | undefined) => {
      const outcomes = await useCase(tx, now, toInputs(callInputs), reads)
      return outcomes.map((outcome, index) => {
        const { requestId, sent, toAnswer, audited } = callInputs[index]!
        if (outcome instanceof Refusal) return refused(outcome, requestId, sent)
        const answer = toAnswer(outcome)
        if (audited) auditAnswer(tx, audited, answer)
        return answer
      })
    }
    const readAll = read && ((inputs: Inputs) => read(tx, toInputs(inputs)))
    return atMostOnce({ tx, now, seal }, calls, execute, readAll)
  }
}

type LaneDependencies = {
  connect: () => Promise<pg.Client>
  clock: Clock
  seal: Seal
  open?: OpenLane
  /** Given if the use case locks ledger accounts. */
  turns?: Record<Mode, Turns>
}

/** One lane for each mode, so that test mode never delays live mode. */
export function createKeyedLanes<Input, Value, Reads = undefined>(
  dependencies: LaneDependencies,
  useCase: UseCase<Input, Value, Reads>,
  read?: Read<Input, Reads>,
) {
  const work = toLaneWork(dependencies, useCase, read)
  const lanes: Record<Mode, KeyedLane<Input, Value>> = {
    test: createKeyedLane(dependencies, work, 'test'),
    live: createKeyedLane(dependencies, work, 'live'),
  }
  return { ...lanes, run: (call: Call<Input, Value>) => lanes[call.mode].run(call) }
}

function createKeyedLane<Input, Value>(
  { connect, open = openLane, turns }: LaneDependencies,
  work: LaneWork<Call<Input, Value>, KeyedAnswer>,
  mode: Mode,
): KeyedLane<Input, Value> {
  const lane = open<Call<Input, Value>, KeyedAnswer>({
    connect,
    work,
    turns: turns?.[mode],
    sideLanes: { nameOf: ({ environmentId }) => environmentKey(environmentId) },
  })
  return {
    stats: lane.stats,
    times: lane.times,
    get waiting() {
      return lane.waiting
    },
    run: (call) => whileInProgress(() => lane.run(call)),
    ping: () => lane.ping(),
    close: () => lane.close(),
  }
}

/** The lanes of `commitRefusal`: they store refusals as answers and do nothing else. */
export function createRefusalLanes(dependencies: LaneDependencies) {
  return createKeyedLanes<Refusal, never>(dependencies, async (_tx, _now, refusals) => refusals)
}

/** What a call takes over from its request. */
export type KeyedRequest = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'environment' | 'key' | 'requestId' | 'now' | 'audited' | 'body'
>

/** A call whose answer is known before it runs, so that the key is written only once. */
export function toCall<Input, Value>(
  request: KeyedRequest,
  input: Input,
  expected: Answer,
): Call<Input, Value> {
  const call = toCallWithLateAnswer<Input, Value>(request, input, () => expected)
  call.expected = expected
  return call
}

/** A call whose answer depends on the outcome of the work. */
export function toCallWithLateAnswer<Input, Value>(
  request: KeyedRequest,
  input: Input,
  toAnswer: (value: Value) => Answer,
): Call<Input, Value> {
  return {
    environmentId: request.environment.id,
    mode: request.environment.mode,
    key: request.key,
    input: {
      useCaseInput: input,
      requestId: request.requestId,
      sent: request.body,
      toAnswer,
      audited: request.audited,
    },
    // Keys expire in real time, not in the time of the environment.
    expiresAt: after(
      request.now,
      idempotencyLimits.retentionMs - request.environment.clockOffsetMs,
    ),
  }
}

/**
 * A rare change, in a transaction. It refuses by throwing, before it writes anything. It runs again
 * if the server rolled back, so it keeps nothing of the run before.
 */
type KeyedChange<Value> = (tx: Tx, now: RealTime) => Value | Promise<Value>

export type RunChange = <Value>(
  request: KeyedRequest,
  change: KeyedChange<Value>,
  toAnswer: (value: Value) => Answer,
  /**
   * The key of a change that pays is kept as long as the payout: a repeat must never pay twice. An
   * expected answer is written with the key.
   */
  keys?: { isKept: boolean; expected?: Answer },
) => Promise<KeyedAnswer>

type ChangeDependencies = { db: Database; clock: Clock; seal: Seal }

/**
 * Runs rare changes, at most once per key. They have no lane: each has a transaction of its own, so
 * that a long one delays no other call.
 */
export function createChanges({ db, clock, seal }: ChangeDependencies): RunChange {
  return <Value>(
    request: KeyedRequest,
    change: KeyedChange<Value>,
    toAnswer: (value: Value) => Answer,
    { isKept, expected }: { isKept: boolean; expected?: Answer } = { isKept: false },
  ) => {
    const work = toLaneWork({ clock, seal }, applyChange<Value>)
    const call = toCallWithLateAnswer(request, change, toAnswer)
    if (isKept) call.expiresAt = null
    if (expected) call.expected = expected
    return whileInProgress(async () => {
      const [answered] = await whileTransient(() => db.transaction((tx) => work(tx, [call])))
      if (answered instanceof Refusal) throw answered
      return answered!
    })
  }
}

/** The server rolled back, so the change may run again: it then finds the row of the other one. */
async function whileTransient<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isTransient(error) || retries >= laneLimits.retriesMax) throw error
    }
  }
}

async function applyChange<Value>(
  tx: Tx,
  now: RealTime,
  [change]: KeyedChange<Value>[],
): Promise<Outcome<Value>[]> {
  try {
    return [await change!(tx, now)]
  } catch (error) {
    if (error instanceof Refusal) return [error]
    throw error
  }
}
