import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { type PayoutKind, referenceOf } from './payout.js'

type Tools = { db: Database; logger: Logger }

/**
 * A payout of which nobody can say for days what became of it needs somebody to ask the bank. Its
 * hold stays: unknown is not failed. The days are those of its environment, whose clock may have
 * been moved; `now` is the world's. Of all environments, or of one.
 */
export async function markForReview(
  { db, logger }: Tools,
  now: Date,
  environmentId?: EnvironmentId,
): Promise<number> {
  const ofOne = environmentId === undefined ? sql`` : sql`and e.id = ${environmentId}`
  const marked = await db.rows(sql<{ id: string; kind: PayoutKind }>`
    update payouts p set is_review_required = true from (
      select one.environment_id, one.id from payouts one
      join environments e on e.id = one.environment_id
      where one.status = 'SUBMITTED' and not one.is_review_required ${ofOne}
        and one.submitted_at <= ${after(now, -limits.payouts.reviewMs)}::timestamptz
          + e.clock_offset_ms * interval '1 millisecond'
      order by one.submitted_at limit ${limits.payouts.reviewedAtOnce}
      for update of one skip locked) due
    where p.environment_id = due.environment_id and p.id = due.id
    returning p.id, p.kind`)
  for (const payout of marked)
    logger.error({ reference: referenceOf(payout) }, 'a payout is unknown for too long: review it')
  return marked.length
}
