import type { FastifyRequest } from 'fastify'

/** The path without the query, which may contain secrets. */
export function pathOf(request: FastifyRequest): string {
  const { url } = request
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
