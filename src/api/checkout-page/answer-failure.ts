import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../base/html.js'
import type { Refusal } from '../../base/refusal.js'
import { claimTexts } from '../claim-page/texts.js'
import { renderPage } from '../console/page.js'
import { invoiceTexts } from '../invoice-page/texts.js'
import { pathOf } from '../server/path-of.js'
import { headersOf, newNonce } from './answer-page.js'
import { renderFailure, renderNotFound } from './page.js'
import { type Texts, english as texts } from './texts.js'

/** Pages of payers, by how their paths start. A URL that is enough to open one is kept secret. */
const payerPages: { start: string; texts: Texts; hidesReferrer: boolean }[] = [
  { start: '/checkout/', texts, hidesReferrer: false },
  { start: '/pay/', texts, hidesReferrer: true },
  { start: '/i/', texts: { ...texts, notFound: invoiceTexts.en.notFound }, hidesReferrer: true },
  { start: '/claim/', texts: claimTexts, hidesReferrer: true },
]

function findPayerPage(request: FastifyRequest) {
  const path = pathOf(request)
  return payerPages.find(({ start }) => path.startsWith(start))
}

/** Requests for pages come from browsers and get HTML errors. */
export function getsErrorPage(request: FastifyRequest): boolean {
  return findPayerPage(request) !== undefined || isConsolePage(pathOf(request))
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
  const { texts: own, hidesReferrer } = findPayerPage(request)!
  const text = isUnknown
    ? renderNotFound(own, nonce)
    : renderFailure(own, nonce, { status, requestId: request.id })
  reply.headers(headersOf({ nonce, hidesReferrer })).code(isUnknown ? 404 : status)
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
