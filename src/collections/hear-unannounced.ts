import { after } from '../clock.js'
import type { Mode } from '../environment.js'
import { limits } from '../limits.js'
import type { Logger } from '../log.js'
import type { Database } from '../postgres/database.js'
import { comparePayments } from './compare-payments.js'
import type { CollectionRail } from './ports.js'
import { insertNotices } from './store-notices.js'

type Tools = { db: Database; rail: CollectionRail; mode: Mode; logger: Logger }

/**
 * Asks a bank what came lately, and keeps what it failed to announce as if it had: it is judged
 * like everything else. A notice that comes after all finds that it was heard. Says how many.
 */
export async function hearUnannounced(tools: Tools, now: Date): Promise<number> {
  const { db, rail, mode, logger } = tools
  const from = after(now, -limits.collections.unannouncedMs)
  const { unheard } = await comparePayments(db, rail, { from, to: now })
  if (unheard.length === 0) return 0
  logger.warn({ rail: rail.name, count: unheard.length }, 'a bank did not announce payments')
  const notices = unheard.map((announced) => ({
    ...{ rail: rail.name, mode, id: announced.id, announced, body: null },
  }))
  await db.transaction(async (tx) => insertNotices(tx, now, now, notices))
  return unheard.length
}
