import { arrayOf, type JsonText, objectOf, toJson } from '../../base/json-text.js'
import type { Refusal } from '../../base/refusal.js'
import { detailOf } from '../../base/refusals.js'
import type { Answer } from '../../idempotency/answer.js'

export const jsonType = 'application/json; charset=utf-8'

/** The two shapes of every answer, serialized once, so that a replay repeats every byte. */

export function successBody(message: string, data: unknown): string {
  return JSON.stringify({ status: true, message, data })
}

/** `sent` is the body or the query of the request. */
export function refusalBody(refusal: Refusal, requestId: string, sent?: unknown): string {
  const detail = detailOf(refusal.code, refusal.reason, sent)
  return JSON.stringify({
    status: false,
    message: refusal.message,
    code: refusal.code,
    reason: refusal.reason,
    details: refusal.details ?? (detail && [detail]),
    nextStep: refusal.nextStep,
    requestId,
  })
}

export function success(status: number, message: string, data: unknown): Answer {
  return { status, body: successBody(message, data) }
}

export function refused(refusal: Refusal, requestId: string, sent: unknown): Answer {
  const { status, retryAfterSeconds } = refusal
  return { status, body: refusalBody(refusal, requestId, sent), retryAfterSeconds }
}

/** For data that is already JSON text. */
export function successText(status: number, message: string, data: JsonText): Answer {
  return { status, body: `{"status":true,"message":${JSON.stringify(message)},"data":${data}}` }
}

export function listText(items: JsonText[], next: string | null): JsonText {
  return objectOf({ items: arrayOf(items), nextCursor: toJson(next) })
}
