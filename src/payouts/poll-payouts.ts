import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { Refusal } from '../base/refusal.js'
import type { Database } from '../postgres/database.js'
import { isLockTimeout } from '../postgres/failures.js'
import type { Tx } from '../postgres/tx.js'
import { type AttemptVerdict, concludePayouts } from './conclude-payouts.js'
import { disputesIn, recordDisputes } from './disputes.js'
import { findInstructions } from './find-instructions.js'
import type { FollowReturns } from './follow-returns.js'
import { claimAttempts, readLiveAttempts } from './live-attempts.js'
import type { AttemptFinding, LiveAttempt, PayoutRail } from './ports.js'

type Tools = {
  db: Database
  rail: PayoutRail
  logger: Logger
  clock: Clock
  follow?: FollowReturns
}

/**
 * Polls the due attempts of a rail and acts on the findings: settles, releases, sends again, or
 * replaces an attempt that can no longer land. Returns how many it polled.
 */
export async function pollPayouts(tools: Tools, now: Date): Promise<number> {
  const { db, rail } = tools
  const attempts = await claimAttempts(db, now, rail.name)
  if (attempts.length === 0) return 0
  const findings = await rail.check(attempts)
  const unseen = attempts.filter((_, index) => findings[index]!.state === 'unseen')
  await sendInTime(tools, now, unseen)
  const gone = attempts.filter((_, index) => findings[index]!.state === 'gone')
  const replaced = await prepareReplacements(tools, now, gone)

  const known = attempts
    .map((attempt, index) => conclude(now, attempt, findings[index]!))
    .filter((conclusion) => conclusion !== undefined)
  const note = (tx: Tx) => recordDisputes(tx, now, disputesIn(rail.name, attempts, findings))
  await concludeTogether(tools, now, { conclusions: [...known, ...replaced], note })
  await sendReplacements(tools, replaced)
  return attempts.length
}

/**
 * Concludes all in one transaction. If another transaction holds rows of a merchant, concludes them
 * merchant by merchant; only the payouts of that merchant wait until their lease ends.
 */
async function concludeTogether(
  { db, logger, follow }: Tools,
  now: Date,
  { conclusions, note }: { conclusions: AttemptVerdict[]; note: (tx: Tx) => void },
): Promise<void> {
  try {
    await db.transaction((tx) => {
      note(tx)
      return concludePayouts(tx, now, conclusions, follow)
    })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await db.transaction(async (tx) => note(tx))
    for (const environmentId of new Set(conclusions.map(({ attempt }) => attempt.environmentId))) {
      const own = conclusions.filter(({ attempt }) => attempt.environmentId === environmentId)
      await db
        .transaction((tx) => concludePayouts(tx, now, own, follow))
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
 * Once the lease ends, an operator may fail the payout and release the money. So a worker that took
 * too long to poll sends nothing and leaves it to the next poll.
 */
async function sendInTime(
  { rail, clock, logger }: Tools,
  now: Date,
  unseen: LiveAttempt[],
): Promise<void> {
  if (unseen.length === 0) return
  if (clock.now() < after(now, limits.payouts.sendWithinMs)) return rail.send(unseen)
  logger.warn(
    { rail: rail.name, attempts: unseen.length },
    'too late to send again; left to the next poll',
  )
}

/** Undefined: the attempt is gone; `prepareReplacements` decides. */
function conclude(
  now: Date,
  attempt: LiveAttempt,
  finding: AttemptFinding,
): AttemptVerdict | undefined {
  switch (finding.state) {
    case 'landed':
      return { attempt, verdict: 'landed' }
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
  const { pollIntervalMs, pollIntervalMaxMs } = limits.payouts
  const ageMs = now.getTime() - createdAt.getTime()
  return Math.min(Math.max(pollIntervalMs, ageMs / 100), pollIntervalMaxMs)
}

/** Signs payouts again whose attempt can no longer land. One that the rail now refuses fails. */
async function prepareReplacements(
  { db, rail, logger }: Tools,
  now: Date,
  gone: LiveAttempt[],
): Promise<AttemptVerdict[]> {
  if (gone.length === 0) return []
  const exhausted = gone.filter(({ number }) => number >= limits.payouts.attemptsMax)
  const replaceable = gone.filter(({ number }) => number < limits.payouts.attemptsMax)
  const prepared = await rail.prepare(await findInstructions(db, replaceable))
  return [
    ...exhausted.map((attempt) => ({ attempt, verdict: 'dead', reason: 'expired' }) as const),
    ...replaceable.map((attempt, index): AttemptVerdict => {
      const next = prepared[index]!
      if (!(next instanceof Refusal)) return { attempt, verdict: 'again', prepared: next }
      logger.warn(
        { reference: attempt.reference, reason: next.reason },
        'the rail refused a replacement attempt',
      )
      // The old attempt is dead either way; only a permanent refusal ends the payout.
      const isPermanent = next.status === 422
      return isPermanent
        ? { attempt, verdict: 'dead', reason: next.reason ?? 'refused' }
        : { attempt, verdict: 'wait', dueAt: after(now, limits.payouts.pollIntervalMs) }
    }),
  ]
}

async function sendReplacements({ db, rail }: Tools, replaced: AttemptVerdict[]): Promise<void> {
  const again = replaced.filter(({ verdict }) => verdict === 'again')
  if (again.length === 0) return
  const names = again.map(({ attempt }) => ({
    environmentId: attempt.environmentId,
    id: attempt.payoutId,
  }))
  await rail.send(await readLiveAttempts(db, names))
}
