import { prefixes, toReference } from '../../base/ids.js'
import { freezeReference } from '../../payouts/freezes/freeze.js'
import { payoutLimits } from '../../payouts/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type CheckResult, warning } from './check-result.js'

type Row = {
  id: string
  subject: string
  reason: string
  frozenAt: Date
  mode: string | null
  merchantId: string | null
}

/** Warns of rails that are frozen for all merchants, and of merchants all of whose payouts are. */
export async function examineFreezes(db: Queryable): Promise<CheckResult[]> {
  const rows = await db.rows(sql<Row>`
    select f.id, f.subject, f.reason, f.frozen_at, e.mode, e.merchant_id
    from payout_freezes f left join environments e on e.id = f.environment_id
    where f.thawed_at is null and (f.environment_id is null or f.kind = 'merchant')
    order by f.id limit ${payoutLimits.freezesListedMax}`)
  return rows.map(({ id, subject, reason, frozenAt, mode, merchantId }) => {
    const what =
      merchantId === null
        ? `payouts through ${subject} are frozen for all merchants`
        : `all payouts of ${toReference(prefixes.merchant, merchantId)} (${mode}) are frozen`
    return warning(
      'Freezes',
      `${what} since ${frozenAt.toISOString()}: ${reason}`,
      `Run \`manilla freeze thaw ${freezeReference({ id })}\` once it is settled, with an account that did not freeze it.`,
    )
  })
}
