import type { FastifyRequest } from 'fastify'

/** Any page may ask there and read the answer, also a refusal: nothing in it needs a key. */
export function isForAnyPage({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return url.startsWith('/public/')
}

export const anyPageHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
}

/** What a browser asks before a page of another origin may send JSON. */
export function preflightHeaders(methods: string[]) {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '7200',
  }
}
