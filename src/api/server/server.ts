import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Clock, minute } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { explainError, type Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import type { FindReplay } from '../../idempotency/replays.js'
import type { KeyRing } from '../../merchants/keys/key-ring.js'
import type { RequestLog } from '../../request-log/request-log.js'
import type { Sessions, SignedIn } from '../../team/sessions.js'
import { isConsoleHost } from '../auth/authenticate-user.js'
import type { Caller } from '../auth/caller.js'
import { hidesBalances, maskBalances } from '../auth/mask-balances.js'
import { answerFailurePage, getsErrorPage } from '../checkout-page/answer-failure.js'
import { addConsole } from '../console/add-console.js'
import { addInline } from '../inline/add-inline.js'
import { requestRateLimits } from '../limits.js'
import { probePaths } from '../observe/health.js'
import { isLogged, toLogEntry } from '../observe/log-requests.js'
import type { HttpMetrics } from '../observe/metrics.js'
import type { Readiness } from '../observe/readiness.js'
import { addDocs } from '../openapi/docs.js'
import type { FindDemoKey } from '../openapi/reference-page.js'
import { addBodyParsers } from '../parse/parse-body.js'
import { validatorCompiler } from '../parse/validation.js'
import { addRoute, type WriteExport } from './add-route.js'
import { anyPageHeaders, isForAnyPage } from './cors.js'
import { jsonType, refusalBody } from './envelope.js'
import { bug, toRefusal, toSocketRefusal } from './failures.js'
import { addGracefulClose } from './graceful-close.js'
import { createListReads } from './list-reads.js'
import { pathOf } from './path-of.js'
import { createRateLimit } from './rate-limit.js'
import { toRequestId } from './request-id.js'
import type { Route } from './route.js'
import type { SharedLimits } from './shared-limits.js'
import {
  createWrongMethods,
  type KnownPath,
  noSuchEndpoint,
  type WrongMethods,
} from './wrong-methods.js'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Set if a user sends the request. */
    signedIn: SignedIn | undefined
    /** The JSON body as sent. */
    bodyText: string
    /** Set once the request reaches one of our routes. `routeOptions` is built at every read. */
    route: Route | undefined
    /** Set if the path does not support the method. */
    refusedPath: KnownPath | undefined
    /** Why the request was not carried out. */
    refusal: Refusal | undefined
  }
  interface FastifyContextConfig {
    /** Needs no key: knowing the URL gives access. */
    isOpen?: boolean
  }
}

export type Edge = {
  clock: Clock
  logger: Logger
  keyRing: KeyRing
  sessions: Sessions
  /** Undefined: the console answers on every host. */
  consoleUrl: string | undefined
  findReplay: FindReplay
  writeExport: WriteExport
  metrics: HttpMetrics
  readiness: Readiness
  /** Undefined: requests are not logged. */
  requestLog: Pick<RequestLog, 'keep'> | undefined
  routes: Route[]
  trustProxy: boolean
  rateLimitPerSecond: number
  publicRateLimitPerSecond: number
  hasConsole: boolean
  /** Undefined: the limits are counted in this process. */
  sharedLimits: SharedLimits | undefined
  findDemoKey: FindDemoKey
}

/** The HTTP server: the given routes, and a helpful refusal for everything else. */
export async function createServer(edge: Edge): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false, // logAnswer writes one line per answer
    genReqId: (request) => toRequestId(request.headers['x-request-id']),
    bodyLimit: limits.http.bodyBytesMax,
    requestTimeout: limits.http.requestMs,
    keepAliveTimeout: limits.http.keepAliveMs,
    forceCloseConnections: 'idle',
    // Only the address added by the proxy itself: a caller may have sent the others.
    trustProxy: edge.trustProxy && ((_address, hop) => hop === 0),
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.http.pathSegmentLengthMax },
    // The first hook refuses these with our error format instead of Node's.
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
  // Methods that Node parses and Fastify does not know get our 404 or 405, too.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.removeContentTypeParser('text/plain')
  addBodyParsers(app)
  app.setValidatorCompiler(validatorCompiler)
  // A schema-based serializer would silently drop fields.
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('signedIn', undefined)
  app.decorateRequest('bodyText', '')
  app.decorateRequest('answerText', '')
  app.decorateRequest('isReplayed', false)
  app.decorateRequest('route', undefined)
  app.decorateRequest('refusedPath', undefined)
  app.decorateRequest('refusal', undefined)
  const wrongMethods = createWrongMethods(app)
  addAnswerHooks(app, edge, wrongMethods)
  addGracefulClose(app)
  const { clock } = edge
  await addDocs(app, edge.routes, edge.findDemoKey)
  await addInline(app)
  if (edge.hasConsole) await addConsole(app, edge)
  const rateLimits = {
    environment: createRateLimit('environment', {
      max: edge.rateLimitPerSecond,
      clock,
      shared: edge.sharedLimits,
    }),
    address: createRateLimit('address', {
      max: edge.publicRateLimitPerSecond,
      clock,
      shared: edge.sharedLimits,
    }),
    form: createRateLimit('form', {
      max: requestRateLimits.formsPerMinuteMax,
      windowMs: minute,
      clock,
      shared: edge.sharedLimits,
    }),
  }
  const sessions = edge.hasConsole ? edge.sessions : noSessions
  const guards = { ...edge, sessions, rateLimits, listReads: createListReads() }
  const routes = edge.hasConsole ? edge.routes : edge.routes.filter(isWithoutConsole)
  for (const route of routes) addRoute(app, route, guards)
  wrongMethods.add(routes)
  return app
}

