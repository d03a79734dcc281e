import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../base/refusal.js'
import { pathOf } from '../edge/path-of.js'
import { headersOf, newNonce } from './answer-page.js'
import { renderFailure, renderNotFound } from './page.js'
import { english as texts } from './texts.js'

/** Requests below /checkout/ come from browsers and get HTML errors. */
export function isForPeople(request: FastifyRequest): boolean {
  return pathOf(request).startsWith('/checkout/')
}

/** A refusal or failure as an HTML page. Malformed URLs show as not found. */
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
  reply.headers(headersOf({ nonce })).code(isUnknown ? 404 : status)
  return reply.type('text/html; charset=utf-8').send(text)
}
