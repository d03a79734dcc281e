import { writeAuditLine } from '../audit/write-line.js'
import type { Tx } from '../postgres/tx.js'
import type { RequestContext } from './edge/keyed-lane.js'
import type { RouteRequest } from './edge/route.js'

type Request = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'actor' | 'environment' | 'requestId' | 'address'
>

/** Records who changed what, in the transaction of the change. Details never hold a secret. */
export function auditChange(
  tx: Tx,
  now: Date,
  { actor, environment, requestId, address }: Request,
  { action, details }: { action: string; details: Record<string, unknown> },
): void {
  if (actor.kind === 'none') return
  writeAuditLine(tx, now, {
    actor,
    action,
    merchantId: environment.merchantId,
    environmentId: environment.id,
    details,
    requestId,
    address,
  })
}

/** For a keyed call that writes a line with `auditChange`, and needs no second one. */
export function withOwnLine({ environment, key, requestId, now }: RequestContext): RequestContext {
  return { environment, key, requestId, now, audited: undefined }
}
