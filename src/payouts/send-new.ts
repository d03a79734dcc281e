import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/log.js'
import { gatherBy } from '../postgres/gather-by.js'
import type { NewPayout } from './create-payouts.js'
import { isWithinSendTime } from './live-attempts.js'
import { referenceOf } from './payout.js'
import type { LiveAttempt, PayoutRail } from './ports.js'
import type { PayoutBanks, PayoutRails } from './prepare-payouts.js'

type Tools = { rails: PayoutRails; banks: PayoutBanks; clock: Clock; logger: Logger }

/**
 * Sends payouts right after their commit: the bytes that were written to their rows, which nothing
 * changes afterwards. Only for payouts whose commit this process has seen succeed. If sending
 * fails, is too late or never happens, a worker sends them a moment later, from the rows.
 */
export function createSendAfterCommit({ rails, banks, clock, logger }: Tools) {
  // A rail may serve several kinds of payouts.
  const allRails = new Set([
    ...Object.values(rails).flatMap((byKind) => Object.values(byKind)),
    ...Object.values(banks).flatMap((byProvider) => [...byProvider.values()]),
  ])
  const sendAll = async (rail: PayoutRail, payouts: NewPayout[]) => {
    const now = clock.now()
    const attempts = payouts.map(toLiveAttempt).filter((attempt) => isWithinSendTime(attempt, now))
    if (attempts.length > 0) await rail.send(attempts)
    return payouts.map(() => undefined) // `gatherBy` expects a value for every key
  }
  // By rail: one that does not answer must not delay the others.
  const sendTogether = gatherBy(sendAll)
  const send = (committed: NewPayout): Promise<unknown> => {
    const rail = [...allRails].find(({ name }) => name === committed.payout.rail)
    if (!rail) return Promise.resolve()
    return rail.takesBatches ? sendTogether(rail, committed) : sendAll(rail, [committed])
  }
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
