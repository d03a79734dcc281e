import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Why a share or take-back exists: the payment, and the refund that took it back. */
export type SplitCause = { id: string; paymentId: string; returnId: string | null }

/** By the id of the share or take-back. Other ids are left out. */
export async function findSplitCauses(
  db: Queryable,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<Map<string, SplitCause>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<SplitCause>`
    select id, payment_id, null::uuid as return_id from payment_shares
    where environment_id = ${environmentId} and id = any(${ids}::uuid[])
    union all
    select t.id, s.payment_id, t.return_id
    from share_take_backs t
    join payment_shares s on s.environment_id = t.environment_id and s.id = t.share_id
    where t.environment_id = ${environmentId} and t.id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row]))
}

type Split = { paymentIds: string[]; returnIds: string[]; limit: number }

/** The ids of the shares of these payments, and of what these refunds took back; oldest first. */
export async function listSplitCauses(
  db: Queryable,
  environmentId: EnvironmentId,
  { paymentIds, returnIds, limit }: Split,
): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select id from (
      select id from payment_shares
      where environment_id = ${environmentId} and payment_id = any(${paymentIds}::uuid[])
      union all
      select id from share_take_backs
      where environment_id = ${environmentId} and return_id = any(${returnIds}::uuid[])) causes
    order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}
