import type { FastifyRequest } from 'fastify'

/** Without the query, which may hold what a caller should not have put there. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}
