import { strict as assert } from 'node:assert'
import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { after, type EnvironmentTime, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { collectionLimits } from '../../collections/limits.js'
import {
  type LinkStatus,
  linkStatus,
  sessionMetadata,
  type UsedLink,
} from '../../collections/links/link.js'
import { findLinkBySlug } from '../../collections/links/store-links.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { getSettings } from '../../merchants/settings/settings.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { createResource } from '../pipeline/create-resource.js'
import { type Document, type Route, route } from '../server/route.js'
import { answerPage, newNonce, redirectTo } from './answer-page.js'
import { drawQrFile } from './draw-qr.js'
import { linkTexts } from './link-texts.js'
import { renderNotFound } from './page.js'
import { readLinkForm } from './read-link-form.js'
import { type LinkScene, renderEndedLink, renderLinkPage, type SentForm } from './render-link.js'
import { english as texts } from './texts.js'

const path = '/pay/:slug'
const base = { access: 'open', isPage: true, tag: 'Checkout', answers: {} } as const
const params = Type.Object({ slug: Type.String() })
const formFields = Type.Object({}, { additionalProperties: true })

/** The page of a payment link. It needs no script. */
export function linkPageRoutes(api: ApiParts): Route[] {
  return [readPage(api), submitForm(api), readQrCode(api)]
}

type OpenedLink = {
  link: UsedLink
  environment: Environment
  settings: Settings
  now: EnvironmentTime
  status: LinkStatus
  /** How a session can be paid. None: it cannot be. */
  takesTransfers: boolean
  takesCoins: boolean
}

async function openLink(
  { db }: ApiParts,
  slug: string,
  realNow: RealTime,
): Promise<OpenedLink | undefined> {
  const link = await findLinkBySlug(db, slug)
  if (!link) return undefined
  const environment = await getEnvironmentById(db, link.environmentId)
  const settings = await getSettings(db, environment)
  const { bankTransfer: takesTransfers, crypto } = settings.paymentMethods
  const takesCoins = crypto && link.cryptoAsset !== null
  const now = toEnvironmentTime(realNow, environment.clockOffsetMs)
  const canPay = !environment.isSuspended && (takesTransfers || takesCoins)
  const status = canPay ? linkStatus(link, now) : 'inactive'
  return { link, environment, settings, now, status, takesTransfers, takesCoins }
}

const readPage = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'showPaymentLink',
    summary: 'Show the page of a payment link',
    description: 'HTML with a form that works without script.',
    params,
    query: Type.Object({}),
    async handle({ params: { slug }, headers, realNow }) {
      const opened = await openLink(api, slug, realNow)
      return opened ? answerLink(headers, opened) : answerUnknown(headers)
    },
  })

const submitForm = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    takesForm: true,
    isLimitedForm: true,
    operation: 'payByPaymentLink',
    summary: 'Make a session of a payment link',
    description: 'From the page itself only. Redirects to the checkout page of the new session.',
    params,
    body: formFields,
    async handle({ params: { slug }, headers, body, realNow, requestId }): Promise<Document> {
      refuseForeignForm(headers)
      const opened = await openLink(api, slug, realNow)
      if (!opened) return answerUnknown(headers)
      if (opened.status !== 'active') return answerLink(headers, opened, undefined, 409)
      const { link, environment, settings, now, takesCoins } = opened
      const form = readLinkForm(link, api.naira[environment.mode], body as Record<string, unknown>)
      if ('issues' in form) return answerLink(headers, opened, form, 422)
      const { payer } = form
      const prepared = await api.collections.prepareSession(now, {
        environment,
        retryKey: undefined,
        chosenSplit: undefined,
        baseUrl: api.baseUrl(),
        paymentLinkId: link.id,
        description: link.description,
        customerName: payer.name,
        customerEmail: payer.email,
        merchantReference: null,
        successUrl: link.successUrl,
        cancelUrl: link.url,
        metadata: sessionMetadata(link, payer.answers),
        expected: {
          amount: payer.amount,
          expiresAt: after(now, collectionLimits.expiryDefaultMs),
        },
        crypto: takesCoins ? { asset: link.cryptoAsset!, price: null } : null,
      })
      if (prepared instanceof Refusal) {
        const problem = linkTexts.problems.unavailable(settings.checkout.displayName)
        const values = body as Record<string, string>
        return answerLink(headers, opened, { values, issues: new Map(), problem }, 503)
      }
      const request = { environment, key: undefined, requestId, now, audited: undefined, body }
      const answered = await createResource(api, request, prepared, {
        message: 'Checkout session created',
        commit: api.commitAccount,
      })
      assert(answered.status === 201, 'a session without a reference of its own is never refused')
      const location = `/checkout/${prepared.session!.reference}`
      return redirectTo(location)
    },
  })

/** A picture for print and for other pages. What it shows never changes. */
const readQrCode = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/qr.svg`,
    operation: 'drawPaymentLink',
    summary: 'Draw the QR code of a payment link',
    description: 'SVG with the URL of the link.',
    params,
    query: Type.Object({}),
    async handle({ params: { slug } }): Promise<Document> {
      const link = await findLinkBySlug(api.db, slug)
      if (!link) throw notFound('payment link', slug)
      return {
        status: 200,
        contentType: 'image/svg+xml; charset=utf-8',
        body: drawQrFile(link.url, linkTexts.qrLabel),
        headers: {
          'cache-control': 'public, max-age=86400',
          'content-security-policy': "default-src 'none'",
        },
      }
    },
  })

async function answerLink(
  headers: IncomingHttpHeaders,
  opened: OpenedLink,
  sent?: SentForm,
  status = 200,
): Promise<Document> {
  const { link, environment, settings } = opened
  const nonce = newNonce()
  const scene: LinkScene = {
    link,
    checkout: settings.checkout,
    isTest: environment.mode === 'test',
    methods: describeMethods(opened),
  }
  const text =
    opened.status === 'active'
      ? renderLinkPage(scene, nonce, sent)
      : renderEndedLink(scene, nonce, opened.status)
  const { frameOrigins } = settings.checkout
  return answerPage({ headers }, { status, text, nonce, frameOrigins, hidesReferrer: true })
}

function describeMethods({ link, takesTransfers, takesCoins }: OpenedLink): string {
  if (!takesCoins) return takesTransfers ? texts.byTransfer : ''
  return takesTransfers ? texts.byTransferOr(link.cryptoAsset!) : texts.byCoins(link.cryptoAsset!)
}

/** Unknown and malformed slugs get the same page. */
async function answerUnknown(headers: IncomingHttpHeaders): Promise<Document> {
  const nonce = newNonce()
  const text = renderNotFound(texts, nonce)
  return answerPage({ headers }, { status: 404, text, nonce, hidesReferrer: true })
}

/**
 * A page that sends no referrer submits its form without an origin too, so only Sec-Fetch-Site
 * tells where a form comes from. Old browsers send none, and are served: the form uses no session.
 */
function refuseForeignForm({ 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  if (site === undefined || site === 'same-origin') return
  throw new Refusal('forbidden', { message: 'Only the page of the link may submit this form.' })
}
