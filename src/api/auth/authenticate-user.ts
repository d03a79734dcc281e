import type { FastifyRequest } from 'fastify'
import { fromReference, prefixes } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { type Permission, rolesWith } from '../../team/permissions.js'
import {
  hasStepUp,
  type Membership,
  permissionsIn,
  type Sessions,
  type SignedIn,
} from '../../team/sessions.js'
import type { Route } from '../server/route.js'
import type { UserCaller } from './caller.js'
import { readSessionToken } from './session-cookie.js'

/** A user and, on routes of a merchant, the merchant for which they act. */
export type AuthenticatedUser = { signedIn: SignedIn; caller: UserCaller | undefined }

/**
 * Authenticates a request of the console by its cookie. Every request, also a read, must name the
 * merchant in a header, and every change must come from a page of the same origin: a page of
 * another origin can do neither.
 */
export async function authenticateUser(
  request: FastifyRequest,
  route: Route,
  { sessions, consoleUrl, now }: { sessions: Sessions; consoleUrl: string | undefined; now: Date },
): Promise<AuthenticatedUser> {
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseOtherOrigins(request, consoleUrl)
  const isHere = isConsoleHost(request.headers.host, consoleUrl)
  const token = isHere ? readSessionToken(request) : undefined
  const signedIn = token === undefined ? undefined : await sessions.find(token)
  if (!signedIn)
    throw new Refusal('authentication_failed', {
      reason: 'session_expired',
      message: 'You are signed out. Sign in to the console again.',
    })
  const caller =
    route.access === 'any_user' || route.access === 'operator'
      ? undefined
      : findCaller(request, route, signedIn)
  if (route.access === 'operator') checkOperator(signedIn)
  checkStepUp(route, { signedIn, isLive: caller?.environment.mode === 'live', now })
  return { signedIn, caller }
}

/**
 * Browsers send `Sec-Fetch-Site` or `Origin` with every change, and no page can forge them. The
 * own header cannot be sent by a form, nor by a page of another origin without our consent.
 */
export function refuseOtherOrigins(
  request: Pick<FastifyRequest, 'headers'>,
  consoleUrl: string | undefined,
): void {
  const { headers } = request
  const isOwn = headers['x-manilla-console'] === '1' && hasOwnOrigin(request, consoleUrl)
  if (isOwn) return
  throw new Refusal('forbidden', {
    reason: 'foreign_origin',
    message: 'The console accepts changes from its own pages only.',
  })
}

/** Whether the console answers on this host: on every host, unless it has its own. */
export function isConsoleHost(host: string | undefined, consoleUrl: string | undefined): boolean {
  return consoleUrl === undefined || host?.toLowerCase() === new URL(consoleUrl).host
}

/** Whether the request comes from a page of this console. */
export function hasOwnOrigin(
  { headers }: Pick<FastifyRequest, 'headers'>,
  consoleUrl: string | undefined,
): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return site === 'same-origin'
  // A proxy that ends TLS may hide the protocol, but not the host.
  return consoleUrl ? origin === new URL(consoleUrl).origin : hostOf(origin) === host
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

function findCaller(request: FastifyRequest, route: Route, signedIn: SignedIn): UserCaller {
  const { 'manilla-merchant': merchant, 'manilla-mode': mode } = request.headers
  if (typeof merchant !== 'string' || (mode !== 'test' && mode !== 'live'))
    throw new Refusal('validation_failed', {
      message: 'Send the headers Manilla-Merchant and Manilla-Mode (test or live).',
      details: [{ field: 'Manilla-Merchant', issue: 'is required' }],
    })
  const merchantId = fromReference(prefixes.merchant, merchant)
  const membership = signedIn.memberships.find((candidate) => candidate.merchantId === merchantId)
  if (!membership)
    throw new Refusal('forbidden', {
      reason: 'role',
      message: 'You are not a member of this merchant.',
      nextStep: 'Choose a merchant of yours, or ask an owner to invite you.',
    })
  if (membership.isSignedOut)
    throw new Refusal('authentication_failed', {
      reason: 'session_expired',
      message: 'You were signed out of this merchant. Sign in to the console again.',
    })
  if (mode === 'live' && !signedIn.hasSecondFactor) throw missingFactor('Live mode needs')
  const permissions = new Set(permissionsIn(membership, mode))
  for (const needed of [route.permission, ...(route.alsoNeeds ?? [])])
    if (!needed || !permissions.has(needed)) throw refuseRole(membership, needed, mode)
  const environment = membership.environments[mode]
  return { kind: 'user', id: signedIn.userId, name: signedIn.name, environment, permissions }
}

export function refuseRole(
  { role, maySeeLive }: Pick<Membership, 'role' | 'maySeeLive'>,
  permission: Permission | undefined,
  mode: 'test' | 'live',
): Refusal {
  if (mode === 'live' && !maySeeLive)
    return new Refusal('forbidden', {
      reason: 'role',
      message: 'You may see test mode only. Ask an owner for access to live mode.',
    })
  const may = permission ? rolesWith(permission, mode) : []
  const who = role === 'operator_view' ? 'Viewing a merchant' : `The role ${role}`
  return new Refusal('forbidden', {
    reason: 'role',
    message: `${who} does not allow this in ${mode} mode. It is for: ${may.join(', ')}.`,
  })
}

function checkOperator({ isOperator, hasSecondFactor }: SignedIn): void {
  if (!isOperator)
    throw new Refusal('forbidden', {
      reason: 'role',
      message: 'This page is for operators.',
      nextStep: 'Ask an operator of this installation.',
    })
  if (!hasSecondFactor) throw missingFactor('Operator pages need')
}

function missingFactor(subject: string): Refusal {
  return new Refusal('forbidden', {
    reason: 'second_factor_missing',
    message: `${subject} a second factor. Add a passkey or an authenticator app, then sign in with it.`,
  })
}

function checkStepUp(
  { stepUp }: Route,
  { signedIn, isLive, now }: { signedIn: SignedIn; isLive: boolean; now: Date },
): void {
  const isNeeded = stepUp === 'always' || (stepUp === 'live' && isLive)
  if (!isNeeded || hasStepUp(signedIn, now)) return
  throw new Refusal('forbidden', {
    reason: 'step_up_required',
    message: 'Confirm that it is you: use your passkey, code or password.',
  })
}
