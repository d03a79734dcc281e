import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import type { CollectionRail, PaymentNotice } from './ports.js'
import { readBank } from './read-bank.js'
import { insertNotices } from './store-notices.js'

type Tools = { db: Database; rail: CollectionRail; mode: Mode; logger: Logger }

/**
 * Asks a bank what came lately, and keeps what it failed to announce as if it had: it is judged
 * like everything else. A notice that comes after all finds that it was heard. Says how many.
 */
export async function fetchUnannouncedPayments(tools: Tools, now: Date): Promise<number> {
  const { db, rail, mode, logger } = tools
  const { unannouncedMs, announcedWithinMs } = limits.collections
  const period = { from: after(now, -unannouncedMs), to: after(now, -announcedWithinMs) }
  const unheard: PaymentNotice[] = []
  const isComplete = await readBank(db, { rail, mode, ...period }, (payment, booked) => {
    if (!booked) unheard.push(payment)
  })
  if (!isComplete) logger.warn({ rail: rail.name, ...period }, 'a bank has more than was asked for')
  if (unheard.length === 0) return 0
  logger.warn({ rail: rail.name, count: unheard.length }, 'a bank did not announce payments')
  const notices = unheard.map((announced) => ({
    rail: rail.name,
    mode,
    id: announced.id,
    announced,
    body: null,
  }))
  await db.transaction(async (tx) => insertNotices(tx, { now, dueAt: now }, notices))
  return unheard.length
}
