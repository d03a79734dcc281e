import type { FastifyRequest } from 'fastify'

/** Without the query, which may contain secrets. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}
