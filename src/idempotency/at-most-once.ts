import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, systemClock } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import { isLockTimeout } from '../postgres/failures.js'
import type { Tx } from '../postgres/tx.js'
import { type Answer, type Answered, fromStored, isRemembered, toStored } from './answer.js'
import type { IdempotencyKey } from './key.js'
import { claimKeys, findKeys, forgetKeys, type KeyRow, rememberAnswers } from './store-keys.js'

export type KeyedCall<Input> = {
  environmentId: EnvironmentId
  /** Undefined: the caller gave no key, and the call runs each time it comes. */
  key: IdempotencyKey | undefined
  input: Input
  /**
   * The answer if all goes well, where it is known beforehand: it saves a second write of the key.
   */
  expected?: Answer
  /** Null: never, unless it is refused, for then there is nothing that the key has to outlive. */
  forgetAt: Date | null
}

type Keyed<Input> = KeyedCall<Input> & { key: IdempotencyKey }

/**
 * Runs a list of calls at most once per key. Key, work and answer commit together: whoever comes
 * later with the same key gets the first answer, byte for byte. Equal keys inside the list are
 * folded onto the first of them before the database sees them.
 */
export async function atMostOnce<Input>(
  context: { tx: Tx; now: Date; seal: Seal },
  given: KeyedCall<Input>[],
  execute: (inputs: Input[]) => Promise<Answer[]>,
): Promise<Outcome<Answered>[]> {
  // Below, copies are told apart by identity: one object that was given twice has to become two.
  const calls = given.map((call) => ({ ...call }))
  const leaders = leadersOf(calls)
  const keyed = [...leaders.values()]
  const { claimed, known } = await claimAll(context, keyed)

  const fresh = calls.filter((call) => !call.key || (isLeader(call) && claimed.has(nameOf(call))))
  const answers = fresh.length > 0 ? await execute(fresh.map((call) => call.input)) : []
  assert.equal(answers.length, fresh.length, 'every call is answered')
  const answered = new Map(fresh.map((call, index) => [call, answers[index]!]))
  remember(context, fresh, answered)

  return calls.map((call) => {
    const own = answered.get(call)
    if (own) return { ...own, isReplayed: false }
    const leader = leaders.get(nameOf(call as Keyed<Input>))!
    const earlier = known.get(nameOf(leader))
    if (!earlier && !claimed.has(nameOf(leader))) return inProgress()
    return replay(call.key!, earlier?.fingerprint ?? leader.key.fingerprint, () =>
      earlier ? fromStored(earlier, context.seal) : shared(answered.get(leader)!),
    )
  })

  function isLeader(call: KeyedCall<Input>): call is Keyed<Input> {
    return call.key !== undefined && leaders.get(nameOf(call as Keyed<Input>)) === call
  }
}

/** A copy in the same list shares the answer; only one that is remembered counts as a replay. */
function shared(answer: Answer): Answered {
  return { ...answer, isReplayed: isRemembered(answer.status) }
}

/** The first answer for the same request; a refusal for another request with the same key. */
export function replay(
  key: IdempotencyKey,
  fingerprint: Buffer,
  answer: () => Answered,
): Outcome<Answered> {
  if (key.fingerprint.equals(fingerprint)) return answer()
  return new Refusal('validation_failed', {
    reason: 'idempotency_key_reused',
    message:
      'This Idempotency-Key was used before with a different request. Use a new key for a new request.',
  })
}

function leadersOf<Input>(calls: KeyedCall<Input>[]): Map<string, Keyed<Input>> {
  const leaders = new Map<string, Keyed<Input>>()
  for (const call of calls) {
    if (!call.key) continue
    const keyed = call as Keyed<Input>
    if (!leaders.has(nameOf(keyed))) leaders.set(nameOf(keyed), keyed)
  }
  return leaders
}

/**
 * Claims the keys in one order, always, and returns those that are ours and those that have an
 * answer. A key that is neither is held by another transaction.
 */
