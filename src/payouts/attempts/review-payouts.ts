import { after } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { payoutLimits } from '../limits.js'
import { type PayoutKind, referenceOf } from '../payout.js'

type ReviewDependencies = { db: Database; logger: Logger }

/**
 * Marks payouts whose outcome has been unknown for days: an operator must ask the bank. The money
 * stays held, since unknown is not failed. Days are counted in the time of the environment, whose
 * clock may have been advanced. Checks one environment, or all.
 */
export async function markForReview(
  { db, logger }: ReviewDependencies,
  now: Date,
  environmentId?: EnvironmentId,
): Promise<number> {
  const inEnvironment = environmentId === undefined ? sql`` : sql`and e.id = ${environmentId}`
  const marked = await db.rows(sql<{ id: string; kind: PayoutKind }>`
    update payouts p set is_review_required = true from (
      select one.environment_id, one.id from payouts one
      join environments e on e.id = one.environment_id
      where one.status = 'SUBMITTED' and not one.is_review_required ${inEnvironment}
        and one.submitted_at <= ${after(now, -payoutLimits.reviewAfterMs)}::timestamptz
          + e.clock_offset_ms * interval '1 millisecond'
      order by one.submitted_at limit ${payoutLimits.reviewsPerBatchMax}
      for update of one skip locked) due
    where p.environment_id = due.environment_id and p.id = due.id
    returning p.id, p.kind`)
  for (const payout of marked)
    logger.error(
      { reference: referenceOf(payout) },
      'the outcome of a payout is unknown for too long: review it',
    )
  return marked.length
}
