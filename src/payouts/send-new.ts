import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/log.js'
import { gather } from '../postgres/gather.js'
import type { Queryable } from '../postgres/tx.js'
import { isWithinSendTime, readLiveAttempts } from './live-attempts.js'
import type { Payout } from './payout.js'
import type { PayoutRails } from './prepare-payouts.js'

type Tools = { db: Queryable; rails: PayoutRails; clock: Clock; logger: Logger }

/**
 * Sends payouts right after their commit, from their committed rows. If this fails, is too late or
 * never happens, a worker sends them a moment later.
 */
export function createSendAfterCommit({ db, rails, clock, logger }: Tools) {
  // A rail may serve several kinds of payouts.
  const allRails = new Set(Object.values(rails).flatMap((byKind) => Object.values(byKind)))
  const send = gather(async (payouts: Pick<Payout, 'environmentId' | 'id'>[]) => {
    const found = await readLiveAttempts(db, payouts)
    const attempts = found.filter((attempt) => isWithinSendTime(attempt, clock.now()))
    for (const rail of allRails) {
      const own = attempts.filter((attempt) => attempt.rail === rail.name)
      if (own.length > 0) await rail.send(own)
    }
    return payouts.map(() => undefined) // `gather` expects a value for every key
  })
  return (payout: Pick<Payout, 'environmentId' | 'id'>): void => {
    send(payout).catch((error) =>
      logger.warn({ err: error }, 'a payout was not sent; a worker sends it later'),
    )
  }
}
