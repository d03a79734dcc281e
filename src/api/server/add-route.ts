import { strict as assert } from 'node:assert'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { type Outcome, quoteInput, Refusal } from '../../base/refusal.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import { type IdempotencyKey, toIdempotencyKey } from '../../idempotency/key.js'
import type { FindReplay } from '../../idempotency/replays.js'
import type { KeyRing } from '../../merchants/keys/key-ring.js'
import type { Actor } from '../../team/actor.js'
import { everyPermission, type Permissions } from '../../team/seen-with.js'
import type { Sessions } from '../../team/sessions.js'
import type { AuditedCall } from '../auth/audit-call.js'
import { authenticate } from '../auth/authenticate.js'
import { authenticateUser, refuseRole } from '../auth/authenticate-user.js'
import { type Caller, toActor } from '../auth/caller.js'
import { hidesBalances, maskBalances } from '../auth/mask-balances.js'
import { maskPayers } from '../auth/mask-payers.js'
import { hidesSplits, maskSplits } from '../auth/mask-splits.js'
import { networkOf } from '../auth/network-of.js'
import { refuseKey } from '../auth/refuse-unseen.js'
import { readSessionToken } from '../auth/session-cookie.js'
import { keepToSubaccount } from '../auth/subaccount-keys.js'
import { refuseWithoutWait } from '../auth/waiting-keys.js'
import { requestRateLimits } from '../limits.js'
import { toRouteSchema } from '../openapi/openapi.js'
import { acceptsIdempotencyKey, isJsonOnly } from '../openapi/refusals-of.js'
import { withAllDigits } from '../parse/exact-json.js'
import { prefersCsv, refusesJson } from './accept.js'
import { jsonType } from './envelope.js'
import type { ListReads } from './list-reads.js'
import { pathOf } from './path-of.js'
import { type Allowance, type RateLimit, rateLimited } from './rate-limit.js'
import {
  type Export,
  isExport,
  isForUsersOnly,
  type Route,
  type RouteAnswer,
  type RouteRequest,
} from './route.js'
import type { RateLimitPolicy } from './shared-limits.js'

type Guards = {
  clock: Clock
  keyRing: KeyRing
  sessions: Sessions
  consoleUrl: string | undefined
  findReplay: FindReplay
  listReads: ListReads
  writeExport: WriteExport
  rateLimits: Record<RateLimitPolicy, RateLimit>
  rateLimitPerSecond: number
  publicRateLimitPerSecond: number
}

/** Commits the audit line of an export. */
export type WriteExport = (call: AuditedCall, query: string) => Promise<void>

/** Always in this order: authentication, rate limit, validation, replay, handler. */
export function addRoute(app: FastifyInstance, route: Route, guards: Guards): void {
  const isHeavy = route.isHeavy || isList(route)
  const hasOnlyJson = isJsonOnly(route)
  assert(route.permission || !isForMembers(route), `${route.operation} needs a permission`)
  app.route({
    method: route.method,
    url: route.path,
    // Fastify validates the request with it, after `onRequest` and before `handler`.
    schema: toRouteSchema(route),
    ...(route.fileBytesMax > 0 && { bodyLimit: route.fileBytesMax }),
    ...(route.bodyBytesMax > 0 && { bodyLimit: route.bodyBytesMax }),
    // HEAD would open a stream that nothing reads.
    exposeHeadRoute: !route.isStream,
    config: { isOpen: route.access === 'open' },
    onRequest: (request, reply, done) => {
      request.route = route
      // Fastify passes on what is thrown here. Most requests are admitted without a promise.
      const waiting = admit(request, reply, route, guards)
      if (waiting) waiting.then(() => done(), done)
      else done()
    },
    handler: async (request, reply) => {
      const { caller } = request
      if (hasOnlyJson && refusesJson(request.headers.accept)) throw noCsv(request)
      const key = acceptsIdempotencyKey(route) ? readKey(request, route) : undefined
      const handle = () => {
        // Here, because a repeated request still gets its first answer.
        if (route.stopsWhenSuspended && caller?.environment.isSuspended) return refuseSuspended()
        return route.handle(toRouteRequest(request, key, route, guards.clock))
      }
      if (isHeavy && caller) {
        const { id } = caller.environment
        const isExport = wantsCsv(request, route)
        // Callers of one merchant may see different things at one address.
        const isShared = isList(route) && !isExport && caller.permissions === null
        const answer = await guards.listReads.run(id, isShared ? request.url : undefined, handle)
        if (isExport) await auditExport(request, route, guards)
        if (!('pages' in answer)) return send(reply, answer)
        // A long export ends soon after its key was revoked.
        const readNext = async (read: () => Promise<IteratorResult<string>>) => {
          await (request.signedIn
            ? authenticateUser(request, route, signInDependencies(guards))
            : authenticate(request, route.access, guards.keyRing))
          return guards.listReads.runNext(id, undefined, read)
        }
        return sendExport(reply, answer, readNext)
      }
      if (!key) return send(reply, await handle())
      const find = () => guards.findReplay({ environmentId: caller!.environment.id, key })
      return send(reply, await (route.replaysAtCommit ? runFirst : replayFirst)(handle, find))
    },
  })
}

