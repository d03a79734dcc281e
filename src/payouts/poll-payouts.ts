import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { Refusal } from '../base/refusal.js'
import type { Database } from '../postgres/database.js'
import { isLockTimeout } from '../postgres/failures.js'
import type { Tx } from '../postgres/tx.js'
import { type Conclusion, concludePayouts } from './conclude-payouts.js'
import { disputesIn, noteDisputes } from './disputes.js'
import { findInstructions } from './find-instructions.js'
import type { FollowReturns } from './follow-returns.js'
import { claimAttempts, readLiveAttempts } from './live-attempts.js'
import type { Finding, LiveAttempt, PayoutRail } from './ports.js'

type Tools = {
  db: Database
  rail: PayoutRail
  logger: Logger
  clock: Clock
  follow?: FollowReturns
}

/**
 * Looks at the due attempts of a rail and acts on what it says: settles, gives back, sends the same
 * again, or replaces an attempt that can never land any more. Says how many it looked at.
 */
export async function pollPayouts(tools: Tools, now: Date): Promise<number> {
  const { db, rail } = tools
  const attempts = await claimAttempts(db, now, rail.name)
  if (attempts.length === 0) return 0
  const findings = await rail.check(attempts)
  const unseen = attempts.filter((_, index) => findings[index]!.state === 'unseen')
  await sendInTime(tools, now, unseen)
  const gone = attempts.filter((_, index) => findings[index]!.state === 'gone')
  const replaced = await prepareAgain(tools, now, gone)

  const known = attempts
    .map((attempt, index) => conclude(now, attempt, findings[index]!))
    .filter((conclusion) => conclusion !== undefined)
  const note = (tx: Tx) => noteDisputes(tx, now, disputesIn(rail.name, attempts, findings))
  await concludeTogether(tools, now, { conclusions: [...known, ...replaced], note })
  await sendReplacements(tools, replaced)
  return attempts.length
}

/**
 * In one transaction; or merchant by merchant, where another transaction holds rows of one of them.
 * Only the payouts of that merchant wait for the end of their lease.
 */
async function concludeTogether(
  { db, logger, follow }: Tools,
  now: Date,
  { conclusions, note }: { conclusions: Conclusion[]; note: (tx: Tx) => void },
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
          logger.warn({ environmentId }, 'payouts wait: their rows are held')
        })
    }
  }
}

/**
 * Once the lease is over an operator may call the payout failed and give the money back, so a
 * worker that took too long to find out leaves the sending to whoever looks next.
 */
async function sendInTime(
  { rail, clock, logger }: Tools,
  now: Date,
  unseen: LiveAttempt[],
): Promise<void> {
  if (unseen.length === 0) return
  if (clock.now() < after(now, limits.payouts.sendWithinMs)) return rail.send(unseen)
  logger.warn({ rail: rail.name, attempts: unseen.length }, 'it is too late to send again')
}

/** Undefined: the attempt is gone, and what follows has been decided apart. */
function conclude(now: Date, attempt: LiveAttempt, finding: Finding): Conclusion | undefined {
  switch (finding.state) {
    case 'landed':
      return { attempt, verdict: 'landed' }
    case 'failed':
      return { attempt, verdict: 'failed', reason: finding.reason }
    case 'gone':
      return undefined
    default: {
      const dueAt = after(now, nextLookMs(now, attempt))
      return { attempt, verdict: 'wait', dueAt, expiresBy: finding.expiresBy }
    }
  }
}

/** Often while it is young; the older it is, the less another minute matters. */
export function nextLookMs(now: Date, { createdAt }: Pick<LiveAttempt, 'createdAt'>): number {
  const { lookEveryMs, longestLookMs } = limits.payouts
  const ageMs = now.getTime() - createdAt.getTime()
  return Math.min(Math.max(lookEveryMs, ageMs / 100), longestLookMs)
}

/** A payout whose attempt died is carried anew; one that the rail now refuses has failed. */
async function prepareAgain(
  { db, rail, logger }: Tools,
  now: Date,
  gone: LiveAttempt[],
): Promise<Conclusion[]> {
  if (gone.length === 0) return []
  const tired = gone.filter(({ number }) => number >= limits.payouts.attempts)
  const rest = gone.filter(({ number }) => number < limits.payouts.attempts)
  const prepared = await rail.prepare(await findInstructions(db, rest))
  return [
    ...tired.map((attempt) => ({ attempt, verdict: 'dead', reason: 'expired' }) as const),
    ...rest.map((attempt, index): Conclusion => {
      const next = prepared[index]!
      if (!(next instanceof Refusal)) return { attempt, verdict: 'again', prepared: next }
      logger.warn({ reference: attempt.reference, reason: next.reason }, 'not prepared again')
      // The old one is dead either way; only a refusal for good ends the payout.
      const isForGood = next.status === 422
      return isForGood
        ? { attempt, verdict: 'dead', reason: next.reason ?? 'refused' }
        : { attempt, verdict: 'wait', dueAt: after(now, limits.payouts.lookEveryMs) }
    }),
  ]
}

async function sendReplacements({ db, rail }: Tools, replaced: Conclusion[]): Promise<void> {
  const again = replaced.filter(({ verdict }) => verdict === 'again')
  if (again.length === 0) return
  const names = again.map(({ attempt }) => ({
    environmentId: attempt.environmentId,
    id: attempt.payoutId,
  }))
  await rail.send(await readLiveAttempts(db, names))
}
