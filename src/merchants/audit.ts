import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'

/** Who did what. Details never hold a secret. */
export type AuditLine = {
  actor: string
  action: string
  merchantId?: string
  environmentId?: EnvironmentId
  details: Record<string, unknown>
}

export type WrittenAuditLine = Required<Omit<AuditLine, 'merchantId' | 'environmentId'>> & {
  id: string
  merchantId: string | null
  environmentId: EnvironmentId | null
  createdAt: Date
}

/** Written in the transaction of the change it records. */
export function writeAuditLine(tx: Tx, now: Date, line: AuditLine): void {
  tx.write(sql`
    insert into audit_lines
      (id, actor, action, merchant_id, environment_id, details, created_at)
    values (${newId(now)}, ${line.actor}, ${line.action}, ${line.merchantId ?? null},
      ${line.environmentId ?? null}, ${JSON.stringify(line.details)}, ${now})`)
}

/** Newest first. */
export async function listAuditLines(
  db: Queryable,
  count: number = limits.operator.rowsListedDefault,
): Promise<WrittenAuditLine[]> {
  const rows = await db.rows(sql<WrittenAuditLine & { details: string }>`
    select id, actor, action, merchant_id as "merchantId", environment_id as "environmentId",
      details, created_at as "createdAt"
    from audit_lines order by id desc limit ${Math.min(count, limits.operator.rowsListedMax)}`)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
}
