import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import type { Language } from '../../base/languages.js'
import { Refusal } from '../../base/refusal.js'
import type { PublicSession } from '../../checkout/find-public-sessions.js'
import { showPublicSession } from '../../checkout/resource.js'
import { findInvoices } from '../../customers/invoices/store-invoices.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { answerPdf } from '../documents/answer-pdf.js'
import { drawReceipt } from '../documents/draw-receipt.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { canSimulate, simulatePaymentOnce } from '../routes/collections/public-checkout.js'
import { type Document, type Route, route } from '../server/route.js'
import { answerPage, newNonce, redirectTo } from './answer-page.js'
import { renderNotFound, renderSheet } from './page.js'
import { answerScript, type PageScript, readPageScript } from './page-script.js'
import { coinsSentLink } from './render-coins.js'
import { receiptedOf } from './render-receipt.js'
import { pageTitleOf, renderMain } from './render-session.js'
import type { Scene } from './scene.js'
import { checkoutTexts, type Texts, english as texts } from './texts.js'
import { viewSession } from './view.js'

const path = '/checkout/:reference'
const base = { access: 'open', isPage: true, tag: 'Checkout', answers: {} } as const
const params = Type.Object({ reference: Type.String() })

/** The hosted checkout page. Unknown query parameters are ignored: links often gain some. */
export function checkoutPageRoutes(api: ApiParts): Route[] {
  const script = readPageScript('checkout')
  return [readPage(api, script), readReceipt(api), simulateByForm(api), readScriptFile(script)]
}

const readPage = (api: ApiParts, script: PageScript) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'showCheckout',
    summary: 'Show the checkout page',
    description: 'HTML that works without script. `part=main` returns only the part that changes.',
    params,
    // `sent` and `coins`: kobo and coin units that had arrived when the payer said they had paid.
    // `method`: the payment method that the payer has chosen.
    query: Type.Object({
      sent: Type.Optional(Type.Any()),
      coins: Type.Optional(Type.Any()),
      part: Type.Optional(Type.Any()),
      method: Type.Optional(Type.Any()),
    }),
    async handle({ params: { reference }, query, headers, now }) {
      const nonce = newNonce()
      const publicSession = await api.collections.findPublicSession(reference)
      if (!publicSession)
        return answerPage({ headers }, { status: 404, text: renderNotFound(texts, nonce), nonce })
      if (query.part !== 'main' && isFirstHand(headers))
        api.collections.markOpened(publicSession, now)
      const language = await findLanguage(api.db, publicSession)
      const scene = sceneOf(api, publicSession, {
        now,
        texts: checkoutTexts[language],
        nairaBefore: parseUnits(query.sent),
        coinsBefore: parseUnits(query.coins),
        prefersCoins: query.method === 'crypto',
      })
      const text = query.part === 'main' ? renderMain(scene).markup : renderPage()
      return answerPage(
        { headers },
        { status: 200, text, nonce, frameOrigins: publicSession.checkout.frameOrigins },
      )

      function renderPage(): string {
        return renderSheet({
          texts: scene.texts,
          nonce,
          title: pageTitleOf(scene),
          main: renderMain(scene),
          shop: publicSession!.checkout,
          isTest: scene.isTest,
          methods: describeMethods(publicSession!, scene.texts),
          scriptUrl: `/checkout/assets/${script.fileName}`,
          frameOrigins: publicSession!.checkout.frameOrigins,
        })
      }
    },
  })

/**
 * Whether a browser loads the page to show it: not a program, a link preview or a prefetch. Old
 * browsers and insecure connections send no `Sec-Fetch-Mode`.
 */
function isFirstHand(headers: IncomingHttpHeaders): boolean {
  const { 'sec-purpose': purpose = headers.purpose ?? headers['x-moz'] } = headers
  if (purpose !== undefined) return false
  const mode = headers['sec-fetch-mode']
  return mode === undefined ? headers['upgrade-insecure-requests'] === '1' : mode === 'navigate'
}

/** A session for an invoice is in the language of that. */
async function findLanguage(db: Queryable, { account, wallet }: PublicSession): Promise<Language> {
  const { environmentId, invoiceId } = (account ?? wallet)!
  if (invoiceId === null) return 'en'
  const [invoice] = await findInvoices(db, [{ environmentId, id: invoiceId }])
  return invoice!.language
}

