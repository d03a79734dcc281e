import { prefixes, toReference } from '../../base/ids.js'
import type { Logger } from '../../base/log.js'
import { logFacts } from '../../merchants/log-facts.js'
import { formatDecimal } from '../../money/amounts.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Payment } from './payment.js'

/** One line per payment, without its sender. */
export function createPaymentLog(tools: {
  db: Queryable
  logger: Logger
}): (payments: Payment[]) => void {
  return (payments) => logFacts(tools, payments, describe)
}

function describe({ id, rail, asset, amount, variance }: Payment) {
  const fields = {
    payment: toReference(prefixes.payment, id),
    amount: formatDecimal(amount, asset),
    asset,
    variance,
    rail,
  }
  return { message: 'payment received', fields }
}