async function auditExport(
  request: FastifyRequest,
  route: Route,
  { clock, writeExport }: Guards,
): Promise<void> {
  if (!request.signedIn) return
  const call = toAudited(
    request,
    route,
    toActor(request.caller, request.signedIn, clock),
    clock.now(),
  )
  if (call) await writeExport(call, request.url.split('?')[1] ?? '')
}

type FindEarlier = () => Promise<Outcome<KeyedAnswer> | undefined>

async function replayFirst(
  handle: () => Promise<RouteAnswer>,
  find: FindEarlier,
): Promise<RouteAnswer> {
  const earlier = await find()
  if (earlier instanceof Refusal) throw earlier
  return earlier ?? handle()
}

/**
 * A retry gets its first answer even if the request is no longer valid. It is not refused while
 * that answer cannot be read: the caller would send the payout again, with a new key.
 */
async function runFirst(
  handle: () => Promise<RouteAnswer>,
  find: FindEarlier,
): Promise<RouteAnswer> {
  try {
    return await handle()
  } catch (error) {
    const earlier = await find().catch((failure: unknown) => {
      throw error instanceof Refusal ? failure : error
    })
    if (!earlier) throw error
    if (earlier instanceof Refusal) throw earlier
    return earlier
  }
}

/** Undefined: the request is admitted. A promise: it is, once the promise resolves. */
function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  guards: Guards,
): Promise<void> | undefined {
  // A signed notice needs no key and has no rate limit: a bank sends as many as there are payments,
  // and other senders fail the signature check of the rail.
  if (route.access === 'signed') return undefined
  if (route.access === 'open') {
    const network = networkOf(request.ip)
    const allowance = guards.rateLimits.address(network)
    const waiting = allow(reply, allowance, guards.publicRateLimitPerSecond)
    if (!route.isLimitedForm) return waiting
    const { formsPerMinuteMax } = requestRateLimits
    const admitForm = () =>
      allow(reply, guards.rateLimits.form(network), formsPerMinuteMax, 'minute')
    return waiting ? waiting.then(admitForm) : admitForm()
  }
  if (isFromUser(request, route)) return admitUser(request, reply, route, guards)
  const caller = authenticate(request, route.access, guards.keyRing)
  return caller instanceof Promise
    ? caller.then((found) => admitCaller(request, reply, found, guards))
    : admitCaller(request, reply, caller, guards)
}

/** Members of a merchant may call what its API keys may, and more. */
function isForMembers({ access }: Route): boolean {
  return access === 'secret' || access === 'any_key' || access === 'user'
}

/** A key and a cookie may belong to two merchants, so a request with both is refused. */
function isFromUser(request: FastifyRequest, { access }: Route): boolean {
  const hasKey = request.raw.headers.authorization !== undefined
  const mayBeUser = request.raw.headers.cookie !== undefined && !!readSessionToken(request)
  if (hasKey && (mayBeUser || isForUsersOnly(access)))
    throw new Refusal('authentication_failed', {
      message: mayBeUser
        ? 'Send an API key or the cookie of the console, not both.'
        : 'This operation is for people who are signed in to the console, not for API keys.',
      nextStep: mayBeUser
        ? 'Remove the Authorization header to act as the signed-in user, or remove the cookie.'
        : 'Do this in the console. The operations for API keys are listed at /docs.',
    })
  return isForUsersOnly(access) || (mayBeUser && access !== 'key_only')
}

const signInDependencies = ({ sessions, consoleUrl, clock }: Guards) => ({
  sessions,
  consoleUrl,
  now: clock.now(),
})

