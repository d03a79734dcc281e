import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { useStartLink } from '../../team/start-links.js'
import { isLoopbackHost, sessionCookie } from '../auth/session-cookie.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { route } from '../server/route.js'

/**
 * The link that `npm start` prints. The caller's address and the host it asked for must both be
 * loopback: a page that points its own host name at this machine cannot use the link.
 */
export const useStart = ({ db, sessions }: ApiParts) =>
  route({
    method: 'GET',
    path: '/console/start/:token',
    access: 'open',
    isPage: true,
    operation: 'useStartLink',
    summary: 'Enter the console from the machine that runs it',
    description: 'Signs in with a one-use link.',
    tag: 'Console',
    params: Type.Object({ token: Type.String() }),
    answers: {},
    async handle(request) {
      const { params, headers, address, realNow: now } = request
      if (!isLoopbackAddress(address) || !isLoopbackHost(headers.host))
        throw new Refusal('forbidden', {
          message: 'This link works only in a browser on the machine that runs Manilla.',
        })
      const browser = headers['user-agent'] ?? ''
      const token = await db.transaction((tx) =>
        useStartLink(tx, now, { token: params.token, address, browser }),
      )
      if (token === undefined)
        throw new Refusal('not_found', {
          message: 'This link was used or has expired. `npx manilla console` prints a new one.',
        })
      sessions.forgetAll()
      return {
        status: 303,
        body: '',
        contentType: 'text/plain',
        headers: { location: '/console', 'set-cookie': sessionCookie(request, token) },
      }
    },
  })

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
