import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type { PublicSession } from '../../checkout/find-public-sessions.js'
import { showPublicSession } from '../../resources/public-checkout-session.js'
import type { ApiParts } from '../api-parts.js'
import { takesGzip } from '../edge/accept.js'
import { type Document, type Route, route } from '../edge/route.js'
import { canPay, payOnce } from '../routes/public-checkout.js'
import { answerPage, newNonce } from './answer-page.js'
import { type Island, readIsland } from './island.js'
import { renderNotFound, renderSheet } from './page.js'
import { sentLink } from './render-coins.js'
import { pageTitleOf, renderMain, type Scene } from './render-session.js'
import { english as texts } from './texts.js'
import { viewSession } from './view.js'

const path = '/checkout/:reference'
const base = { access: 'open', isPage: true, tag: 'Checkout', answers: {} } as const
const params = Type.Object({ reference: Type.String() })

/** What payers open. People come with all kinds of additions to an address; they do no harm. */
export function checkoutPageRoutes(rooms: ApiParts): Route[] {
  const island = readIsland()
  return [read(rooms, island), pay(rooms), asset(island)]
}

const read = (rooms: ApiParts, island: Island) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'showCheckout',
    summary: 'The page on which a customer pays',
    description: 'HTML, complete without script. `part=main` is the part that changes, alone.',
    params,
    query: Type.Object({
      sent: Type.Optional(Type.Any()),
      coins: Type.Optional(Type.Any()),
      part: Type.Optional(Type.Any()),
    }),
    async handle({ params: { reference }, query, headers, now }) {
      const nonce = newNonce()
      const found = await rooms.collections.findSession(reference)
      if (!found)
        return answerPage({ headers }, { status: 404, text: renderNotFound(texts, nonce), nonce })
      const hasCoinCustomers = rooms.collections.coinCustomers !== undefined
      const scene = { ...sceneOf(now, found, query), hasCoinCustomers }
      const text = query.part === 'main' ? renderMain(scene).markup : renderPage()
      return answerPage(
        { headers },
        { status: 200, text, nonce, frameOrigins: found.checkout.frameOrigins },
      )

      function renderPage(): string {
        return renderSheet({
          texts,
          nonce,
          title: pageTitleOf(scene),
          main: renderMain(scene),
          shop: found!.checkout,
          isTest: scene.isTest,
          coin: found!.wallet?.asset ?? undefined,
          island: `/checkout/assets/${island.name}`,
        })
      }
    },
  })

type SentQuery = { sent?: unknown; coins?: unknown }

function sceneOf(now: Date, found: PublicSession, { sent, coins }: SentQuery): Scene {
  const shown = showPublicSession(now, found)
  const read = (text: unknown) =>
    typeof text === 'string' && /^\d{1,16}$/.test(text) ? BigInt(text) : null
  return {
    shown,
    texts,
    isTest: found.mode === 'test',
    createdAt: found.session.createdAt,
    view: viewSession(shown, { sentAfter: read(sent), coinsAfter: read(coins) }),
  }
}

/** For a browser without script: pays in test mode, and goes back to the page. */
const pay = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/pay`,
    takesForm: true,
    operation: 'payCheckoutByForm',
    summary: 'Pay a checkout session of test mode by a form',
    description: 'Only from the page itself.',
    params,
    query: Type.Object({ method: Type.Optional(Type.Any()) }),
    async handle({ params: { reference }, query, headers, now }): Promise<Document> {
      const found = await rooms.collections.findSession(reference)
      const nonce = newNonce()
      const method = query.method === 'crypto' ? 'crypto' : 'bank_transfer'
      if (!found || !canPay(rooms, found, method))
        return answerPage({ headers }, { status: 404, text: renderNotFound(texts, nonce), nonce })
      if (!isOwnPage(headers, found.session.url)) throw foreignPage()
      const after = method === 'crypto' ? sentLink(showPublicSession(now, found)) : ''
      await payOnce(rooms, found, { now, method })
      const location = `/checkout/${reference}${after}`
      return { status: 303, body: '', contentType: 'text/plain', headers: { location } }
    },
  })

/** Browsers say where a form was; those that do not say it at all name the origin. */
function isOwnPage(headers: IncomingHttpHeaders, url: string): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  return site === undefined ? origin === new URL(url).origin : site === 'same-origin'
}

function foreignPage(): Refusal {
  return new Refusal('forbidden', { message: 'Only the checkout page itself may send this form.' })
}

const asset = (island: Island) =>
  route({
    ...base,
    method: 'GET',
    path: '/checkout/assets/:name',
    operation: 'getCheckoutAsset',
    summary: 'What the page loads',
    description: 'Its script, under a name that changes with it.',
    params: Type.Object({ name: Type.String() }),
    async handle({ params: { name }, headers }) {
      if (name !== island.name)
        throw new Refusal('not_found', { message: 'There is no such file. Reload the page.' })
      const isZipped = takesGzip(headers['accept-encoding'])
      return {
        status: 200,
        contentType: 'text/javascript; charset=utf-8',
        body: isZipped ? island.zipped : island.text,
        headers: {
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          ...(isZipped && { 'content-encoding': 'gzip' }),
        },
      }
    },
  })
