import Type from 'typebox'
import { after } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { consoleLimits } from '../../team/limits.js'
import { endSession, hasStepUp, permissionsIn, type SignedIn } from '../../team/sessions.js'
import { type Factors, getFactors } from '../../team/users.js'
import { clearedCookie } from '../auth/session-cookie.js'
import { readPageScript } from '../checkout-page/page-script.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { jsonType, successBody } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'
import { joinPages } from './join-pages.js'
import { ownAccountRoutes } from './own-account.js'
import { ownFactorRoutes } from './own-factors.js'
import { ownMailRoutes } from './own-mails.js'
import { signInPages } from './sign-in-pages.js'
import { signInRoutes } from './sign-in-routes.js'
import { useStart } from './start.js'
import { auditUser, visitOf } from './visit.js'

const path = '/console/session'

/** Routes of the console that belong to no merchant. */
export function consoleSessionRoutes(api: ApiParts): Route[] {
  return [
    readSession(api),
    signOut(api),
    useStart(api),
    ...signInRoutes(api),
    ...ownAccountRoutes(api),
    ...ownFactorRoutes(api),
    ...ownMailRoutes(api),
    ...signInPages(api, readPageScript('sign-in')),
    ...joinPages(api),
  ]
}

const readSession = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path,
    access: 'any_user',
    operation: 'getConsoleSession',
    summary: 'Retrieve the session',
    description: 'Who is signed in, and what they may do at each merchant.',
    tag: 'Console',
    answers: { 200: Type.Any() },
    async handle({ signedIn, realNow: now }) {
      const factors = await getFactors(db, signedIn!.userId)
      const data = showSession(signedIn!, factors, now)
      return { status: 200, body: successBody('Session', data), contentType: jsonType }
    },
  })

const signOut = (api: ApiParts) =>
  route({
    method: 'DELETE',
    path,
    access: 'any_user',
    operation: 'endConsoleSession',
    summary: 'Sign out',
    description: 'Ends the session.',
    tag: 'Console',
    answers: { 200: Type.Any() },
    async handle(request) {
      const { db, sessions } = api
      const { signedIn, realNow: now } = request
      await db.transaction(async (tx) => {
        endSession(tx, now, signedIn!.sessionId)
        auditUser(tx, visitOf(api, request), {
          by: signedIn,
          email: signedIn!.email,
          action: 'sign_out',
        })
      })
      sessions.forgetAll()
      const headers = { 'set-cookie': clearedCookie(request) }
      return { status: 200, body: successBody('Signed out', {}), contentType: jsonType, headers }
    },
  })

function showSession(signedIn: SignedIn, factors: Factors, now: Date) {
  const { userId, name, email, isOperator, memberships, hasSecondFactor } = signedIn
  const { hasPassword, hasTotp, passkeys } = factors
  const id = toReference(prefixes.user, userId)
  return {
    user: { id, name, email, isOperator, hasPassword, hasTotp, passkeys },
    memberships: memberships.map((membership) => ({
      merchant: toReference(prefixes.merchant, membership.merchantId),
      name: membership.merchantName,
      role: membership.role,
      maySeeLive: membership.maySeeLive,
      isSuspended: membership.isSuspended,
      isSignedOut: membership.isSignedOut,
      permissions: {
        test: permissionsIn(membership, 'test'),
        live: permissionsIn(membership, 'live'),
      },
      clockOffsetMs: membership.environments.test.clockOffsetMs,
    })),
    hasSecondFactor,
    stepUpUntil: hasStepUp(signedIn, now) ? after(signedIn.provenAt, consoleLimits.stepUpMs) : null,
    expiresAt: signedIn.expiresAt,
  }
}
