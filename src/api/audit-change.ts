import { writeAuditLine } from '../merchants/audit.js'
import type { Tx } from '../postgres/tx.js'
import type { RouteRequest } from './edge/route.js'

type Request = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'actor' | 'environment' | 'requestId' | 'address'
>

/** Records who changed what, in the transaction of the change. Details never hold a secret. */
export function auditChange(
  tx: Tx,
  now: Date,
  { actor, environment }: Request,
  { action, details }: { action: string; details: Record<string, unknown> },
): void {
  const name = actor.kind === 'user' ? actor.email : actor.kind === 'key' ? actor.name : 'unknown'
  writeAuditLine(tx, now, {
    actor: name,
    action,
    merchantId: environment.merchantId,
    environmentId: environment.id,
    details,
  })
}
