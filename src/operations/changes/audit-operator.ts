import { writeAuditLine } from '../../audit/write-line.js'
import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { Tx } from '../../postgres/transactions/tx.js'

/** An operator who is signed in to the console. */
export type ConsoleOperator = {
  kind: 'user'
  userId: string
  sessionId: string
  email: string
  requestId: string
  address: string
}

/** An operator: the account of a shell, or a user of the console. */
export type Operator = string | ConsoleOperator

/** The name for columns that record who acted. */
export function nameOf(operator: Operator): string {
  return typeof operator === 'string' ? operator : operator.email
}

export type OperatorLine = {
  action: string
  merchantId?: string | undefined
  environmentId?: EnvironmentId | undefined
  details: Record<string, unknown>
  /**
   * What the merchant reads in its own log, if an operator did it in the console. Without
   * `reference`: by that, the timeline of a resource finds lines, and it has the first one.
   */
  shown?: Record<string, unknown>
}

/** No operator is active at a merchant. */
const noPermissions: ReadonlySet<string> = new Set()

/**
 * Writes to the log of the installation and, where the merchant should know, to its own: there
 * without the operator's name and reasons. Call it at the end of the transaction.
 */
export function auditOperator(tx: Tx, now: RealTime, operator: Operator, line: OperatorLine): void {
  const { action, merchantId, environmentId, details, shown } = line
  const concerns = { action, merchantId, environmentId }
  if (typeof operator === 'string') {
    writeAuditLine(tx, now, { actor: operator, ...concerns, details })
    return
  }
  const { userId, sessionId, email, requestId, address } = operator
  const actor = { kind: 'user', userId, sessionId, email, permissions: noPermissions } as const
  const from = { requestId, address }
  writeAuditLine(tx, now, { actor, ...concerns, details, ...from, log: 'installation' })
  if (merchantId && shown)
    writeAuditLine(tx, now, { actor: 'operator', ...concerns, details: shown, log: 'merchant' })
}