async function admitUser(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  guards: Guards,
): Promise<void> {
  const { signedIn, caller } = await authenticateUser(request, route, signInDependencies(guards))
  request.signedIn = signedIn
  const isExport = route.isExport || wantsCsv(request, route)
  if (caller && isExport && !caller.permissions.has('exports.make')) {
    const { mode, merchantId } = caller.environment
    const membership = signedIn.memberships.find(
      (candidate) => candidate.merchantId === merchantId,
    )!
    throw refuseRole(membership, 'exports.make', mode)
  }
  const name = `session ${signedIn.sessionId}`
  await (caller
    ? admitCaller(request, reply, caller, guards, name)
    : allow(reply, guards.rateLimits.environment(name), guards.rateLimitPerSecond))
}

/** `name` counts the requests of a user apart from those of the merchant's keys. */
function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  guards: Guards,
  name: string | number = caller.environment.id,
): Promise<void> | undefined {
  request.caller = caller
  if (caller.permissions !== null && caller.kind !== 'user' && !isForKeysOnly(request.route!))
    checkKeyPermissions(caller.permissions, request.route!)
  if (caller.kind !== 'user' && caller.subaccountId !== null)
    keepToSubaccount(request, request.route!, caller.subaccountId)
  if (caller.kind !== 'user' && caller.payoutsWait) refuseWithoutWait(request.route!)
  const allowance = guards.rateLimits.environment(name)
  const waiting = allow(reply, allowance, guards.rateLimitPerSecond)
  if (!request.route?.isTestOnly || caller.environment.mode === 'test') return waiting
  if (waiting) return waiting.then(refuseLiveMode)
  refuseLiveMode()
}

const isForKeysOnly = ({ access }: Route) => access === 'key_only'

/** A restricted key. Which permissions an operation needs is public, and so is what is missing. */
function checkKeyPermissions(granted: Permissions, { permission, alsoNeeds }: Route): void {
  if (permission === undefined || !granted.has(permission)) throw refuseKey(permission)
  for (const needed of alsoNeeds ?? []) if (!granted.has(needed)) throw refuseKey(needed)
}

function refuseSuspended(): Promise<never> {
  const refusal = new Refusal('forbidden', {
    reason: 'merchant_suspended',
    message: 'This merchant is suspended: it cannot create resources or pay money out.',
  })
  return Promise.reject(refusal)
}

function refuseLiveMode(): never {
  throw new Refusal('forbidden', {
    reason: 'test_mode_only',
    message: 'This operation is available in test mode only. Use a key that starts with sk_test_.',
  })
}

function allow(
  reply: FastifyReply,
  allowance: Allowance | Promise<Allowance>,
  max: number,
  window?: 'minute',
): Promise<void> | undefined {
  if (allowance instanceof Promise)
    return allowance.then((checked) => apply(reply, checked, max, window))
  apply(reply, allowance, max, window)
  return undefined
}

function apply(
  reply: FastifyReply,
  { isAllowed, headers }: Allowance,
  max: number,
  window?: 'minute',
): void {
  reply.headers(headers)
  if (!isAllowed) throw rateLimited(max, window)
}

/** Lists are recognized by their `cursor` parameter, so that a new one cannot be forgotten. */
export function isList({ method, query }: Route): boolean {
  const { properties = {} } = (query ?? {}) as { properties?: object }
  return method === 'GET' && 'cursor' in properties
}

function readKey(request: FastifyRequest, route: Route): IdempotencyKey | undefined {
  const text = request.headers['idempotency-key'] as string | undefined
  if (text === undefined && !route.requiresIdempotencyKey) return undefined
  if (text === undefined) throw missingKey()
  // Node joins repeated headers with commas.
  if (text.includes(',') && request.raw.rawHeaders.filter(isKeyName).length > 1)
    throw new Refusal('validation_failed', {
      message: 'The request has more than one Idempotency-Key. Send one.',
      details: [{ field: 'Idempotency-Key', issue: 'must appear once' }],
    })
  const { method, bodyText, caller } = request
  // No body means the same as an empty one.
  const body = withAllDigits(bodyText, request.body ?? {})
  return toIdempotencyKey(text, { method, path: pathOf(request), body, callerId: caller!.id })
}

function noCsv(request: FastifyRequest): Refusal {
  return new Refusal('validation_failed', {
    reason: 'not_acceptable',
    message: `${quoteInput(pathOf(request))} has no CSV. Send \`Accept: application/json\`.`,
    details: [{ field: 'Accept', issue: 'must include application/json' }],
  })
}

export function missingKey(): Refusal {
  return new Refusal('validation_failed', {
    message: 'This operation needs an Idempotency-Key header: a UUID, or another unique value.',
    details: [{ field: 'Idempotency-Key', issue: 'is required' }],
  })
}

/** The raw list alternates names and values. */
function isKeyName(text: string, index: number): boolean {
  return index % 2 === 0 && text.toLowerCase() === 'idempotency-key'
}

