import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { isWithinSendTime } from '../attempts/live-attempts.js'
import type { SentPayouts } from '../attempts/sent-payouts.js'
import { referenceOf } from '../payout.js'
import type { LiveAttempt, PayoutRail } from '../ports.js'
import type { PayoutRails } from '../rails.js'
import type { NewPayout } from './create-payouts.js'
import { gatherByRail } from './gather-by-rail.js'
import { noPausedRails, type PausedRails } from './paused-rails.js'

type SendDependencies = {
  rails: PayoutRails
  clock: Clock
  logger: Logger
  /** Absent: no rail is paused. */
  paused?: PausedRails
  /** Keeps what was sent until it ends. Absent: workers poll it. */
  sentPayouts?: Pick<SentPayouts, 'add' | 'leave'> | undefined
}

/**
 * Sends payouts right after their commit: the bytes that were written to their rows, which nothing
 * changes afterwards. Only for payouts whose commit this process has seen succeed. If sending
 * fails, is too late or never happens, a worker sends them a moment later, from the rows.
 * On a paused rail nothing is sent.
 */
export function createSendAfterCommit(dependencies: SendDependencies) {
  const { rails, clock, logger, paused = noPausedRails, sentPayouts } = dependencies
  const send = gatherByRail(async (rail: PayoutRail, committed: NewPayout[]) => {
    const isPaused = paused.has(rail.name)
    if (isPaused && (await isPaused)) return committed.map(() => undefined)
    const now = clock.now()
    const inTime = committed
      .map((payout) => ({ sent: payout, attempt: toLiveAttempt(payout) }))
      .filter(({ attempt }) => isWithinSendTime(attempt, now))
    try {
      if (inTime.length > 0) await rail.send(inTime.map(({ attempt }) => attempt))
      sentPayouts?.add(rail, inTime)
    } catch (error) {
      await sentPayouts?.leave(inTime)
      throw error
    }
    return committed.map(() => undefined) // `gatherByRail` expects a value for every key
  })
  return (committed: NewPayout): void => {
    const rail = rails.named(committed.payout.rail)
    if (!rail) return
    send(rail, committed).catch((error) =>
      logger.warn({ err: error }, 'a payout was not sent; a worker sends it later'),
    )
  }
}

function toLiveAttempt({ payout, attempt, preparedAt }: NewPayout): LiveAttempt {
  return {
    environmentId: payout.environmentId,
    payoutId: payout.id,
    number: 1,
    reference: referenceOf(payout),
    asset: payout.asset,
    ...attempt,
    polls: 0,
    createdAt: preparedAt,
  }
}
