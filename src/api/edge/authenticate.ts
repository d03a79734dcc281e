import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import type { AuthenticatedKey, KeyRing } from '../../merchants/key-ring.js'
import type { Access } from './route.js'

/** Finds the caller by API key. Unknown, revoked and expired keys get the same answer. */
export async function authenticate(
  request: FastifyRequest,
  access: Access,
  keyRing: KeyRing,
): Promise<AuthenticatedKey> {
  const [header, ...others] = request.raw.headersDistinct.authorization ?? []
  if (!header)
    throw failed('Send your secret key: `Authorization: Bearer sk_test_…`. The request had no key.')
  if (others.length > 0)
    throw failed('Send one Authorization header; the request had several, and they may disagree.')
  const [scheme, text, ...rest] = header.split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !text || rest.length > 0)
    throw failed('The Authorization header must read `Bearer <SECRET_KEY>`, with one space.')

  const key = await keyRing.find(text, request.ip)
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