function toRouteRequest(
  request: FastifyRequest,
  key: IdempotencyKey | undefined,
  route: Route,
  clock: Clock,
) {
  const { caller, signedIn } = request
  const actor = toActor(caller, signedIn, clock)
  const realNow = clock.now()
  return {
    environment: caller?.environment,
    body: request.body,
    bodyText: request.bodyText,
    query: request.query,
    params: request.params,
    headers: request.headers,
    key,
    requestId: request.id,
    actor,
    permissions: permissionsOf(caller),
    signedIn,
    audited: signedIn && toAudited(request, route, actor, realNow),
    keyId: caller && caller.kind !== 'user' ? caller.id : null,
    apiKey: caller && caller.kind !== 'user' ? caller : null,
    boundTo: caller && caller.kind !== 'user' ? caller.subaccountId : null,
    // Undefined once the caller has hung up, whatever its type says.
    address: request.ip ?? '',
    protocol: request.protocol,
    network: networkOf(request.ip),
    now: toEnvironmentTime(realNow, caller?.environment.clockOffsetMs ?? 0),
    realNow,
    wantsCsv: wantsCsv(request, route),
    forExcel: (request.query as { excel?: string }).excel === '1',
  } as RouteRequest<never, never, never>
}

/** Undefined: no member of a merchant calls. */
function toAudited(
  request: FastifyRequest,
  route: Route,
  actor: Actor,
  realNow: RealTime,
): AuditedCall | undefined {
  const { caller } = request
  if (actor.kind !== 'user' || !caller) return undefined
  return {
    actor,
    environment: caller.environment,
    operation: route.operation,
    requestId: request.id,
    address: request.ip,
    params: request.params,
    bodyText: route.hidesBodies ? '' : request.bodyText,
    at: realNow,
  }
}

function wantsCsv(request: FastifyRequest, route: Route): boolean {
  return isExport(route) && (route.isCsvOnly || prefersCsv(request.headers.accept))
}

/** If a part cannot be read, the connection ends without the end of the answer. */
function sendExport(
  reply: FastifyReply,
  { status, pages, contentType, headers }: Export,
  readNext: (read: () => Promise<IteratorResult<string>>) => Promise<IteratorResult<string>>,
): FastifyReply {
  async function* inTurn() {
    try {
      for (;;) {
        const page = await readNext(() => pages.next())
        if (page.done) return
        yield page.value
      }
    } finally {
      await pages.return(undefined)
    }
  }
  return reply
    .code(status)
    .headers(headers)
    .type(contentType)
    .send(Readable.from(inTurn(), { objectMode: false, highWaterMark: 1 }))
}

/**
 * Returns undefined for a text, which is sent at once: Fastify would wait for a returned reply in
 * two more promises.
 */
function send(reply: FastifyReply, answer: RouteAnswer): FastifyReply | undefined {
  assert(!('pages' in answer), 'only lists are exported')
  const { request } = reply
  reply.code(answer.status)
  if ('isReplayed' in answer && answer.isReplayed) {
    request.isReplayed = true
    reply.header('idempotent-replayed', 'true')
  }
  if ('retryAfterSeconds' in answer && answer.retryAfterSeconds !== undefined)
    reply.header('retry-after', answer.retryAfterSeconds)
  if ('headers' in answer && answer.headers)
    for (const [name, value] of Object.entries(answer.headers))
      if (value === undefined) reply.removeHeader(name)
      else reply.header(name, value)
  reply.type('contentType' in answer ? answer.contentType : jsonType)
  if (typeof answer.body !== 'string') return reply.send(answer.body)
  const shown = isJson(answer) ? maskJson(request, answer.body) : answer.body
  const text = hidesBalances(request) ? maskBalances(shown) : shown
  request.answerText = text
  reply.send(text)
  return undefined
}

const noPermission: Permissions = new Set()

function permissionsOf(caller: Caller | undefined): Permissions {
  if (!caller || caller.kind === 'public') return noPermission
  return caller.permissions ?? everyPermission
}

function isJson(answer: RouteAnswer): boolean {
  return !('contentType' in answer) || answer.contentType === jsonType
}

function maskJson(request: FastifyRequest, body: string): string {
  const shown = hidesSplits(request) ? maskSplits(body) : body
  return hidesPayers(request) ? maskPayers(shown) : shown
}

/** API keys see the payers of all payments that they see. */
function hidesPayers({ caller }: FastifyRequest): boolean {
  return caller?.kind === 'user' && !caller.permissions.has('payers.see')
}
