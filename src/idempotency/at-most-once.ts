import { strict as assert } from 'node:assert'
import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { retry } from '../base/retry.js'
import type { Seal } from '../base/sealed.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { isLockTimeout } from '../postgres/wire/failures.js'
import { type Answer, fromStored, isRemembered, type KeyedAnswer, toStored } from './answer.js'
import type { IdempotencyKey } from './key.js'
import { idempotencyLimits } from './limits.js'
import {
  claimKeys,
  findClaimedKeys,
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

/** A call in a list. Calls with the same key share a name; the first of them is their leader. */
type Slot<Input> = {
  call: KeyedCall<Input>
  name: string | undefined
  leader: Slot<Input> | undefined
  answer: Answer | undefined
}

type KeyDependencies = { tx: Tx; now: Date; seal: Seal }

/**
 * Runs a list of calls at most once per key. Key, work and answer commit together: a later request
 * with the same key gets the first answer, byte for byte. Calls in the list that share a key are
 * folded onto their leader before the database sees them.
 *
 * `read` may start the queries that `execute` needs. It gets every input, before it is known which
 * of them have run already, so that its queries leave together with the claim of the keys.
 */
export async function atMostOnce<Input, Reads = undefined>(
  dependencies: KeyDependencies,
  calls: KeyedCall<Input>[],
  execute: (inputs: Input[], reads: Promise<Reads> | undefined) => Promise<Answer[]>,
  read?: (inputs: Input[]) => Promise<Reads>,
): Promise<Outcome<KeyedAnswer>[]> {
  const { slots, leaders } = toSlots(calls)
  const claiming = claimAll(dependencies, leaders)
  const reads = read?.(calls.map(({ input }) => input))
  reads?.catch(() => {}) // `execute` awaits them; a failed claim is the first thing to report
  const missed = await claiming

  const fresh = slots.filter(({ name, leader }) => !leader && !missed.has(name ?? ''))
  const inputs = fresh.map(({ call }) => call.input)
  const answers = fresh.length > 0 ? await execute(inputs, reads) : []
  assert.equal(answers.length, fresh.length, 'every call is answered')
  for (const [index, slot] of fresh.entries()) slot.answer = answers[index]!
  remember(dependencies, fresh)

  return slots.map((slot) => {
    const { answer } = slot
    if (answer) return toKeyed(answer, { isReplayed: false })
    const { call, name, answer: shared } = slot.leader ?? slot
    const key = slot.call.key!
    // A copy in the same list is a replay only if the answer is stored.
    if (shared) {
      const { fingerprint, callerId } = call.key!
      const first = { fingerprint, callerId: shared.holdsSecret ? callerId : null }
      return replay(key, first, () => toKeyed(shared, { isReplayed: isRemembered(shared.status) }))
    }
    const earlier = missed.get(name!)
    if (!earlier) return inProgress()
    return replay(key, earlier, () => fromStored(earlier, dependencies.seal))
  })
}

function toSlots<Input>(calls: KeyedCall<Input>[]) {
  const leaders = new Map<string, Slot<Input>>()
  const slots = calls.map((call) => {
    const name = call.key && `${call.environmentId}/${call.key.digest}`
    const leader = name === undefined ? undefined : leaders.get(name)
    const slot: Slot<Input> = { call, name, leader, answer: undefined }
    if (name !== undefined && !leader) leaders.set(name, slot)
    return slot
  })
  return { slots, leaders: [...leaders.values()] }
}

function toKeyed(
  { status, body, holdsSecret, retryAfterSeconds }: Answer,
  { isReplayed }: { isReplayed: boolean },
): KeyedAnswer {
  if (holdsSecret === undefined) return { status, body, isReplayed, retryAfterSeconds }
  return { status, body, holdsSecret, isReplayed, retryAfterSeconds }
}

/**
 * The first answer for the same request; a refusal for another request with the same key. A secret
 * is for the caller that asked for it: the others of the environment may read its keys in a log.
 */
export function replay(
  key: IdempotencyKey,
  first: { fingerprint: Buffer; callerId: string | null },
  answer: () => KeyedAnswer,
): Outcome<KeyedAnswer> {
  if (!key.fingerprint.equals(first.fingerprint))
    return new Refusal('validation_failed', {
      reason: 'idempotency_key_reused',
      message:
        'This Idempotency-Key was used before with a different request. Use a new key for a new request.',
      details: [{ field: 'Idempotency-Key', issue: 'must be new for a new request' }],
    })
  if (first.callerId === null || first.callerId === key.callerId) return answer()
  return new Refusal('validation_failed', {
    reason: 'secret_of_another_caller',
    message:
      'Another API key or user has sent this request with this Idempotency-Key, and the response holds a secret.',
    details: [{ field: 'Idempotency-Key', issue: 'must be new for a new request' }],
  })
}

/**
 * Claims the keys in a fixed order. Returns those that could not be claimed, by name: with their
 * answer, or undefined while another transaction holds the key.
 */
async function claimAll(
  { tx, now }: KeyDependencies,
  leaders: Slot<unknown>[],
): Promise<Map<string, IdempotencyKeyRow | undefined>> {
  if (leaders.length === 0) return new Map()
  const rows = leaders.map(({ call }) => toClaim(call)).sort(byIdentity)
  const claimed = await tx.count(claimKeys(rows, now)).catch((error: unknown) => {
    // The insert had to wait for a transaction without the advisory lock of `claimKeys`, such as
    // the one that deletes expired keys. A lane handles the timeout itself: it defers the batch.
    throw tx.waitsForLocks && isLockTimeout(error) ? inProgress() : error
  })
  if (claimed === rows.length) return new Map()
  const found = await tx.rows(findClaimedKeys(rows, now))
  const byName = new Map(found.map((row) => [`${row.environmentId}/${row.digest}`, row]))
  const missed = leaders.filter(({ name }) => !byName.get(name!)?.isClaimed)
  return new Map(missed.map(({ name }) => [name!, byName.get(name!)]))
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
    pauseMs: idempotencyLimits.inProgressRetryDelayMs,
    pauseMaxMs: idempotencyLimits.inProgressWaitMaxMs,
    timeoutMs: idempotencyLimits.inProgressWaitMaxMs,
  })
}

