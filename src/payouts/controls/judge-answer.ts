import type { DeliveryResult } from '../../webhooks/deliveries/send.js'
import { callbackLimits } from '../limits.js'

/** What a callback decided; `problem` if its answer decides nothing. */
export type CallbackAnswer =
  | { decision: 'approve' }
  | { decision: 'reject'; reason: string | null }
  | { problem: string }

/**
 * Only a complete answer with status 200 decides. An answer that names the hash of another order,
 * such as one that a proxy has kept, decides nothing.
 */
export function judgeAnswer(
  { status, error, response }: Pick<DeliveryResult, 'status' | 'error' | 'response'>,
  orderHash: string,
): CallbackAnswer {
  if (status === null) return { problem: error ?? 'no answer' }
  if (status !== 200) return { problem: `answered with ${status}` }
  if (Buffer.byteLength(response) > callbackLimits.answerBytesMax)
    return { problem: `the answer is longer than ${callbackLimits.answerBytesMax} bytes` }
  const answer = parse(response)
  if (answer === undefined) return { problem: 'the answer is not a JSON object' }
  if (answer.orderHash !== undefined && answer.orderHash !== orderHash)
    return { problem: 'the answer is of another transfer: its `orderHash` differs' }
  if (answer.decision === 'approve') return { decision: 'approve' }
  if (answer.decision === 'reject') return { decision: 'reject', reason: readReason(answer.reason) }
  return { problem: 'the `decision` is neither `approve` nor `reject`' }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Members read it, so it is one line without control characters. */
function readReason(reason: unknown): string | null {
  if (typeof reason !== 'string') return null
  const line = reason.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.slice(0, callbackLimits.rejectionLengthMax).trim() || null
}
