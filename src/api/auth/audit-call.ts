import { writeAuditLine } from '../../audit/write-line.js'
import type { Environment } from '../../base/environment.js'
import { prefixes } from '../../base/ids.js'
import type { Answer } from '../../idempotency/answer.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { redactBody, redactQuery } from '../../request-log/redact-body.js'
import type { UserActor } from '../../team/actor.js'

type Fields = Record<string, unknown>

/** A call of a user, as the audit log records it. Calls with an API key have none. */
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
  const { data = {} } = JSON.parse(answer.body) as { data?: Fields }
  // What was created or changed.
  const reference = data.reference ?? data.id
  const { reference: named } = paramsOf(call)
  // A part of something, such as a note on a payment, is recorded with what it belongs to.
  const of = reference !== undefined && reference !== named ? named : undefined
  auditCall(tx, call, { reference, of, status: answer.status, about: moneyIn(data) })
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

/**
 * The money that a call was about and where it comes from or goes to, so that a line says what was
 * approved or refunded. `payer` is masked for members who may not see payers.
 */
function moneyIn(data: Fields): Fields | undefined {
  const amount = data.amount ?? data.sourceAmount
  const currency = data.currency ?? data.asset ?? data.from
  if (amount === undefined || currency === undefined) return undefined
  const { sender, customer } = data as { sender?: Fields; customer?: Fields }
  const to = data.accountName ?? data.destinationAddress ?? data.walletAddress ?? undefined
  // The recipient of a refund is its payer.
  const isRefund = String(data.reference).startsWith(prefixes.paymentReturn)
  return withoutUndefined({
    amount,
    currency,
    to: isRefund ? undefined : to,
    bank: data.bankName ?? undefined,
    payer: isRefund ? to : (sender?.name ?? customer?.name),
    batch: data.items === undefined ? undefined : (data.name ?? data.reference),
  })
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
