import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { Refusal, sayBack } from '../../base/refusal.js'
import type { FindReplay } from '../../idempotency/replays.js'
import type { AuthenticatedKey, KeyRing } from '../../merchants/key-ring.js'
import type { RequestLog } from '../../request-log/request-log.js'
import { answerFailurePage, isForPeople } from '../checkout-page/answer-failure.js'
import { addRoute, addWrongMethods } from './add-route.js'
import { anyPageHeaders, isForAnyPage } from './cors.js'
import { addDocs } from './docs.js'
import { jsonType, refusalBody } from './envelope.js'
import { bug, toRefusal, toSocketRefusal } from './failures.js'
import { createListReads } from './list-reads.js'
import { logRequests } from './log-requests.js'
import type { HttpMetrics } from './metrics.js'
import { pathOf } from './path-of.js'
import { addPoliteClose } from './polite-close.js'
import { createRateLimit } from './rate-limit.js'
import { addFormReader } from './read-form.js'
import { addJsonReader } from './read-json.js'
import type { Readiness } from './readiness.js'
import { toRequestId } from './request-id.js'
import type { Route } from './route.js'
import { validatorCompiler } from './validation.js'

declare module 'fastify' {
  interface FastifyRequest {
    caller: AuthenticatedKey | undefined
    /** The JSON body as it came. */
    bodyText: string
  }
  interface FastifyContextConfig {
    /** Its body is for whoever checks the signature, and nobody else looks at it. */
    isSigned?: boolean
    /** Everyone may ask who knows the address, so the address itself is what gives access. */
    isOpen?: boolean
  }
}

export type Edge = {
  clock: Clock
  logger: Logger
  keyRing: KeyRing
  findReplay: FindReplay
  metrics: HttpMetrics
  readiness: Readiness
  /** Without one, requests are not kept. */
  requestLog: Pick<RequestLog, 'keep'> | undefined
  routes: Route[]
  trustProxy: boolean
  rateLimitPerSecond: number
  publicRateLimitPerSecond: number
}

/** The API edge: what is in the table of routes, and a good "no" to everything else. */
export async function createServer(edge: Edge): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false, // one line for each answer is ours to write
    genReqId: (request) => toRequestId(request.headers['x-request-id']),
    bodyLimit: limits.http.bodyBytes,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    forceCloseConnections: 'idle',
    // The proxy itself and nobody before it: what stands further left a caller may have written.
    trustProxy: edge.trustProxy && ((_address, hop) => hop === 0),
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    // Node would refuse these in its own form; the first hook does in ours.
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) =>
      answerOnSocket(socket, toSocketRefusal(error), toRequestId()),
    frameworkErrors(error, request, reply) {
      addOwnHeaders(request, reply)
      return answerFailure(edge, error, request, reply)
    },
  })
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )
  // Whatever Node reads gets a good answer; those that Fastify does not know would be no route.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.removeContentTypeParser('text/plain')
  addJsonReader(app)
  addFormReader(app)
  app.setValidatorCompiler(validatorCompiler)
  // Answers are written as they are: a serializer that drops fields would hide a mistake.
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('bodyText', '')
  app.decorateRequest('answerText', '')
  app.decorateRequest('isReplayed', false)
  app.decorateRequest('hidesBodies', false)
  addAnswerHooks(app, edge)
  addPoliteClose(app)
  const { requestLog, clock } = edge
  if (requestLog) logRequests(app, { requestLog, clock })
  await addDocs(app, edge.routes)
  const rateLimits = {
    environment: createRateLimit('environment', edge.rateLimitPerSecond, edge.clock),
    address: createRateLimit('address', edge.publicRateLimitPerSecond, edge.clock),
  }
  const guards = { ...edge, rateLimits, listReads: createListReads() }
  for (const route of edge.routes) addRoute(app, route, guards)
  addWrongMethods(app, edge.routes)
  return app
}

function addAnswerHooks(app: FastifyInstance, edge: Edge): void {
  // Every request passes here: without promises, which would cost more than the work itself.
  app.addHook('onRequest', (request, reply, done) => {
    addOwnHeaders(request, reply)
    const hasHost = request.raw.httpVersion !== '1.1' || request.headers.host !== undefined
    done(hasHost ? undefined : needsHost())
  })
  app.addHook('onResponse', (request, reply, done) => {
    edge.metrics.observe(request, reply)
    logAnswer(edge.logger, request, reply)
    done()
  })
  app.setNotFoundHandler(async (request) => {
    throw new Refusal('not_found', {
      message: `There is no ${request.method} ${sayBack(pathOf(request))}. The reference is at /docs.`,
    })
  })
  app.setErrorHandler(async (error, request, reply) => answerFailure(edge, error, request, reply))
}

function needsHost(): Refusal {
  return new Refusal('validation_failed', { message: 'The request needs a Host header.' })
}

function addOwnHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(safeHeaders).header('x-request-id', request.id)
  if (isForAnyPage(request)) reply.headers(anyPageHeaders)
}

/**
 * The same for every answer, so they are written down and not computed: that was a twentieth of the
 * work of a request. Pages relax what they must.
 */
const safeHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

function answerFailure(
  { logger, readiness }: Pick<Edge, 'logger' | 'readiness'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  readiness.noteFailure(error)
  const known = toRefusal(error)
  if (!known) logger.error({ err: error, requestId: request.id }, 'a bug answered 500')
  else if (known.status >= 500) logger.warn({ err: error, requestId: request.id }, known.message)
  const refusal = known ?? bug()
  const { retryAfterSeconds } = refusal
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  if (isForPeople(request)) return answerFailurePage(request, reply, refusal)
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
  request.answerText = refusalBody(refusal, request.id)
  return reply.code(refusal.status).type(jsonType).send(request.answerText)
}

function logAnswer(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { caller } = request
  logger.info(
    {
      requestId: request.id,
      method: request.method,
      path: loggedPath(request),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      environmentId: caller?.environment.id,
      mode: caller?.environment.mode,
      key: caller?.name,
    },
    'answered',
  )
}

/** Who reads a log must not be able to open the pages that payers have opened. */
function loggedPath(request: FastifyRequest): string {
  const { url, config } = request.routeOptions
  if (config?.isOpen && url) return url
  return request.caller ? pathOf(request) : pathOf(request).replace(/cs_\w+/gi, 'cs_[secret]')
}

/** For what never became a request. A client that keeps its side open is cut off a little later. */
function answerOnSocket(socket: Socket, refusal: Refusal, id: string): void {
  const body = refusalBody(refusal, id)
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  if (socket.writable) socket.end([...head, '', body].join('\r\n'))
  setTimeout(() => socket.destroy(), limits.http.lingerMs).unref()
}