async function claimAll<Input>(
  { tx, now, seal }: { tx: Tx; now: Date; seal: Seal },
  keyed: Keyed<Input>[],
): Promise<{ claimed: Set<string>; known: Map<string, KeyRow> }> {
  if (keyed.length === 0) return { claimed: new Set(), known: new Map() }
  const rows = keyed.map((call) => toClaim(call, seal)).sort(byIdentity)
  const asked = Promise.all([tx.rows(claimKeys(rows, now)), tx.rows(findKeys(rows))])
  const [ours, found] = await asked.catch((error: unknown) => {
    // Inserted by a transaction that took no advisory lock: in a lane, the batch waits apart.
    throw tx.waitsForLocks && isLockTimeout(error) ? inProgress() : error
  })
  const claimed = new Set(ours.map((row) => `${row.environmentId}/${row.digest}`))
  const others = found.map((row) => [`${row.environmentId}/${row.digest}`, row] as const)
  return { claimed, known: new Map(others.filter(([name]) => !claimed.has(name))) }
}

function inProgress(): Refusal {
  return new Refusal('validation_failed', {
    reason: 'idempotency_in_progress',
    message: 'The first request with this Idempotency-Key is still running. Retry in a moment.',
  })
}

/**
 * Runs a call again while another transaction holds its key: a copy of the same request usually
 * ends soon, and then has the answer. Refused when it does not.
 */
export async function whileInProgress<Result>(run: () => Promise<Result>): Promise<Result> {
  const { inProgressMs, inProgressPauseMs } = limits.idempotency
  const giveUpAtMs = systemClock.elapsedMs() + inProgressMs
  for (let pauseMs = inProgressPauseMs; systemClock.elapsedMs() < giveUpAtMs; pauseMs *= 2) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Refusal && error.reason === 'idempotency_in_progress')) throw error
    }
    await sleep(pauseMs)
  }
  return run()
}

function remember<Input>(
  { tx, now, seal }: { tx: Tx; now: Date; seal: Seal },
  fresh: KeyedCall<Input>[],
  answered: Map<KeyedCall<Input>, Answer>,
): void {
  const keyed = fresh.filter((call): call is Keyed<Input> => call.key !== undefined)
  const isKept = (call: Keyed<Input>) => isRemembered(answered.get(call)!.status)
  const isNews = (call: Keyed<Input>) => !isExpected(call, answered.get(call)!)

  const unwritten = keyed
    .filter((call) => isKept(call) && isNews(call))
    .map((call) => {
      const { status, answer, isSealed } = toStored(answered.get(call)!, seal)
      const refusedUntil = status >= 400 ? after(now, limits.idempotency.keptMs) : null
      const forget_at = call.forgetAt ?? refusedUntil
      return { ...identityOf(call), status, answer, is_sealed: isSealed, forget_at }
    })
  const forgotten = keyed.filter((call) => !isKept(call)).map(identityOf)
  if (unwritten.length > 0) tx.write(rememberAnswers(unwritten.sort(byIdentity)))
  if (forgotten.length > 0) tx.write(forgetKeys(forgotten.sort(byIdentity)))
}

function isExpected({ expected }: Keyed<unknown>, answer: Answer): boolean {
  const isSameSecret = (expected?.holdsSecret ?? false) === (answer.holdsSecret ?? false)
  return expected?.status === answer.status && expected.body === answer.body && isSameSecret
}

function toClaim(call: Keyed<unknown>, seal: Seal) {
  const stored = call.expected && toStored(call.expected, seal)
  return {
    ...identityOf(call),
    key: call.key.text,
    fingerprint: call.key.fingerprint,
    status: stored?.status ?? null,
    answer: stored?.answer ?? null,
    is_sealed: stored?.isSealed ?? false,
    forget_at: call.forgetAt,
  }
}

function identityOf(call: Keyed<unknown>) {
  return { environment_id: call.environmentId as number, digest: call.key.digest }
}

function nameOf(call: Keyed<unknown>): string {
  return `${call.environmentId}/${call.key.digest}`
}

type Identity = { environment_id: number; digest: string }

function byIdentity(left: Identity, right: Identity): number {
  if (left.environment_id !== right.environment_id)
    return left.environment_id - right.environment_id
  return left.digest < right.digest ? -1 : 1
}
