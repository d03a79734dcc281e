import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import type { AuthenticatedKey, KeyRing } from '../../merchants/keys/key-ring.js'
import type { RouteAccess } from '../server/route.js'

/**
 * Finds the caller by API key. Unknown, revoked and expired keys get the same answer. Returns no
 * promise for a key that was used a moment ago.
 */
export function authenticate(
  request: FastifyRequest,
  access: RouteAccess,
  keyRing: KeyRing,
): AuthenticatedKey | Promise<AuthenticatedKey> {
  const text = readKeyText(request)
  const { ip } = request
  const recalled = keyRing.recall(text, ip)
  if (recalled) return checkKind(recalled, access)
  return keyRing.find(text, ip).then((key) => checkKind(key, access))
}

function readKeyText({ raw }: FastifyRequest): string {
  const { authorization: header } = raw.headers
  if (!header)
    throw failed('Send your secret key: `Authorization: Bearer sk_test_…`. The request had no key.')
  if (hasSeveral(raw.rawHeaders))
    throw failed('Send one Authorization header; the request had several, and they may disagree.')
  const space = header.indexOf(' ')
  const text = header.slice(space + 1)
  const isBearer = space !== -1 && header.slice(0, space).toLowerCase() === 'bearer'
  if (!isBearer || text === '' || text.includes(' '))
    throw failed('The Authorization header must read `Bearer <SECRET_KEY>`, with one space.')
  return text
}

/** Node keeps only the first in `headers`. The raw list alternates names and values. */
function hasSeveral(rawHeaders: string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') count += 1
  }
  return count > 1
}

function checkKind(key: AuthenticatedKey | undefined, access: RouteAccess): AuthenticatedKey {
  if (!key)
    throw failed(
      'This API key is not valid: it is mistyped, unknown, revoked, expired or not allowed from this address.',
    )
  if (access === 'secret' && key.kind === 'public')
    throw failed('This operation needs a secret key (`sk_…`); the request had a public one.')
  return key
}

function failed(message: string): Refusal {
  return new Refusal('authentication_failed', { message })
}
