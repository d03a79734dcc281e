import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/log.js'
import { gather } from '../postgres/gather.js'
import type { NewPayout } from './create-payouts.js'
import { isWithinSendTime } from './live-attempts.js'
import { referenceOf } from './payout.js'
import type { LiveAttempt } from './ports.js'
import type { PayoutRails } from './prepare-payouts.js'

type Tools = { rails: PayoutRails; clock: Clock; logger: Logger }

/**
 * Sends payouts right after their commit: the bytes that were written to their rows, which nothing
 * changes afterwards. Only for payouts whose commit this process has seen succeed. If sending
 * fails, is too late or never happens, a worker sends them a moment later, from the rows.
 */
export function createSendAfterCommit({ rails, clock, logger }: Tools) {
  // A rail may serve several kinds of payouts.
  const allRails = new Set(Object.values(rails).flatMap((byKind) => Object.values(byKind)))
  const send = gather(async (payouts: NewPayout[]) => {
    const now = clock.now()
    for (const rail of allRails) {
      const own = payouts.filter(({ payout }) => payout.rail === rail.name).map(toLiveAttempt)
      const attempts = own.filter((attempt) => isWithinSendTime(attempt, now))
      if (attempts.length > 0) await rail.send(attempts)
    }
    return payouts.map(() => undefined) // `gather` expects a value for every key
  })
  return (committed: NewPayout): void => {
    send(committed).catch((error) =>
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
    token: attempt.token,
    wire: attempt.wire,
    validUntil: attempt.validUntil,
    polls: 0,
    createdAt: preparedAt,
  }
}
