import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import { type PayoutKind, referenceOf } from '../../payouts/payout.js'
import type { Destination } from '../../payouts/ports.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { describeRecipient } from './decide-open-payout.js'

type Row = {
  id: string
  kind: PayoutKind
  rail: string
  asset: Asset
  amount: bigint
  destination: string
  submittedAt: Date
  isReviewRequired: boolean
  mode: Mode
  merchantId: string
  merchantName: string
  token: string | null
  attempts: number
  polls: number | null
}

/** Payouts without an outcome, oldest first; those for review, or all. */
export async function findOpenPayouts(
  db: Queryable,
  { isReview, after, limit }: { isReview: boolean; after: Position | undefined; limit: number },
) {
  const rows = await db.rows(sql<Row>`
    select p.id, p.kind, p.rail, p.asset, p.amount, p.destination::text as destination,
      p.submitted_at, p.is_review_required, e.mode, e.merchant_id, m.display_name as merchant_name,
      live.token,
      (select count(*)::int from payout_attempts a
        where a.environment_id = p.environment_id and a.payout_id = p.id) as attempts,
      live.looks as polls
    from payouts p join environments e on e.id = p.environment_id
      join merchants m on m.id = e.merchant_id
      left join payout_attempts live on live.environment_id = p.environment_id
        and live.payout_id = p.id and live.state = 'LIVE'
    where p.status = 'SUBMITTED' ${isReview ? sql`and p.is_review_required` : sql``}
      ${after ? sql`and (p.submitted_at, p.id) > (${after.submittedAt}, ${after.id}::uuid)` : sql``}
    order by p.submitted_at, p.id limit ${limit}`)
  return rows.map((row) => ({
    id: row.id,
    reference: referenceOf(row),
    kind: row.kind,
    rail: row.rail,
    mode: row.mode,
    merchant: toReference(prefixes.merchant, row.merchantId),
    merchantName: row.merchantName,
    asset: row.asset,
    amount: row.amount,
    recipient: describeRecipient(JSON.parse(row.destination) as Destination),
    submittedAt: row.submittedAt,
    isReviewRequired: row.isReviewRequired,
    token: row.token,
    attempts: row.attempts,
    polls: row.polls ?? 0,
  }))
}

/** After the last payout of a page. */
export type Position = { submittedAt: string; id: string }
