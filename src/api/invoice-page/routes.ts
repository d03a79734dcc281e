import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { after, type EnvironmentTime, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { toJson } from '../../base/json-text.js'
import { Refusal } from '../../base/refusal.js'
import { findPublicInvoice, type PublicInvoice } from '../../checkout/find-public-invoice.js'
import {
  type AccountForInvoice,
  createAccountForInvoice,
  findAccountForInvoice,
} from '../../checkout/open-for-invoice.js'
import type { PreparedAccount } from '../../collections/accounts/create-accounts.js'
import { collectionLimits } from '../../collections/limits.js'
import { invoiceNumber } from '../../customers/invoices/invoice.js'
import { formatDecimal } from '../../money/amounts.js'
import { type Coin, coins } from '../../money/assets.js'
import { answerPage, newNonce, redirectTo } from '../checkout-page/answer-page.js'
import { renderNotFound, renderSheet } from '../checkout-page/page.js'
import { readPageScript } from '../checkout-page/page-script.js'
import { checkoutTexts } from '../checkout-page/texts.js'
import { answerPdf } from '../documents/answer-pdf.js'
import { drawInvoice } from '../documents/draw-invoice.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { type Document, type Route, route } from '../server/route.js'
import { describeInvoice } from './describe-invoice.js'
import { type Offer, offerPayment } from './offer-payment.js'
import { renderInvoice } from './render-invoice.js'
import { invoiceStyles } from './styles.js'
import { invoiceTexts } from './texts.js'

const path = '/i/:token'
const base = { access: 'open', isPage: true, tag: 'Customers', answers: {} } as const
const params = Type.Object({ token: Type.String() })

/** The page of an invoice. Unknown query parameters are ignored: links often gain some. */
export function invoicePageRoutes(api: ApiParts): Route[] {
  return [readPage(api), readPdf(api), payByForm(api)]
}

const readPage = (api: ApiParts) => {
  const script = readPageScript('checkout')
  return route({
    ...base,
    method: 'GET',
    path,
    operation: 'showInvoicePage',
    summary: 'Show the page of an invoice',
    description: 'HTML that works without script.',
    params,
    query: Type.Object({}),
    async handle({ params: { token }, headers, realNow }) {
      const found = await findPublicInvoice(api.db, token)
      if (!found) return answerNotFound({ headers })
      const { invoice, environment, checkout } = found
      const { asset, amountDue } = invoice
      const at = toEnvironmentTime(realNow, environment.clockOffsetMs)
      const words = describeInvoice(found, at)
      const isInCoins = asset !== 'NGN' && amountDue > 0n
      const texts = invoiceTexts[invoice.language]
      const shared = checkoutTexts[invoice.language]
      const main = renderInvoice({
        texts,
        shared,
        found,
        words,
        offer: await readOffer(api, found, at),
        wallet: isInCoins
          ? await findAccountForInvoice(api.db, { invoice, amount: amountDue, coin: null, now: at })
          : undefined,
        mint: isInCoins ? (api.collections.mintOf(environment.mode, asset) ?? null) : null,
      })
      const nonce = newNonce()
      const text = renderSheet({
        texts: shared,
        nonce,
        title: words.title,
        main,
        shop: checkout,
        isTest: environment.mode === 'test',
        methods: `${texts.invoice} ${words.number}`,
        scriptUrl: `/checkout/assets/${script.fileName}`,
        styles: invoiceStyles,
      })
      return answerPage({ headers }, { status: 200, text, nonce, hidesReferrer: true })
    },
  })
}

const readPdf = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/invoice.pdf`,
    operation: 'downloadInvoicePdf',
    summary: 'Download an invoice',
    description: 'As PDF.',
    params,
    query: Type.Object({}),
    async handle({ params: { token }, headers, realNow }) {
      const found = await findPublicInvoice(api.db, token)
      if (!found) return answerNotFound({ headers })
      const now = toEnvironmentTime(realNow, found.environment.clockOffsetMs)
      return answerPdf(await drawInvoice(found, now), invoiceNumber(found.invoice)!)
    },
  })

const payByForm = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/pay`,
    takesForm: true,
    // Each may open an account at the bank.
    isLimitedForm: true,
    operation: 'payInvoiceByForm',
    summary: 'Open an account for an invoice',
    description:
      'Redirects to a checkout session for what is due, or for the next instalment: by bank transfer, or in a coin at the current rate. Invoices in coins get a wallet, which their page shows.',
    params,
    // The button that the payer pressed: `part`, or `coin` and the part after it.
    body: Type.Object({ part: Type.Optional(Type.Any()), coin: Type.Optional(Type.Any()) }),
    async handle({ params: { token }, body, headers, realNow }): Promise<Document> {
      const found = await findPublicInvoice(api.db, token)
      if (!found) return answerNotFound({ headers })
      const { clockOffsetMs } = found.environment
      const offer = await readOffer(api, found, toEnvironmentTime(realNow, clockOffsetMs))
      const { all, nextInstalment, coins, isDirect } = offer
      const isNext = body.part === 'next' || String(body.coin).endsWith(' next')
      const amount = isNext ? (nextInstalment ?? all) : (all ?? nextInstalment)
      const coin = coins.find((offered) => String(body.coin).split(' ')[0] === offered) ?? null
      const isOffered = coin !== null || (isDirect && found.dedicated.length === 0)
      const account =
        isOffered && amount !== null
          ? await openAccount(api, found, { amount, coin, realNow })
          : undefined
      const reference = account?.sessionReference
      return redirectTo(reference ? `/checkout/${reference}` : `/i/${token}`)
    },
  })

