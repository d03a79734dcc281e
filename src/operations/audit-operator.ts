import type { EnvironmentId } from '../base/environment.js'
import { writeAuditLine } from '../merchants/audit.js'
import type { Tx } from '../postgres/tx.js'

/** An operator: the account of a shell, or a person who is signed in to the console. */
export type Operator =
  | string
  | {
      kind: 'user'
      userId: string
      sessionId: string
      email: string
      requestId: string
      address: string
    }

export type OperatorLine = {
  action: string
  merchantId?: string | undefined
  environmentId?: EnvironmentId | undefined
  details: Record<string, unknown>
}

/** Written in the transaction of the change it records, at its end. */
export function auditOperator(tx: Tx, now: Date, operator: Operator, line: OperatorLine): void {
  const { action, merchantId, environmentId, details } = line
  const actor = typeof operator === 'string' ? operator : operator.email
  writeAuditLine(tx, now, {
    actor,
    action,
    ...(merchantId !== undefined && { merchantId }),
    ...(environmentId !== undefined && { environmentId }),
    details,
  })
}