function remember({ tx, now, seal }: KeyDependencies, fresh: Slot<unknown>[]): void {
  const updates: (Identity & ReturnType<typeof toUpdate>)[] = []
  const deletions: Identity[] = []
  for (const { call, answer } of fresh) {
    if (!call.key) continue
    if (!isRemembered(answer!.status)) deletions.push(identityOf(call))
    // The claim has already written the expected answer.
    else if (!isExpected(call.expected, answer!))
      updates.push(toUpdate(call, answer!, { now, seal }))
  }
  if (updates.length > 0) tx.write(rememberAnswers(updates.sort(byIdentity)))
  if (deletions.length > 0) tx.write(forgetKeys(deletions.sort(byIdentity)))
}

/** A secret is never written with the claim. */
function isExpected(expected: Answer | undefined, answer: Answer): boolean {
  if (answer.holdsSecret || expected?.holdsSecret) return false
  return expected?.status === answer.status && expected.body === answer.body
}

function toClaim(call: KeyedCall<unknown>) {
  const expected = call.expected?.holdsSecret ? undefined : call.expected
  return {
    environmentId: call.environmentId as number,
    digest: call.key!.digest,
    key: call.key!.text,
    fingerprint: call.key!.fingerprint,
    status: expected?.status ?? null,
    answer: expected?.body ?? null,
    forgetAt: call.expiresAt,
  }
}

function toUpdate(
  call: KeyedCall<unknown>,
  answer: Answer,
  { now, seal }: Pick<KeyDependencies, 'now' | 'seal'>,
) {
  const stored = toStored(answer, call.key!.callerId, seal)
  const refusedUntil = stored.status >= 400 ? after(now, idempotencyLimits.retentionMs) : null
  return {
    environmentId: call.environmentId as number,
    digest: call.key!.digest,
    status: stored.status,
    answer: stored.answer,
    isSealed: stored.isSealed,
    callerId: stored.callerId,
    retryAfterSeconds: stored.retryAfterSeconds,
    forgetAt: call.expiresAt ?? refusedUntil,
  }
}

function identityOf(call: KeyedCall<unknown>): Identity {
  return { environmentId: call.environmentId, digest: call.key!.digest }
}

type Identity = { environmentId: number; digest: string }

function byIdentity(left: Identity, right: Identity): number {
  if (left.environmentId !== right.environmentId) return left.environmentId - right.environmentId
  return left.digest < right.digest ? -1 : 1
}
