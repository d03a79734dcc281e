import type { RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'

/**
 * Stops a merchant in both modes; every process refuses within a second. Returns false if it was
 * already suspended.
 */
export async function suspendMerchant(tx: Tx, now: RealTime, merchantId: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    update merchants set suspended_at = ${now}
    where id = ${merchantId} and suspended_at is null returning id`)
  return rows.length > 0
}

/** Returns false if it was not suspended. */
export async function resumeMerchant(tx: Tx, merchantId: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    update merchants set suspended_at = null
    where id = ${merchantId} and suspended_at is not null returning id`)
  return rows.length > 0
}
