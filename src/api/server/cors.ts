import type { FastifyRequest } from 'fastify'

/** Pages of any origin may call these paths and read the answers: none of them needs a key. */
export function isForAnyPage({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return url.startsWith('/public/')
}

export const anyPageHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
}

/** Answers to the preflight request of a page of another origin. */
export function preflightHeaders(methods: string[]) {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '7200',
  }
}
