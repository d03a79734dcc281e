import { prefixes, toReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { Merchant } from './create-merchant.js'

export type ListedMerchant = Merchant & { isKycApproved: boolean; suspendedAt: Date | null }

/** Newest first. KYC matters in the live environment only. */
export async function listMerchants(db: Queryable): Promise<ListedMerchant[]> {
  const rows = await db.rows(sql<Omit<ListedMerchant, 'reference'>>`
    select m.id, m.display_name, m.created_at, e.kyc_status = 'APPROVED' as is_kyc_approved,
      m.suspended_at
    from merchants m join environments e on e.merchant_id = m.id and e.mode = 'live'
    order by m.id desc limit ${limits.operator.rowsListedMax}`)
  return rows.map((row) => ({ ...row, reference: toReference(prefixes.merchant, row.id) }))
}
