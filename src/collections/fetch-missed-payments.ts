import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import type { CollectionRail, ReportedPayment } from './ports.js'
import { readBankPages } from './read-bank.js'
import { insertNotices } from './store-notices.js'

type Tools = { db: Database; rail: CollectionRail; mode: Mode; logger: Logger }

/**
 * Lists a bank's recent payments and stores notices for those it never sent one for. If a notice
 * arrives later, it is ignored as a duplicate. Returns how many payments were missed.
 */
export async function fetchMissedPayments(tools: Tools, now: Date): Promise<number> {
  const { db, rail, mode, logger } = tools
  const { missedPaymentsLookbackMs, missedPaymentsAgeMinMs } = limits.collections
  const period = {
    from: after(now, -missedPaymentsLookbackMs),
    to: after(now, -missedPaymentsAgeMinMs),
  }
  const missed: ReportedPayment[] = []
  let isComplete = false
  for await (const page of readBankPages(db, { rail, mode, ...period })) {
    for (const { payment, recorded } of page.payments) if (!recorded) missed.push(payment)
    isComplete = page.isLast
  }
  if (!isComplete)
    logger.warn({ rail: rail.name, ...period }, 'bank has more payments than the page limit')
  if (missed.length === 0) return 0
  logger.warn({ rail: rail.name, count: missed.length }, 'bank sent no notice for some payments')
  const notices = missed.map((payment) => ({
    rail: rail.name,
    mode,
    id: payment.id,
    reported: payment,
    body: null,
  }))
  await db.transaction(async (tx) => insertNotices(tx, { now, dueAt: now }, notices))
  return missed.length
}
