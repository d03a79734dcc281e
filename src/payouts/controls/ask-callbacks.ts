import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  after,
  type Clock,
  pauseAfter,
  type RealTime,
  toEnvironmentTime,
} from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Logger } from '../../base/log.js'
import { Refusal, returnRefusal } from '../../base/refusal.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, whileLeased } from '../../postgres/due.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isDatabaseAway } from '../../postgres/wire/failures.js'
import type { Screening, ScreeningVerdict } from '../../screening/ports.js'
import type { MessageSigner } from '../../webhooks/deliveries/message.js'
import type { Sender } from '../../webhooks/deliveries/send.js'
import { findEndpointKeys } from '../../webhooks/endpoints/endpoint.js'
import {
  merchantSuspended,
  refuseStopped,
  signPending,
  submitPending,
} from '../approvals/decide-pending.js'
import { missingApprovals } from '../approvals/find-approvers.js'
import { endPending, getPendingById } from '../approvals/pending-payouts.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { logPayouts } from '../attempts/log-payouts.js'
import { callbackLimits } from '../limits.js'
import type { Payout, PayoutApproval } from '../payout.js'
import type { PreparedAttempt } from '../ports.js'
import type { PayoutRails } from '../rails.js'
import type { NewPayout } from '../requests/create-payouts.js'
import { askMembers } from '../requests/create-under-rule.js'
import { hashOrder } from '../requests/order-hash.js'
import { showPayout } from '../resource.js'
import { CallbackSlots, type SlotShares } from './callback-slots.js'
import { readRule } from './find-wait.js'
import { holdForScreening, isNewHit } from './hold-for-screening.js'
import { type CallbackAnswer, judgeAnswer } from './judge-answer.js'
import { type ClaimedCheck, checksDue, updateCheck } from './payout-checks.js'
import { screenApproved } from './screen-destination.js'

export type CallbackDependencies = {
  db: Database
  mode: Mode
  rails: PayoutRails
  clock: Clock
  logger: Logger
  /** Its time-out is `callbackLimits.answerMs`. */
  sender: Sender
  sign: MessageSigner
  /** Sends a committed payout, without waiting for it. */
  send: (committed: NewPayout) => void
  /** Absent: nothing is screened. */
  screening?: Screening | undefined
  /** A claim of a payment's money pays by a return, which a callback may reject. */
  follow: FollowReturns
}

/**
 * Asks the callbacks of merchants about pending payouts, and submits those that they approve.
 * Silence never pays: what is not decided in time waits for members. Asking twice is harmless: an
 * answer is recorded, and the payout submitted, under the lock of its row.
 */
export class CallbackAsker {
  readonly #slots = new CallbackSlots()
  readonly #asking = new Set<Promise<void>>()

  /** Begins to ask about what is due, as far as there are slots. Returns how many it claimed. */
  async claim(dependencies: CallbackDependencies, now: RealTime): Promise<number> {
    const proven = await this.#claim(dependencies, now, this.#slots.ofProven())
    return proven + (await this.#claim(dependencies, now, this.#slots.ofOthers()))
  }

  async #claim(
    dependencies: CallbackDependencies,
    now: RealTime,
    { limit, shares }: SlotShares,
  ): Promise<number> {
    const { db, mode, logger } = dependencies
    const isForNone = shares.otherwise === 0 && shares.limits.every((share) => share === 0)
    if (limit <= 0 || isForNone) return 0
    const claim = { owner: mode, now, limit, shares }
    const claimed = await claimDue<ClaimedCheck>(db, checksDue, claim)
    if (claimed.length === 0) return 0
    const runs = claimed.map((check) => this.#run(dependencies, check))
    // Those that are done are not renewed.
    void whileLeased(dependencies, checksDue, claim, () => Promise.all(runs)).catch(
      (error: unknown) => logger.error({ err: error }, 'callbacks lost their lease'),
    )
    return claimed.length
  }

  /** One that fails falls due again when its lease ends. */
  #run(dependencies: CallbackDependencies, check: ClaimedCheck): Promise<void> {
    const end = this.#slots.take(check.environmentId)
    const run = runCheck(dependencies, check)
      .catch((error: unknown) => {
        const level = isDatabaseAway(error) ? 'warn' : 'error'
        dependencies.logger[level]({ err: error }, 'could not ask a callback')
        return undefined
      })
      .then((hasDecided) => {
        end(hasDecided)
        this.#asking.delete(run)
      })
    this.#asking.add(run)
    return run
  }

