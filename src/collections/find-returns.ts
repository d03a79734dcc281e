import { sql } from 'kysely'
import { prefixes, toReference } from '../ids.js'
import { limits } from '../limits.js'
import { toWire } from '../money/amounts.js'
import type { Reader } from '../postgres/tx.js'
import type { Payment } from './payment.js'
import { type ReturnRow, returnColumns, toReturnOf } from './store-returns.js'

/** What of a payment went back, or was to, newest first, as it is shown. */
export async function listReturns(db: Reader, { environmentId, id, asset }: Payment) {
  const rows = await db.rows(sql<ReturnRow>`
    select ${sql.raw(returnColumns('r'))} from payment_returns r
    where r.environment_id = ${environmentId} and r.payment_id = ${id}
    order by r.id desc limit ${limits.collections.returnsShown}`)
  return rows.map(toReturnOf).map((one) => {
    const { bankCode, accountNumber, bankName, accountName } = one.destination
    return {
      reference: toReference(prefixes.paymentReturn, one.id),
      kind: one.takesFrom === 'available' ? 'refund' : 'return',
      amount: toWire(one.amount, asset),
      currency: asset,
      status: one.state,
      destination: { bankCode, accountNumber, bankName, accountName },
      createdAt: one.createdAt.toISOString(),
    }
  })
}
