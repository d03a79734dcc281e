import { sql } from 'kysely'
import { after } from '../clock.js'
import { limits } from '../limits.js'
import type { Logger } from '../log.js'
import type { Database } from '../postgres/database.js'
import { type PayoutKind, referenceOf } from './payout.js'

/**
 * A payout of which nobody can say for days what became of it needs somebody to ask the bank. Its
 * hold stays: unknown is not failed.
 */
export async function markForReview(
  { db, logger }: { db: Database; logger: Logger },
  now: Date,
): Promise<number> {
  const marked = await db.rows(sql<{ id: string; kind: PayoutKind }>`
    update payouts set is_review_required = true
    where status = 'SUBMITTED' and not is_review_required
      and submitted_at <= ${after(now, -limits.payouts.reviewMs)}
    returning id, kind`)
  for (const payout of marked)
    logger.error({ reference: referenceOf(payout) }, 'a payout is unknown for too long: review it')
  return marked.length
}
