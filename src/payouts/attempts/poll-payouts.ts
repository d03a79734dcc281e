import { after, type Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import type { Database } from '../../postgres/database.js'
import { type Lease, whileLeased } from '../../postgres/due.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isLockTimeout } from '../../postgres/wire/failures.js'
import { payoutLimits } from '../limits.js'
import type { AttemptFinding, LiveAttempt, PayoutRail } from '../ports.js'
import { disputesIn, recordDisputes } from '../reconciliation/disputes.js'
import { findInstructions } from '../records/find-instructions.js'
import { isRailPaused } from '../requests/paused-rails.js'
import { reportShortfall } from '../requests/report-shortfall.js'
import { type AttemptVerdict, concludePayouts } from './conclude-payouts.js'
import { isShortfall } from './failure-reasons.js'
import type { FollowReturns } from './followed-returns.js'
import { attemptsDue, claimAttempts, readLiveAttempts } from './live-attempts.js'
import { logPayouts } from './log-payouts.js'

type PollDependencies = {
  db: Database
  rail: PayoutRail
  logger: Logger
  clock: Clock
  follow?: FollowReturns
}

/**
 * Polls the due attempts of a rail and acts on the findings: settles, releases, sends again, or
 * replaces an attempt that can no longer land. On a paused rail nothing is sent or replaced.
 * Returns how many it polled.
 */
export async function pollPayouts(dependencies: PollDependencies, now: Date): Promise<number> {
  const { db, rail } = dependencies
  const attempts = await claimAttempts(db, now, rail.name)
  if (attempts.length === 0) return 0
  await whileLeased(dependencies, attemptsDue, { owner: rail.name, now }, (lease) =>
    pollClaimed(dependencies, now, attempts, lease),
  )
  return attempts.length
}

async function pollClaimed(
  dependencies: PollDependencies,
  now: Date,
  attempts: LiveAttempt[],
  lease: Lease,
): Promise<void> {
  const { db, rail } = dependencies
  const findings = await rail.check(attempts)
  const unseen = attempts.filter((_, index) => findings[index]!.state === 'unseen')
  const gone = attempts.filter((_, index) => findings[index]!.state === 'gone')
  const hasToSend = unseen.length + gone.length > 0
  const isPaused = hasToSend && (await isRailPaused(db, rail.name))
  if (!isPaused) await sendInTime(dependencies, lease, unseen)
  const goneVerdicts = isPaused
    ? gone.map(waitFor(now))
    : await replaceGone(dependencies, now, gone)

  const otherVerdicts = attempts
    .map((attempt, index) => toVerdict(now, attempt, findings[index]!))
    .filter((verdict) => verdict !== undefined)
  const note = (tx: Tx) => recordDisputes(tx, now, disputesIn(rail.name, attempts, findings))
  await concludeOrSkipLocked(dependencies, now, {
    verdicts: [...otherVerdicts, ...goneVerdicts],
    note,
  })
  for (const { attempt, ...verdict } of otherVerdicts)
    if (verdict.verdict === 'failed' && isShortfall(verdict.reason))
      await reportShortfall(dependencies, now, { rail: rail.name, asset: attempt.asset })
  await sendReplacements(dependencies, lease, goneVerdicts)
}

/**
 * Records all verdicts in one transaction. If another transaction holds rows of a merchant, records
 * them merchant by merchant and skips that merchant: its payouts are polled again when their lease
 * ends.
 */
async function concludeOrSkipLocked(
  { db, logger, follow }: PollDependencies,
  now: Date,
  { verdicts, note }: { verdicts: AttemptVerdict[]; note: (tx: Tx) => void },
): Promise<void> {
  try {
    const ended = await db.transaction((tx) => {
      note(tx)
      return concludePayouts(tx, now, verdicts, follow)
    })
    logPayouts({ db, logger }, ended)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await db.transaction(async (tx) => note(tx))
    for (const environmentId of new Set(verdicts.map(({ attempt }) => attempt.environmentId))) {
      const own = verdicts.filter(({ attempt }) => attempt.environmentId === environmentId)
      await db
        .transaction((tx) => concludePayouts(tx, now, own, follow))
        .then((ended) => logPayouts({ db, logger }, ended))
        .catch((failure: unknown) => {
          if (!isLockTimeout(failure)) throw failure
          logger.warn(
            { environmentId },
            'payouts are not concluded: another transaction holds their rows',
          )
        })
    }
  }
}

/**
 * Another worker may claim the attempts once the lease ends, and later an operator may fail the
 * payout and release the money. So a worker that could not renew its lease sends nothing more.
 */
async function sendInTime(
  { rail, logger }: PollDependencies,
  lease: Lease,
  unseen: LiveAttempt[],
): Promise<void> {
  for (let sent = 0; sent < unseen.length; sent += payoutLimits.sendsPerLeaseCheckMax) {
    if (!lease.holds()) {
      logger.warn(
        { rail: rail.name, attempts: unseen.length - sent },
        'too late to send again; left to the next poll',
      )
      return
    }
    await rail.send(unseen.slice(sent, sent + payoutLimits.sendsPerLeaseCheckMax))
  }
}

/** Undefined: the attempt is gone; `replaceGone` decides. */
function toVerdict(
  now: Date,
  attempt: LiveAttempt,
  finding: AttemptFinding,
): AttemptVerdict | undefined {
  switch (finding.state) {
    case 'landed':
      return {
        attempt,
        verdict: 'landed',
        sessionId: finding.sessionId ?? null,
        providerFee: finding.providerFee ?? null,
      }
    case 'failed':
      return { attempt, verdict: 'failed', reason: finding.reason }
    case 'gone':
      return undefined
    default: {
      const dueAt = after(now, nextPollMs(now, attempt))
      return { attempt, verdict: 'wait', dueAt, expiresBy: finding.expiresBy }
    }
  }
}

/** A hundredth of the age, within limits. */
export function nextPollMs(now: Date, { createdAt }: Pick<LiveAttempt, 'createdAt'>): number {
  const { pollIntervalMs, pollIntervalMaxMs } = payoutLimits
  const ageMs = now.getTime() - createdAt.getTime()
  return Math.min(Math.max(pollIntervalMs, ageMs / 100), pollIntervalMaxMs)
}

/** Signs payouts again whose attempt can no longer land. Fails those that are refused for good. */
async function replaceGone(
  { db, rail, logger }: PollDependencies,
  now: Date,
  gone: LiveAttempt[],
): Promise<AttemptVerdict[]> {
  if (gone.length === 0) return []
  const exhausted = gone.filter(({ number }) => number >= payoutLimits.attemptsMax)
  const replaceable = gone.filter(({ number }) => number < payoutLimits.attemptsMax)
  const replacements = await rail.prepare(await findInstructions(db, replaceable))
  return [
    ...exhausted.map((attempt) => ({ attempt, verdict: 'dead', reason: 'expired' }) as const),
    ...replaceable.map((attempt, index): AttemptVerdict => {
      const replacement = replacements[index]!
      if (!(replacement instanceof Refusal)) return { attempt, verdict: 'again', replacement }
      const { reason } = replacement
      logger.warn(
        { reference: attempt.reference, reason },
        'the rail refused a replacement attempt',
      )
      // The old attempt can no longer land. Only a permanent refusal ends the payout; otherwise the
      // attempt stays LIVE and is replaced later.
      return isPermanent(replacement)
        ? { attempt, verdict: 'dead', reason: reason ?? 'refused' }
        : { attempt, verdict: 'wait', dueAt: after(now, payoutLimits.pollIntervalMs) }
    }),
  ]
}

/** Nothing is signed on a paused rail. The old attempt stays until the rail is resumed. */
function waitFor(now: Date) {
  return (attempt: LiveAttempt): AttemptVerdict => {
    return { attempt, verdict: 'wait', dueAt: after(now, nextPollMs(now, attempt)) }
  }
}

/** Rails refuse with 422 what they would refuse again, and with 503 what may work later. */
function isPermanent({ status }: Refusal): boolean {
  return status === 422
}

async function sendReplacements(
  dependencies: PollDependencies,
  lease: Lease,
  verdicts: AttemptVerdict[],
): Promise<void> {
  const again = verdicts.filter(({ verdict }) => verdict === 'again')
  if (again.length === 0) return
  const names = again.map(({ attempt }) => ({
    environmentId: attempt.environmentId,
    id: attempt.payoutId,
  }))
  await sendInTime(dependencies, lease, await readLiveAttempts(dependencies.db, names))
}
