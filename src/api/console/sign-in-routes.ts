import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import Type from 'typebox'
import { limits } from '../../base/limits.js'
import { askForPasskey, listPasskeys } from '../../team/passkeys.js'
import type { ApiParts } from '../api-parts.js'
import { refuseOtherOrigins } from '../edge/authenticate-person.js'
import { jsonType, success, successBody } from '../edge/envelope.js'
import { type Document, type Route, route } from '../edge/route.js'
import { closed } from '../edge/schemas.js'
import { clearedStepCookie, sessionCookie, stepCookie } from '../edge/session-cookie.js'
import { signInWithCode, signInWithPasskey, signInWithPassword } from './sign-in.js'
import { type Visit, visitOf } from './visit.js'

const path = '/console/session'
const base = {
  method: 'POST',
  access: 'open',
  // For browsers: not in the OpenAPI document.
  isPage: true,
  tag: 'Console',
  answers: { 200: Type.Any() },
} as const

/** What a browser's passkey answers; the library checks its content. */
export const passkeyAnswer = Type.Object(
  { id: Type.String({ maxLength: 2_000 }), response: Type.Object({}) },
  { additionalProperties: true },
)

export const password = Type.String({ minLength: 1, maxLength: limits.signIn.passwordLengthMax })
export const code = Type.String({ minLength: 6, maxLength: 40 })

/** Ways to sign in. All of them need a page of this console, and none needs a session. */
export function signInRoutes(api: ApiParts): Route[] {
  return [
    route({
      ...base,
      path: `${path}/password`,
      operation: 'signInWithPassword',
      summary: 'Sign in with a password',
      description: 'Signs in, or asks for the second factor of users who have one.',
      body: closed({ email: Type.String({ minLength: 1, maxLength: 254 }), password }),
      async handle(request) {
        refuseOtherOrigins(request, api.consoleUrl)
        const visit = visitOf(api, request)
        const result = await signInWithPassword(api, visit, request.body)
        if (result.isSignedIn) return signedIn(visit, result.token)
        const { hasTotp, hasPasskeys } = result
        return {
          status: 200,
          contentType: jsonType,
          body: successBody('Second factor needed', { isSignedIn: false, hasTotp, hasPasskeys }),
          headers: { 'set-cookie': stepCookie(visit, result.stepToken) },
        }
      },
    }),
    route({
      ...base,
      path: `${path}/totp`,
      operation: 'signInWithCode',
      summary: 'Send the second factor',
      description: 'A code of an authenticator app, or a recovery code, after the password.',
      body: closed({ code }),
      async handle(request) {
        refuseOtherOrigins(request, api.consoleUrl)
        const visit = visitOf(api, request)
        return signedIn(visit, await signInWithCode(api, visit, request.body.code))
      },
    }),
    route({
      ...base,
      path: `${path}/passkey/options`,
      operation: 'askForPasskey',
      summary: 'Ask for a passkey',
      description: 'A challenge to sign: to sign in, or to confirm for the session of the browser.',
      async handle(request) {
        refuseOtherOrigins(request, api.consoleUrl)
        const { now, site, sessionToken } = visitOf(api, request)
        const tools = { seal: api.seal, now, site }
        const present = sessionToken && (await api.sessions.find(sessionToken))
        if (!present)
          return success(200, 'Challenge', await askForPasskey(tools, { act: 'sign_in' }))
        const passkeys = await listPasskeys(api.db, present.userId)
        const purpose = { act: 'step_up', sessionId: present.sessionId } as const
        return success(200, 'Challenge', await askForPasskey(tools, purpose, passkeys))
      },
    }),
    route({
      ...base,
      path: `${path}/passkey`,
      operation: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      description: 'Needs no password.',
      body: closed({ passkey: passkeyAnswer }),
      async handle(request) {
        refuseOtherOrigins(request, api.consoleUrl)
        const visit = visitOf(api, request)
        const answer = request.body.passkey as unknown as AuthenticationResponseJSON
        return signedIn(visit, await signInWithPasskey(api, visit, answer))
      },
    }),
  ]
}

function signedIn(visit: Visit, token: string): Document {
  return {
    status: 200,
    contentType: jsonType,
    body: successBody('Signed in', { isSignedIn: true }),
    headers: { 'set-cookie': [sessionCookie(visit, token), clearedStepCookie(visit)] },
  }
}
