import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawEntry } from '../../request-log/request-log.js'
import type { Caller } from '../auth/caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer as sent, if it is text. */
    answerText: string
    /** The answer is that of an earlier request. */
    isReplayed: boolean
  }
}

/** The console reads all the time; its reads and dry runs would hide what integrations do. */
export function isLogged({ method, body }: FastifyRequest, caller: Caller): boolean {
  if (caller.kind !== 'user') return true
  return method !== 'GET' && (body as { dryRun?: unknown } | undefined)?.dryRun !== true
}

/** What the log keeps of a request with a valid key. Copies nothing: other requests are waiting. */
export function toLogEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  { durationMs, answeredAt }: Pick<RawEntry, 'durationMs' | 'answeredAt'>,
): RawEntry {
  const { method } = request
  const status = reply.statusCode
  const hidesBodies = request.route?.hidesBodies ?? false
  return {
    environmentId: caller.environment.id,
    requestId: request.id,
    keyId: caller.kind === 'user' ? null : caller.id,
    keyName: caller.name,
    method,
    url: request.url,
    status,
    durationMs,
    isReplayed: request.isReplayed,
    requestBody: hidesBodies ? '' : request.bodyText,
    responseBody: hidesBodies || method === 'HEAD' ? '' : request.answerText,
    refusal: status >= 400 ? request.answerText : '',
    answeredAt,
  }
}