  /** Waits until a request has ended, or for a moment. Returns whether one has. */
  async waitForNext(): Promise<boolean> {
    if (this.#asking.size === 0) return false
    const isOver = sleep(callbackLimits.busyPollIntervalMs, false, { ref: false })
    return Promise.race([isOver, ...[...this.#asking].map((run) => run.then(() => true))])
  }

  /** Waits for all requests. */
  async finish(): Promise<void> {
    await Promise.all(this.#asking)
  }
}

/** Returns whether the callback decided; undefined if it was not asked. */
async function runCheck(
  dependencies: CallbackDependencies,
  check: ClaimedCheck,
): Promise<boolean | undefined> {
  const { db, clock, logger, send, follow } = dependencies
  const { payout } = await getPendingById(db, toKey(check), { isLocked: false })
  if (payout.status !== 'PENDING') return undefined
  const answer = await findAnswer(dependencies, check, payout)
  const isLast = isApproval(answer) && missingApprovals(payout.approval!) === 0
  // Signed and screened before the transaction: no call leaves while rows are locked.
  const prepared = isLast
    ? await prepareSending(dependencies, payout).catch(returnRefusal)
    : undefined
  const { submitted, ended } = await db.transaction((tx) =>
    conclude(tx, clock.now(), check, { answer, prepared, follow }),
  )
  if (submitted) send(submitted)
  if (ended) logPayouts({ db, logger }, [ended])
  return 'isSuspended' in answer ? undefined : 'decision' in answer
}

/** What sends an approved payout, unless screening found something that is new to its members. */
type PreparedSending = { attempt: PreparedAttempt; verdict: ScreeningVerdict | undefined }

async function prepareSending(
  dependencies: CallbackDependencies,
  payout: Payout,
): Promise<PreparedSending> {
  const { db, clock, screening } = dependencies
  const attempt = await signPending(dependencies, clock.now(), payout)
  return { attempt, verdict: await screenApproved(screening, db, payout) }
}

/** Nothing was asked. */
type Suspended = { isSuspended: true }

function isApproval(answer: CallbackAnswer | Suspended): boolean {
  return 'decision' in answer && answer.decision === 'approve'
}

/**
 * Those that were approved, and not sent then, are not asked about again. One whose time is over is
 * asked about once more: the worker may have had no time for it before.
 */
async function findAnswer(
  dependencies: CallbackDependencies,
  { callback }: ClaimedCheck,
  payout: Payout,
): Promise<CallbackAnswer | Suspended> {
  const { isSuspended } = await getEnvironmentById(dependencies.db, payout.environmentId)
  if (isSuspended) return { isSuspended }
  if (callback === 'APPROVED') return { decision: 'approve' }
  return ask(dependencies, payout)
}

async function ask(
  { db, mode, clock, sender, sign }: CallbackDependencies,
  payout: Payout,
): Promise<CallbackAnswer> {
  const { environmentId, id } = payout
  const callback = (await readRule(db, environmentId))?.controls?.callback
  if (!callback) return { problem: 'the callback was removed from the rule' }
  const keys = await findEndpointKeys(db, { environmentId, reference: callback.signedBy })
  if (!keys) return { problem: 'the webhook endpoint whose keys sign it was deleted' }
  const message = sign(
    keys,
    {
      id: toReference(prefixes.callback, id),
      url: callback.url,
      mode,
      body: showPayout(payout, []),
    },
    clock.now(),
  )
  return judgeAnswer(await sender.send(message), payout.approval!.orderHash)
}

type Findings = {
  answer: CallbackAnswer | Suspended
  prepared: PreparedSending | Refusal | undefined
  follow: FollowReturns
}

type Concluded = { submitted?: NewPayout; ended?: Payout }

/** Records what was found out, under the lock of the payout. */
async function conclude(
  tx: Tx,
  now: RealTime,
  check: ClaimedCheck,
  { answer, prepared, follow }: Findings,
): Promise<Concluded> {
  const pending = await getPendingById(tx, toKey(check), { isLocked: true })
  const { payout, clockOffsetMs } = pending
  const approval = payout.approval!
  const status = approval.callback?.status
  // Ended, or decided by another worker, meanwhile: its check is not due any more.
  if (payout.status !== 'PENDING' || (status !== 'OPEN' && status !== 'APPROVED')) return {}
  if ('isSuspended' in answer) {
    const dueAt = after(now, callbackLimits.sendRetryMs)
    const attempts = check.attempts - 1
    updateCheck(tx, check, { problem: merchantSuspended.message, attempts, dueAt })
    return {}
  }
  if ('problem' in answer) {
    if (status === 'OPEN') await recordSilence(tx, now, check, { payout, problem: answer.problem })
    return {}
  }
  const answeredAt = toEnvironmentTime(now, clockOffsetMs)
  if (answer.decision === 'reject') {
    const { reason: rejection } = answer
    updateCheck(tx, check, { callback: 'REJECTED', rejection, answeredAt, dueAt: null })
    const callback = { ...approval.callback!, status: 'REJECTED' as const, rejection }
    const rejected = { ...pending, payout: withCallback(payout, callback) }
    const ending = { reason: 'callback_rejected', follow } as const
    const [ended] = await endPending(tx, now, [rejected], ending)
    return { ended: ended! }
  }
  assert.equal(hashOrder(payout), approval.orderHash, 'what waits is never edited')
  const approved = { callback: 'APPROVED', answeredAt } as const
  if (missingApprovals(approval) > 0) {
    updateCheck(tx, check, { ...approved, dueAt: null })
    return {}
  }
  // The last member approved while the callback was asked.
  const problem = prepared === undefined ? null : await findProblem(tx, payout, prepared)
  if (prepared === undefined || prepared instanceof Refusal || problem !== null) {
    const dueAt = prepared === undefined ? now : after(now, callbackLimits.sendRetryMs)
    updateCheck(tx, check, { ...approved, problem, dueAt })
    return {}
  }
  updateCheck(tx, check, { ...approved, dueAt: null })
  const { attempt, verdict } = prepared
  if (isNewHit(payout, verdict)) {
    await holdForScreening(tx, now, payout, verdict)
    return {}
  }
  const callback = { ...approval.callback!, status: 'APPROVED' as const }
  const submission = { payout: withCallback(payout, callback), attempt, at: answeredAt }
  return { submitted: (await submitPending(tx, now, submission)).signed }
}

/** Why an approved payout cannot be sent now; null if it can. */
async function findProblem(
  tx: Tx,
  payout: Payout,
  prepared: PreparedSending | Refusal,
): Promise<string | null> {
  const problem =
    prepared instanceof Refusal ? prepared : await refuseStopped(tx, payout).catch(returnRefusal)
  return problem instanceof Refusal ? problem.message : null
}

async function recordSilence(
  tx: Tx,
  now: RealTime,
  check: ClaimedCheck,
  { payout, problem }: { payout: Payout; problem: string },
): Promise<void> {
  const silentFrom = check.silentFrom!
  if (silentFrom > now) {
    const later = after(now, pauseAfter(check.attempts - 1, callbackLimits))
    updateCheck(tx, check, { problem, dueAt: later < silentFrom ? later : silentFrom })
    return
  }
  updateCheck(tx, check, { callback: 'SILENT', reason: 'callback', problem, dueAt: null })
  const { reasons, decisions } = payout.approval!
  // Members of a payout over the limits were asked when it was made; those who approved it decide
  // again, because they did not know that the callback stays silent.
  if (reasons.length === 0) await askMembers(tx, now, payout)
  else if (decisions.length > 0) await askMembers(tx, now, payout, 'callback')
}

function withCallback(payout: Payout, callback: PayoutApproval['callback']): Payout {
  return { ...payout, approval: { ...payout.approval!, callback } }
}

function toKey({ environmentId, payoutId: id }: ClaimedCheck) {
  return { environmentId, id }
}
