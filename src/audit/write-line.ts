import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { installationChain } from './chain.js'

/** A user, an API key, or the name of an operator's shell account or of a job. */
export type AuditActor =
  | string
  | {
      kind: 'user'
      userId: string
      sessionId: string
      email: string
      /** Empty if the user does not act for a merchant. */
      permissions: ReadonlySet<string>
    }
  | { kind: 'key'; name: string }

/** Who did what. Details never hold a secret. */
export type AuditLine = {
  actor: AuditActor
  action: string
  merchantId?: string | undefined
  environmentId?: EnvironmentId | undefined
  details: Record<string, unknown>
  requestId?: string | undefined
  address?: string | undefined
  /**
   * The log that shows the line. By default that of the merchant if a member did it, and that of
   * the installation if an operator did it: merchants do not read operators' reasons.
   */
  log?: 'merchant' | 'installation'
}

/**
 * Written in the transaction of the change it records, at its end: the line locks the head of its
 * chain, and no other lock may be taken after that one.
 */
export function writeAuditLine(tx: Tx, now: RealTime, line: AuditLine): void {
  const { actor, action, merchantId, environmentId, details } = line
  const isNamed = typeof actor === 'string'
  const user = !isNamed && actor.kind === 'user' ? actor : undefined
  const isMember = !isNamed && (!user || user.permissions.size > 0)
  const log = line.log ?? (isMember ? 'merchant' : 'installation')
  const chain = (log === 'merchant' && merchantId) || installationChain
  const name = isNamed ? actor : actor.kind === 'user' ? actor.email : actor.name
  tx.writeLast(
    chain,
    sql`
      insert into audit_lines (id, actor, action, merchant_id, environment_id, details, created_at,
        chain, user_id, session_id, address, request_id)
      values (${newId(now)}, ${name}, ${action}, ${merchantId ?? null}, ${environmentId ?? null},
        ${JSON.stringify(details)}, ${now}, ${chain}, ${user?.userId ?? null},
        ${user?.sessionId ?? null}, ${line.address ?? null}, ${line.requestId ?? null})`,
  )
}
