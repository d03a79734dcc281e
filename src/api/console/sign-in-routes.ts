import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import Type from 'typebox'
import { askForPasskey, listPasskeys } from '../../team/passkeys.js'
import { refuseOtherOrigins } from '../auth/authenticate-user.js'
import { clearedStepCookie, sessionCookie } from '../auth/session-cookie.js'
import { closed } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { jsonType, success, successBody } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'
import { signInWithPasskey } from './sign-in.js'
import { visitOf } from './visit.js'

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

/** Sign-in with a passkey, by the script of the sign-in page. Passwords and codes are forms. */
export function signInRoutes(api: ApiParts): Route[] {
  return [
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
        const token = await signInWithPasskey(api, visit, answer)
        return {
          status: 200,
          contentType: jsonType,
          body: successBody('Signed in', { isSignedIn: true }),
          headers: { 'set-cookie': [sessionCookie(visit, token), clearedStepCookie(visit)] },
        }
      },
    }),
  ]
}
