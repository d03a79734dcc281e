import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../base/html.js'
import type { Refusal } from '../../base/refusal.js'
import { claimTexts } from '../claim-page/texts.js'
import { renderPage } from '../console/page.js'
import { pathOf } from '../server/path-of.js'
import { headersOf, newNonce } from './answer-page.js'
import { renderFailure, renderNotFound } from './page.js'
import { english as texts } from './texts.js'

/** Requests for pages come from browsers and get HTML errors. */
export function getsErrorPage(request: FastifyRequest): boolean {
  const path = pathOf(request)
  return path.startsWith('/checkout/') || isClaimPage(path) || isConsolePage(path)
}

function isClaimPage(path: string): boolean {
  return path.startsWith('/claim/')
}

/** Pages of the console that the server renders. */
function isConsolePage(path: string): boolean {
  return /^\/console\/(sign-in|join|start)(\/|$)/.test(path)
}

/** A refusal or failure as an HTML page. Malformed URLs show as not found. */
export function answerFailurePage(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): FastifyReply {
  if (isConsolePage(pathOf(request))) return answerConsoleFailure(request, reply, refusal)
  const { status } = refusal
  const isUnknown = status === 400 || status === 404
  const nonce = newNonce()
  const ownTexts = isClaimPage(pathOf(request)) ? claimTexts : texts
  const text = isUnknown
    ? renderNotFound(ownTexts, nonce)
    : renderFailure(ownTexts, nonce, { status, requestId: request.id })
  reply.headers(headersOf({ nonce })).code(isUnknown ? 404 : status)
  return reply.type('text/html; charset=utf-8').send(text)
}

/** Says what the refusal says: its reader is not a payer. */
function answerConsoleFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message }: Refusal,
): FastifyReply {
  const nonce = newNonce()
  const title = status >= 500 ? 'Something went wrong' : 'This does not work'
  const main = html`<h1>${title}</h1><p>${message}</p>
    <p class="soft small">Request ${request.id}</p>
    <a class="button" href="/console/sign-in">Sign in</a>`
  reply.headers(headersOf({ nonce })).code(status)
  return reply.type('text/html; charset=utf-8').send(renderPage({ nonce, title, main }))
}
