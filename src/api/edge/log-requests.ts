import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.js'
import type { RequestLog } from '../../request-log/request-log.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer as sent, if it is text. */
    answerText: string
    /** The answer is that of an earlier request. */
    isReplayed: boolean
    /** The request log keeps no bodies of this request. */
    hidesBodies: boolean
  }
}

/**
 * Passes every request with a valid key to the log. Copies nothing: other requests are waiting.
 */
export function logRequests(
  app: FastifyInstance,
  { requestLog, clock }: { requestLog: Pick<RequestLog, 'keep'>; clock: Clock },
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, method, hidesBodies } = request
    if (caller)
      requestLog.keep({
        environmentId: caller.environment.id,
        requestId: request.id,
        keyName: caller.name,
        method,
        url: request.url,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        isReplayed: request.isReplayed,
        requestBody: hidesBodies ? '' : request.bodyText,
        responseBody: hidesBodies || method === 'HEAD' ? '' : request.answerText,
        answeredAt: clock.now(),
      })
    done()
  })
}
