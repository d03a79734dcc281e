import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** References of what a payout belongs to; null if it stands alone. */
export type PayoutOrigin = {
  /** The conversion that funded it. */
  conversion: string | null
  /** The batch that it is an item of. */
  batch: string | null
  /** The settlement that it pays. */
  settlement: string | null
}

type Row = {
  id: string
  conversionId: string | null
  batchId: string | null
  settlementId: string | null
}

/** The conversions, batches and settlements of payouts, by the id of the payout. */
export async function findPayoutOrigins(
  db: Queryable,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<Map<string, PayoutOrigin>> {
  const rows = await db.rows(sql<Row>`
    select p.id, c.id as conversion_id, p.batch_id, s.id as settlement_id
    from payouts p left join conversions c
      on c.environment_id = p.environment_id and c.payout_id = p.id
    left join settlements s on s.environment_id = p.environment_id and s.payout_id = p.id
    where p.environment_id = ${environmentId} and p.id = any (${ids}::uuid[])`)
  return new Map(
    rows.map(({ id, conversionId, batchId, settlementId }) => [
      id,
      {
        conversion: conversionId && toReference(prefixes.conversion, conversionId),
        batch: batchId && toReference(prefixes.payoutBatch, batchId),
        settlement: settlementId && toReference(prefixes.settlement, settlementId),
      },
    ]),
  )
}
