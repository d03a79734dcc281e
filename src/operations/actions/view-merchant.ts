import { after } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator } from './audit-operator.js'
import type { ConsoleOperator } from './operator-actions.js'

/**
 * Lets an operator see what a merchant sees, for half an hour and without changing anything. The
 * merchant reads the reason in its audit log.
 */
export function viewMerchant(
  tx: Tx,
  now: Date,
  { merchantId, reason }: { merchantId: string; reason: string },
  operator: ConsoleOperator,
): { until: Date } {
  const until = after(now, limits.operator.viewMs)
  tx.write(sql`
    insert into operator_views (session_id, merchant_id, reason, created_at, until)
    values (${operator.sessionId}, ${merchantId}, ${reason}, ${now}, ${until})`)
  auditOperator(tx, now, operator, {
    action: 'merchant.view',
    merchantId,
    details: { reason, until },
    shown: { reason, until },
  })
  return { until }
}
