import { strict as assert } from 'node:assert'
import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { retry } from '../base/retry.js'
import type { Seal } from '../base/sealed.js'
import { isLockTimeout } from '../postgres/failures.js'
import type { Tx } from '../postgres/tx.js'
import { type Answer, fromStored, isRemembered, type KeyedAnswer, toStored } from './answer.js'
import type { IdempotencyKey } from './key.js'
import {
  claimKeys,
  findIdempotencyKeys,
  forgetKeys,
  type IdempotencyKeyRow,
  rememberAnswers,
} from './store-keys.js'

export type KeyedCall<Input> = {
  environmentId: EnvironmentId
  /** Undefined: the caller sent no key, so the call runs every time. */
  key: IdempotencyKey | undefined
  input: Input
  /** The answer on success, if known in advance: it saves a second write of the key. */
  expected?: Answer
  /**
   * When the key is deleted. Null: never, because a repeat would create the resource again. A
   * refusal created nothing, so `remember` lets its key expire in any case.
   */
  expiresAt: Date | null
}

type Keyed<Input> = KeyedCall<Input> & { key: IdempotencyKey }

/**
 * Runs a list of calls at most once per key. Key, work and answer commit together: a later request
 * with the same key gets the first answer, byte for byte. Calls in the list that share a key are
 * folded onto the first of them, their leader, before the database sees them.
 */
export async function atMostOnce<Input>(
  context: { tx: Tx; now: Date; seal: Seal },
  given: KeyedCall<Input>[],
  execute: (inputs: Input[]) => Promise<Answer[]>,
): Promise<Outcome<KeyedAnswer>[]> {
  // Calls are compared by identity below, so an object that appears twice must become two.
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

/** The answer for a copy in the same list. It is a replay only if the answer is stored. */
function shared(answer: Answer): KeyedAnswer {
  return { ...answer, isReplayed: isRemembered(answer.status) }
}

/** The first answer for the same request; a refusal for another request with the same key. */
export function replay(
  key: IdempotencyKey,
  fingerprint: Buffer,
  answer: () => KeyedAnswer,
): Outcome<KeyedAnswer> {
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
 * Claims the keys in a fixed order, and returns those claimed now and those that already have an
 * answer. A key that is in neither is held by another transaction.
 */
async function claimAll<Input>(
  { tx, now, seal }: { tx: Tx; now: Date; seal: Seal },
  keyed: Keyed<Input>[],
): Promise<{ claimed: Set<string>; known: Map<string, IdempotencyKeyRow> }> {
  if (keyed.length === 0) return { claimed: new Set(), known: new Map() }
  const rows = keyed.map((call) => toClaim(call, seal)).sort(byIdentity)
  const [claimedRows, foundRows] = await Promise.all([
    tx.rows(claimKeys(rows, now)),
    tx.rows(findIdempotencyKeys(rows)),
  ]).catch((error: unknown) => {
    // The insert had to wait for a transaction without the advisory lock of `claimKeys`, such as
    // the one that deletes expired keys. A lane handles the timeout itself: it defers the batch.
    throw tx.waitsForLocks && isLockTimeout(error) ? inProgress() : error
  })
  const claimed = new Set(claimedRows.map((row) => `${row.environmentId}/${row.digest}`))
  const found = foundRows.map((row) => [`${row.environmentId}/${row.digest}`, row] as const)
  return { claimed, known: new Map(found.filter(([name]) => !claimed.has(name))) }
}

function inProgress(): Refusal {
  return new Refusal('validation_failed', {
    reason: 'idempotency_in_progress',
    message: 'The first request with this Idempotency-Key is still running. Retry in a moment.',
  })
}

/**
 * Runs a call again while another transaction holds its key: the copy that holds it usually ends
 * soon, and then there is an answer to replay. Throws the refusal when it does not.
 */
export function whileInProgress<Result>(run: () => Promise<Result>): Promise<Result> {
  return retry(run, {
    isPassing: (error) => error instanceof Refusal && error.reason === 'idempotency_in_progress',
    pauseMs: limits.idempotency.inProgressRetryDelayMs,
    pauseMaxMs: limits.idempotency.inProgressWaitMaxMs,
    timeoutMs: limits.idempotency.inProgressWaitMaxMs,
  })
}

function remember<Input>(
  { tx, now, seal }: { tx: Tx; now: Date; seal: Seal },
  fresh: KeyedCall<Input>[],
  answered: Map<KeyedCall<Input>, Answer>,
): void {
  const keyed = fresh.filter((call): call is Keyed<Input> => call.key !== undefined)
  const answerTo = (call: Keyed<Input>) => answered.get(call)!
  const remembered = keyed.filter((call) => isRemembered(answerTo(call).status))
  const notRemembered = keyed.filter((call) => !isRemembered(answerTo(call).status))

  // The claim has already written the expected answers.
  const updates = remembered
    .filter((call) => !isExpected(call, answerTo(call)))
    .map((call) => {
      const { status, answer, isSealed } = toStored(answerTo(call), seal)
      const refusedUntil = status >= 400 ? after(now, limits.idempotency.retentionMs) : null
      const forget_at = call.expiresAt ?? refusedUntil
      return { ...identityOf(call), status, answer, is_sealed: isSealed, forget_at }
    })
  const deletions = notRemembered.map(identityOf)
  if (updates.length > 0) tx.write(rememberAnswers(updates.sort(byIdentity)))
  if (deletions.length > 0) tx.write(forgetKeys(deletions.sort(byIdentity)))
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
    forget_at: call.expiresAt,
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