/** Coins without a rate, or that the chain does not have, are not offered. */
async function readOffer(
  { naira, rates, collections }: ApiParts,
  found: PublicInvoice,
  at: EnvironmentTime,
): Promise<Offer> {
  const { environment, invoice } = found
  const mayTakeCoins = invoice.asset === 'NGN' && invoice.amountDue > 0n
  const known = coins.filter(
    (coin) => mayTakeCoins && collections.mintOf(environment.mode, coin) !== undefined,
  )
  const current = await Promise.all(known.map((coin) => rates.find(environment, coin, at)))
  const priced = current.flatMap((rate) => rate?.asset ?? [])
  return offerPayment(found, naira[environment.mode], priced)
}

/** The account that is open for this amount, or a new one. */
async function openAccount(
  api: ApiParts,
  found: PublicInvoice,
  { amount, coin, realNow }: { amount: bigint; coin: Coin | null; realNow: RealTime },
): Promise<AccountForInvoice | undefined> {
  const { invoice, environment } = found
  const { clockOffsetMs } = environment
  const at = toEnvironmentTime(realNow, clockOffsetMs)
  const open = await findAccountForInvoice(api.db, { invoice, amount, coin, now: at })
  if (open) return open
  const prepared = await prepareAccount(api, found, { amount, coin, now: at })
  const wanted = { invoice, amount, coin, prepared, clockOffsetMs }
  return api.db.transaction((tx) => createAccountForInvoice(tx, api.clock.now(), wanted))
}

/** A session at a bank, or a wallet. Throws why none can be opened. */
async function prepareAccount(
  { collections, baseUrl }: ApiParts,
  { invoice, customer, environment }: PublicInvoice,
  { amount, coin, now }: { amount: bigint; coin: Coin | null; now: Date },
): Promise<PreparedAccount> {
  const { asset, customerId, id: invoiceId, url } = invoice
  const number = invoiceNumber(invoice)!
  const common = {
    environment,
    metadata: toJson({}),
    merchantReference: number,
    expected: { amount, expiresAt: after(now, lifetimeOf(coin)) },
    owner: { customerId, invoiceId },
    // Two requests at once open two accounts; the commit keeps one.
    retryKey: undefined,
  }
  const prepared =
    asset === 'NGN'
      ? await collections.prepareSession(now, {
          ...common,
          baseUrl: baseUrl(),
          description: `${invoiceTexts[invoice.language].invoice} ${number}`,
          customerName: customer.name,
          customerEmail: customer.email ?? '',
          paymentLinkId: null,
          successUrl: url,
          cancelUrl: url,
          crypto: coin && { asset: coin, price: null },
          isCoinsOnly: coin !== null,
        })
      : await collections.prepareWallet(now, {
          ...common,
          kind: 'crypto_wallet',
          asset: asset as Coin,
          requestedAmount: formatDecimal(amount, asset),
        })
  if (prepared instanceof Refusal) throw prepared
  return prepared
}

/** A price in a coin ends before the rate moves far. */
function lifetimeOf(coin: Coin | null): number {
  return coin === null ? collectionLimits.expiryMaxMs : collectionLimits.coinPriceOfInvoiceMs
}

/** Drafts, unknown and malformed tokens get the same page. */
function answerNotFound({ headers }: { headers: IncomingHttpHeaders }): Promise<Document> {
  const nonce = newNonce()
  const text = renderNotFound({ ...checkoutTexts.en, notFound: invoiceTexts.en.notFound }, nonce)
  return answerPage({ headers }, { status: 404, text, nonce, hidesReferrer: true })
}
