import { writeAuditLine } from '../../audit/write-line.js'
import type { Environment } from '../../base/environment.js'
import type { Answer } from '../../idempotency/answer.js'
import type { Tx } from '../../postgres/tx.js'
import { redactBody, redactQuery } from '../../request-log/redact-body.js'
import type { UserActor } from '../../team/actor.js'

/** A call of a person, as the audit log records it. Calls with an API key have none. */
export type AuditedCall = {
  actor: UserActor
  environment: Environment
  operation: string
  requestId: string
  address: string
  params: unknown
  /** Empty if the route hides its bodies. */
  bodyText: string
  /** When the request arrived, in real time. */
  at: Date
}

/** Records an accepted call, in the transaction of its change. */
export function auditAnswer(tx: Tx, call: AuditedCall, answer: Answer): void {
  if (answer.status >= 400) return
  const reference = referenceIn(answer)
  const { reference: named } = paramsOf(call)
  // A part of something, such as a note on a payment, is recorded with what it belongs to.
  const of = reference !== undefined && reference !== named ? named : undefined
  auditCall(tx, call, { reference, of, status: answer.status })
}

/**
 * Records an accepted call of a route with a transaction of its own, with what it knows beyond the
 * request, such as fields before and after. Does nothing for API keys.
 */
export function auditCall(
  tx: Tx,
  call: AuditedCall | undefined,
  known: Record<string, unknown>,
): void {
  if (!call) return
  const { actor, environment, operation, requestId, address, at } = call
  writeAuditLine(tx, at, {
    actor,
    action: actionOf(operation),
    merchantId: environment.merchantId,
    environmentId: environment.id,
    details: {
      ...paramsOf(call),
      ...withoutUndefined(known),
      ...('after' in known ? {} : bodyOf(call)),
    },
    requestId,
    address,
  })
}

/** Written before the first byte is sent: what leaves is known even if the connection breaks. */
export function auditExport(tx: Tx, call: AuditedCall, query: string): void {
  const { actor, environment, operation, requestId, address, at } = call
  writeAuditLine(tx, at, {
    actor,
    action: actionOf(operation).replace(/\.\w+$/, '.export'),
    merchantId: environment.merchantId,
    environmentId: environment.id,
    details: { ...paramsOf(call), filters: redactQuery(query) },
    requestId,
    address,
  })
}

/** `createBankTransfer` is `bank_transfer.create`, in the manner of event types. */
export function actionOf(operation: string): string {
  const [, verb = operation, noun = ''] = /^([a-z]+)(.*)$/.exec(operation) ?? []
  const words = noun.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
  return words === '' ? verb : `${words}.${verb}`
}

function paramsOf({ params }: AuditedCall): Record<string, unknown> {
  const { reference, id, ...rest } = (params ?? {}) as Record<string, unknown>
  return withoutUndefined({ reference: reference ?? id, ...rest })
}

function bodyOf({ bodyText }: AuditedCall): { body?: unknown } {
  const { text, isCut } = redactBody(bodyText)
  if (text === null) return {}
  if (isCut) return { body: text }
  try {
    return { body: JSON.parse(text) }
  } catch {
    return { body: text }
  }
}

/** What was created or changed. */
function referenceIn({ body }: Answer): unknown {
  const { data } = JSON.parse(body) as { data?: { reference?: unknown; id?: unknown } }
  return data?.reference ?? data?.id
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
