import Type from 'typebox'
import { after, minute } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { asMarkup } from '../../base/html.js'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { sessionSample, walletSample } from '../../base/shapes.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { colour, type Settings, visible } from '../../merchants/settings/settings-document.js'
import { permissionsIn, type SignedIn } from '../../team/sessions.js'
import { closed } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { type Document, route } from '../server/route.js'
import { answerPage, newNonce } from './answer-page.js'
import { renderSheet } from './page.js'
import { pageTitleOf, renderMain } from './render-session.js'
import type { Scene } from './scene.js'
import { english as texts } from './texts.js'
import { viewSession } from './view.js'

/**
 * The checkout page with sample data, with a design that is not saved yet. A frame of the settings
 * screen shows it and cannot send headers, so the query names the merchant. The page is sandboxed:
 * nothing in it runs, and no link or form leads anywhere.
 */
export const checkoutPreview = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/checkout/preview',
    access: 'any_user',
    isPage: true,
    operation: 'previewCheckout',
    summary: 'Preview the checkout page',
    description: 'HTML with sample data.',
    tag: 'Console',
    query: closed({
      merchant: Type.String(),
      mode: Type.Enum(['test', 'live'], { type: 'string' }),
      displayName: Type.Optional(Type.String({ maxLength: limits.names.length, ...visible })),
      colour: Type.Optional(Type.String({ pattern: colour })),
      supportEmail: Type.Optional(Type.String({ maxLength: limits.checkout.emailLengthMax })),
      supportPhone: Type.Optional(Type.String({ maxLength: 20 })),
      showLogo: Type.Optional(Type.Enum(['yes', 'no'], { type: 'string' })),
      hasCrypto: Type.Optional(Type.Enum(['yes', 'no'], { type: 'string' })),
      hasBank: Type.Optional(Type.Enum(['yes', 'no'], { type: 'string' })),
    }),
    answers: {},
    async handle({ signedIn, query, headers, now }): Promise<Document> {
      const environment = findEnvironment(signedIn!, query)
      const { checkout: saved, paymentMethods } = await getSettings(db, environment)
      const checkout = {
        ...saved,
        displayName: query.displayName ?? saved.displayName,
        colour: query.colour ?? null,
        logo: query.showLogo === 'no' ? null : saved.logo,
        supportEmail: query.supportEmail ?? null,
        supportPhone: query.supportPhone ?? null,
      }
      const methods = {
        bankTransfer: query.hasBank ? query.hasBank === 'yes' : paymentMethods.bankTransfer,
        crypto: query.hasCrypto ? query.hasCrypto === 'yes' : paymentMethods.crypto,
      }
      const nonce = newNonce()
      const text = renderPreview({ environment, checkout, methods, now, nonce })
      const page = await answerPage({ headers }, { status: 200, text, nonce })
      return { ...page, headers: { ...page.headers, ...framedByConsole(nonce) } }
    },
  })

function framedByConsole(nonce: string) {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'sandbox',
  ]
  return {
    'content-security-policy': policy.join(';'),
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
  }
}

/** Those who may see the settings may see the page. */
function findEnvironment(
  signedIn: SignedIn,
  { merchant, mode }: { merchant: string; mode: 'test' | 'live' },
): Environment {
  const merchantId = fromReference(prefixes.merchant, merchant)
  const membership = signedIn.memberships.find((candidate) => candidate.merchantId === merchantId)
  const may = membership && permissionsIn(membership, mode).includes('settings.see')
  if (membership && may && (mode === 'test' || signedIn.hasSecondFactor))
    return membership.environments[mode]
  throw new Refusal('forbidden', { reason: 'role', message: 'You may not see this page.' })
}

type Preview = {
  environment: Environment
  checkout: Settings['checkout']
  methods: Settings['paymentMethods']
  now: Date
  nonce: string
}

function renderPreview({ environment, checkout, methods, now, nonce }: Preview): string {
  const shown = sampleSession({ environment, checkout, methods, now })
  const scene: Scene = {
    shown,
    texts,
    isTest: environment.mode === 'test',
    canSimulateBank: false,
    canSimulateCoins: false,
    createdAt: now,
    mint: null,
    checkout,
    view: viewSession(shown, { nairaBefore: null }),
  }
  // Payers see these buttons: the script of their page shows them.
  const main = renderMain(scene).markup.replaceAll('class="copy" hidden', 'class="copy" disabled')
  return renderSheet({
    texts,
    nonce,
    title: pageTitleOf(scene),
    main: asMarkup(main),
    shop: checkout,
    isTest: scene.isTest,
    methods: describeMethods(methods),
  })
}

function describeMethods({ bankTransfer, crypto }: Settings['paymentMethods']): string {
  if (!crypto) return texts.byTransfer
  return bankTransfer ? texts.byTransferOr('USDC') : texts.byCoins('USDC')
}

function sampleSession({
  environment,
  checkout,
  methods,
  now,
}: Omit<Preview, 'nonce'>): PublicSessionJson {
  const { displayName } = checkout
  const isBank = methods.bankTransfer || !methods.crypto
  return {
    reference: sessionSample,
    merchant: { id: toReference(prefixes.merchant, environment.merchantId), displayName },
    amount: 1_250_000,
    currency: 'NGN',
    description: 'Two loaves of agege bread',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
    paymentMethods: [],
    status: 'pending',
    expiresAt: after(now, 30 * minute).toISOString(),
    bankTransfer: isBank
      ? {
          accountNumber: '0000014572',
          accountName: displayName,
          bankName: 'Sandbox Bank',
          bankCode: '999',
          amount: 1_250_000,
        }
      : undefined,
    amountReceived: 0,
    amountAccepted: 0,
    cryptoAmounts: methods.crypto
      ? { asset: 'USDC', amount: '8.20', amountReceived: '0', amountAccepted: '0' }
      : undefined,
    crypto: methods.crypto
      ? { address: walletSample, asset: 'USDC', network: 'SOLANA', amount: '8.20', rate: null }
      : undefined,
    received: [],
    moreReceived: false,
    serverTime: now.toISOString(),
    cancelUrl: null,
  }
}
