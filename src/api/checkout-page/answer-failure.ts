import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../base/refusal.js'
import { pathOf } from '../edge/path-of.js'
import { headersOf, newNonce } from './answer-page.js'
import { renderFailure, renderNotFound } from './page.js'
import { english as texts } from './texts.js'

/** Whoever asks there is a person with a browser. */
export function isForPeople(request: FastifyRequest): boolean {
  return pathOf(request).startsWith('/checkout/')
}

/** What was refused, or failed, as a page. What is no address of ours is not found. */
export function answerFailurePage(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): FastifyReply {
  const { status } = refusal
  const isUnknown = status === 400 || status === 404
  const nonce = newNonce()
  const text = isUnknown
    ? renderNotFound(texts, nonce)
    : renderFailure(texts, nonce, { status, requestId: request.id })
  const { 'x-frame-options': _kept, ...headers } = headersOf({ nonce })
  reply.headers(headers).code(isUnknown ? 404 : status)
  return reply.type('text/html; charset=utf-8').send(text)
}