function describeMethods({ account, wallet }: PublicSession, texts: Texts): string {
  if (!wallet) return texts.byTransfer
  return account ? texts.byTransferOr(wallet.asset!) : texts.byCoins(wallet.asset!)
}

function sceneOf(
  api: ApiParts,
  publicSession: PublicSession,
  { now, texts, ...claim }: { now: Date; texts: Texts } & Parameters<typeof viewSession>[1],
): Scene {
  const shown = showPublicSession(now, publicSession)
  return {
    shown,
    texts,
    isTest: publicSession.mode === 'test',
    canSimulateBank: canSimulate(api, publicSession, 'bank_transfer'),
    canSimulateCoins: canSimulate(api, publicSession, 'crypto'),
    createdAt: publicSession.session.createdAt,
    mint: (shown.crypto && api.collections.mintOf(publicSession.mode, shown.crypto.asset)) ?? null,
    checkout: publicSession.checkout,
    view: viewSession(shown, { ...claim, isForInvoice: isForInvoice(publicSession) }),
  }
}

function isForInvoice({ account, wallet }: PublicSession): boolean {
  return (account ?? wallet)!.invoiceId !== null
}

/** Null for anything else: payers may change the URL. */
function parseUnits(text: unknown): bigint | null {
  return typeof text === 'string' && /^\d{1,16}$/.test(text) ? BigInt(text) : null
}

const readReceipt = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/receipt.pdf`,
    operation: 'downloadReceipt',
    summary: 'Download the receipt of a checkout session',
    description: 'As PDF, once something was paid.',
    params,
    query: Type.Object({}),
    async handle({ params: { reference }, headers, now }) {
      const found = await api.collections.findPublicSession(reference)
      const pdf =
        found &&
        (await drawReceipt({
          receipted: receiptedOf(showPublicSession(now, found)),
          checkout: found.checkout,
          isTest: found.mode === 'test',
          language: await findLanguage(api.db, found),
        }))
      if (pdf) return answerPdf(pdf, reference)
      const nonce = newNonce()
      return answerPage({ headers }, { status: 404, text: renderNotFound(texts, nonce), nonce })
    },
  })

/** For browsers without script: simulates a payment in test mode and redirects to the page. */
const simulateByForm = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/pay`,
    takesForm: true,
    operation: 'payCheckoutByForm',
    summary: 'Simulate a payment with a form',
    description: 'Test mode only, and only from the checkout page itself.',
    params,
    query: Type.Object({ method: Type.Optional(Type.Any()) }),
    async handle({ params: { reference }, query, headers, now }): Promise<Document> {
      const publicSession = await api.collections.findPublicSession(reference)
      const nonce = newNonce()
      const method = query.method === 'crypto' ? 'crypto' : 'bank_transfer'
      if (!publicSession || !canSimulate(api, publicSession, method))
        return answerPage({ headers }, { status: 404, text: renderNotFound(texts, nonce), nonce })
      if (!isOwnPage(headers, publicSession.session.url)) throw foreignPage()
      const after = method === 'crypto' ? coinsSentLink(showPublicSession(now, publicSession)) : ''
      await simulatePaymentOnce(api, publicSession, { now, method })
      const location = `/checkout/${reference}${after}`
      return redirectTo(location)
    },
  })

/** Browsers send Sec-Fetch-Site; older ones send only Origin. */
function isOwnPage(headers: IncomingHttpHeaders, url: string): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  return site === undefined ? origin === new URL(url).origin : site === 'same-origin'
}

function foreignPage(): Refusal {
  return new Refusal('forbidden', { message: 'Only the checkout page may submit this form.' })
}

const readScriptFile = (script: PageScript) =>
  route({
    ...base,
    method: 'GET',
    path: '/checkout/assets/:name',
    operation: 'getCheckoutAsset',
    summary: 'Get the script of the checkout page',
    description: 'Its name contains a hash of its content.',
    params: Type.Object({ name: Type.String() }),
    async handle({ params: { name }, headers }) {
      return answerScript(script, { name, headers })
    },
  })
