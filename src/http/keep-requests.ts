import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.js'
import type { RequestLog } from '../request-logs/request-log.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer as it was sent, where it is a text. */
    answerText: string
  }
  interface FastifyContextConfig {
    /** The log of requests keeps no bodies of it. */
    hidesBodies?: boolean
  }
}

/**
 * Notes every request that came with a key that holds. Only references to what is there already:
 * somebody's next request waits for this one's hooks.
 */
export function keepRequests(
  app: FastifyInstance,
  { requestLog, clock }: { requestLog: Pick<RequestLog, 'keep'>; clock: Clock },
): void {
  app.decorateRequest('answerText', '')
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.caller && typeof payload === 'string') request.answerText = payload
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, method, routeOptions } = request
    if (caller) {
      const isBare = routeOptions.config.hidesBodies === true
      requestLog.keep({
        environmentId: caller.environment.id,
        requestId: request.id,
        keyName: caller.name,
        method,
        url: request.url,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        isReplayed: reply.hasHeader('idempotent-replayed'),
        requestBody: isBare ? '' : request.bodyText,
        responseBody: isBare || method === 'HEAD' ? '' : request.answerText,
        answeredAt: clock.now(),
      })
    }
    done()
  })
}
