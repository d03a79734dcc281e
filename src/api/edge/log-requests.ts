import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.js'
import type { RequestLog } from '../../request-log/request-log.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer as it is sent, where it is a text: noted by whoever sends it. */
    answerText: string
    /** It is the answer of an earlier request. */
    isReplayed: boolean
    /** The log of requests keeps no bodies of it. */
    hidesBodies: boolean
  }
}

/**
 * Notes every request that came with a key that holds. Only references to what is there already,
 * in one hook: somebody's next request waits for this one's.
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
