import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import type { TimelineItem } from '../resources/timeline.js'

type DecisionRow = { action: string; outcome: string | null; createdAt: Date }

/** What operators decided about a resource. Who decided and with what evidence stays internal. */
export async function readOperatorItems(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string,
): Promise<TimelineItem[]> {
  const rows = await db.rows(sql<DecisionRow>`
    select action, details ->> 'outcome' as outcome, created_at as "createdAt" from audit_lines
    where environment_id = ${environmentId} and details ->> 'reference' = ${reference}
    order by id desc limit ${limits.timeline.decisionsMax}`)
  return rows.toReversed().map(({ action, outcome, createdAt }) => ({
    at: createdAt,
    isInEnvironmentTime: false,
    kind: 'operator_decision',
    title:
      outcome === null
        ? `The operator changed it: ${action}`
        : `The operator decided the outcome: ${outcome}`,
    reference,
    money: null,
    details: outcome === null ? {} : { status: outcome },
  }))
}
