import type { Refusal } from '../../base/refusal.js'
import type { Answer } from '../../idempotency/answer.js'

export const jsonType = 'application/json; charset=utf-8'

/** The two shapes of every answer, written as text once: what is remembered is what was sent. */

export function successBody(message: string, data: unknown): string {
  return JSON.stringify({ status: true, message, data })
}

export function refusalBody(refusal: Refusal, requestId: string): string {
  return JSON.stringify({
    status: false,
    message: refusal.message,
    code: refusal.code,
    reason: refusal.reason,
    details: refusal.details,
    nextStep: refusal.nextStep,
    requestId,
  })
}

export function success(status: number, message: string, data: unknown): Answer {
  return { status, body: successBody(message, data) }
}

export function refused(refusal: Refusal, requestId: string): Answer {
  return { status: refusal.status, body: refusalBody(refusal, requestId) }
}

/** For data that is JSON text already. */
export function successText(status: number, message: string, data: string): Answer {
  return { status, body: `{"status":true,"message":${JSON.stringify(message)},"data":${data}}` }
}

/** A page of items that are JSON text already. */
export function listText(items: string[], next: string | null): string {
  return `{"items":[${items.join(',')}],"nextCursor":${JSON.stringify(next)}}`
}
