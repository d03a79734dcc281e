import type { Logger } from '../../base/log.js'
import { logFacts } from '../../merchants/log-facts.js'
import { formatDecimal } from '../../money/amounts.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type Payout, referenceOf } from '../payout.js'

/** One line per payout that ended, without its destination. */
export function logPayouts(tools: { db: Queryable; logger: Logger }, payouts: Payout[]): void {
  logFacts(tools, payouts, describe)
}

function describe(payout: Payout) {
  const { status, asset, amount, rail, failureReason } = payout
  const fields = {
    payout: referenceOf(payout),
    amount: formatDecimal(amount, asset),
    asset,
    rail,
    reason: failureReason ?? undefined,
  }
  return { message: `payout ${status.toLowerCase()}`, fields }
}