/** Without the console, a cookie from before it was switched off is worth nothing. */
const noSessions: Sessions = {
  find: async () => undefined,
  forgetAll() {},
  writeUses: async () => {},
}

function isWithoutConsole({ path, access }: Route): boolean {
  return !path.startsWith('/console/') && !['user', 'any_user', 'operator'].includes(access)
}

function addAnswerHooks(app: FastifyInstance, edge: Edge, { refuse }: WrongMethods): void {
  // Callbacks, because a promise per hook would cost more than the hooks themselves.
  app.addHook('onRequest', (request, reply, done) => {
    addOwnHeaders(request, reply)
    const hasHost = request.raw.httpVersion !== '1.1' || request.headers.host !== undefined
    if (!hasHost) done(needsHost())
    else if (isConsoleElsewhere(request, edge.consoleUrl)) done(noSuchEndpoint(request))
    // Fastify passes on what is thrown.
    else if (!request.is404 || !refuse(request, reply)) done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    noteAnswer(edge, request, reply)
    done()
  })
  app.setNotFoundHandler(async (request) => {
    throw noSuchEndpoint(request)
  })
  app.setErrorHandler(async (error, request, reply) => answerFailure(edge, error, request, reply))
}

/** The console has a host of its own, and this is another one. */
function isConsoleElsewhere(request: FastifyRequest, consoleUrl: string | undefined): boolean {
  if (consoleUrl === undefined || !request.url.startsWith('/console')) return false
  return !isConsoleHost(request.headers.host, consoleUrl)
}

function needsHost(): Refusal {
  return new Refusal('validation_failed', { message: 'The request needs a Host header.' })
}

function addOwnHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(safeHeaders).header('x-request-id', request.id)
  if (isForAnyPage(request)) reply.headers(anyPageHeaders)
}

/** Constants: computing them took 5 % of a request. Pages override what they need. */
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
  const known = toRefusal(error, request.route)
  const refusal = known ?? bug()
  request.refusal = refusal
  if (!known)
    logger.error(
      { err: error, requestId: request.id, ...merchantOf(request.caller) },
      'unexpected error, answered with 500',
    )
  else if (known.status >= 500)
    logger.warn(
      {
        requestId: request.id,
        ...merchantOf(request.caller),
        code: known.code,
        reason: known.reason,
        why: error === known ? undefined : explainError(error),
      },
      known.message,
    )
  const { retryAfterSeconds } = refusal
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  if (getsErrorPage(request)) return answerFailurePage(request, reply, refusal)
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
  const body = refusalBody(refusal, request.id, request.body ?? request.query)
  request.answerText = hidesBalances(request) ? maskBalances(body) : body
  return reply.code(refusal.status).type(jsonType).send(request.answerText)
}

/** Metrics, log line and request log of one answer. */
function noteAnswer(
  { metrics, logger, requestLog, clock }: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { caller, method, route } = request
  const durationMs = reply.elapsedTime
  const status = reply.statusCode
  const pattern = route ? route.path : (request.refusedPath?.path ?? request.routeOptions.url)
  const labels = { method, route: pattern ?? 'unknown' }
  metrics.observe(labels, { status, seconds: durationMs / 1_000 })
  // A probe that succeeds comes every few seconds and says nothing new.
  const level = status < 400 && probePaths.has(labels.route) ? 'debug' : 'info'
  // Composing the line costs more than the check.
  if (logger.isLevelEnabled(level)) {
    const refusal = status >= 400 ? refusalOf(request) : undefined
    logger[level](
      {
        requestId: request.id,
        method,
        path: loggedPath(request, pattern),
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        merchant: caller && toReference(prefixes.merchant, caller.environment.merchantId),
        mode: caller?.environment.mode,
        key: caller?.name,
        code: refusal?.code,
        reason: refusal?.reason,
      },
      'answered',
    )
  }
  if (requestLog && caller && isLogged(request, caller))
    requestLog.keep(toLogEntry(request, reply, caller, { durationMs, answeredAt: clock.now() }))
}

function merchantOf(caller: Caller | undefined) {
  if (!caller) return undefined
  const { merchantId, mode } = caller.environment
  return { merchant: toReference(prefixes.merchant, merchantId), mode }
}

/** A refusal that is remembered under its key is an answer like any other: a text. */
function refusalOf({ refusal, answerText }: FastifyRequest): {
  code?: string | undefined
  reason?: string | undefined
} {
  return refusal ?? (answerText.startsWith('{') ? JSON.parse(answerText) : {})
}

/** Readers of the log must not be able to open pages of payers, or to claim money. */
function loggedPath(request: FastifyRequest, pattern: string | undefined): string {
  const { caller, route, refusedPath } = request
  if (caller) return pathOf(request)
  const isOpen = route
    ? route.access === 'open'
    : (refusedPath ?? request.routeOptions.config)?.isOpen
  if (isOpen && pattern) return pattern
  return pathOf(request)
    .replace(/cs_\w+/gi, 'cs_[secret]')
    .replace(/^\/(i|claim)\/[^/]+/i, '/$1/[secret]')
}

/** Answers bytes that are not a request. Destroys the socket later if the client keeps it open. */
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
