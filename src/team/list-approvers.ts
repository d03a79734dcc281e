import type { Environment } from '../base/environment.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { rolesWith } from './permissions.js'

export type Approver = { id: string; name: string }

/** Members who may approve payouts in the mode of the environment, by name. */
export async function listApprovers(
  db: Queryable,
  { merchantId, mode }: Pick<Environment, 'merchantId' | 'mode'>,
): Promise<Approver[]> {
  const mayApprove = rolesWith('payouts.approve', mode)
  return db.rows(sql<Approver>`
    select u.id, u.name from memberships m join users u on u.id = m.user_id
    where m.merchant_id = ${merchantId} and m.role = any (${mayApprove}::text[])
      and m.disabled_at is null and u.disabled_at is null
      and (${mode === 'test'} or m.may_see_live)
    order by u.name, u.id`)
}
