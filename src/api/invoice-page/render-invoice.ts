import { minute } from '../../base/clock.js'
import { type Html, html } from '../../base/html.js'
import type { PublicInvoice } from '../../checkout/find-public-invoice.js'
import type { AccountForInvoice } from '../../checkout/open-for-invoice.js'
import { collectionLimits } from '../../collections/limits.js'
import { formatDecimal } from '../../money/amounts.js'
import type { Coin } from '../../money/assets.js'
import { drawQr } from '../checkout-page/draw-qr.js'
import {
  renderBankAccount,
  renderWalletAddress,
  solanaPayLink,
} from '../checkout-page/render-accounts.js'
import { renderContact } from '../checkout-page/scene.js'
import { signs } from '../checkout-page/signs.js'
import { showMoney, type Texts } from '../checkout-page/texts.js'
import type { Fact, InvoiceWords } from './describe-invoice.js'
import type { Offer } from './offer-payment.js'
import type { InvoiceTexts } from './texts.js'

export type InvoiceScene = {
  texts: InvoiceTexts
  /** Texts that it shares with the checkout page, in the same language. */
  shared: Texts
  found: PublicInvoice
  words: InvoiceWords
  offer: Offer
  /** A wallet that was opened for the invoice. */
  wallet: AccountForInvoice | undefined
  /** Address of the coin of the invoice on its chain; null if it is not known now. */
  mint: string | null
}

/** On phones the way to pay comes before the lines; on wide screens it is beside them. */
export function renderInvoice(scene: InvoiceScene): Html {
  const { words } = scene
  return html`<main id="checkout" class="invoice" data-state="${words.status.toLowerCase()}"
data-title="${words.title}" data-session-url="">
  <div class="head sum">${renderHead(scene)}${renderFacts(words.facts)}</div>
  <div class="pay">${renderPay(scene)}${renderLinks(scene)}${renderSupport(scene)}</div>
  <div class="paper">${renderPaper(scene)}</div></main>`
}

function renderHead({ found, words, texts }: InvoiceScene): Html {
  const { displayName } = found.checkout
  if (words.status === 'PAID') {
    const isPaid = found.invoice.amountPaid > 0n
    return html`<div class="sign good">${signs.paid}</div>
      <h1 tabindex="-1" class="state">${isPaid ? texts.paidTitle : texts.givenUpTitle}</h1>
      <p>${isPaid ? texts.paidBody(displayName) : texts.givenUpBody(displayName)}</p>`
  }
  if (words.status === 'VOID')
    return html`<div class="sign bad">${signs.cancelled}</div>
      <h1 tabindex="-1" class="state">${texts.voidTitle}</h1>
      <p>${texts.voidBody(displayName)}</p>`
  const size = words.amountDue.length > 15 ? ' longest' : words.amountDue.length > 11 ? ' long' : ''
  const late = words.status === 'OVERDUE' ? ' late' : ''
  return html`<h1 tabindex="-1">${texts.amountDue}
      <span class="amount${size}">${words.amountDue}</span></h1>
    <p class="for${late}">${words.headline}</p>`
}

function renderFacts(facts: Fact[], last?: Fact): Html {
  return html`<dl class="card">${facts.map(
    ([label, value]) => html`<div class="row"><dt>${label}</dt><dd>${value}</dd></div>`,
  )}${last && html`<div class="row last"><dt>${last[0]}</dt><dd>${last[1]}</dd></div>`}</dl>`
}

function renderPay(scene: InvoiceScene): Html | false {
  const { found, offer, wallet, texts } = scene
  if (found.invoice.amountDue === 0n) return false
  const isOffered = offer.all !== null || offer.nextInstalment !== null
  const takesCoins = isOffered && offer.coins.length > 0
  return html`<section aria-label="${texts.howToPay}"><h2>${texts.howToPay}</h2>${
    found.dedicated.length > 0
      ? renderDedicated(scene)
      : wallet
        ? renderWallet(scene, wallet)
        : isOffered && offer.isDirect
          ? renderForm(scene)
          : !takesCoins && html`<p>${texts.cannotPay(found.checkout.displayName)}</p>`
  }${takesCoins && renderCoinsForm(scene)}</section>`
}

/** Works without script. Each button says which coin, and which part of the invoice. */
function renderCoinsForm({ found: { invoice, dedicated }, offer, texts }: InvoiceScene): Html {
  const { all, nextInstalment, coins, isDirect } = offer
  const isOnly = !isDirect && dedicated.length === 0
  const button = (coin: Coin, amount: bigint | null, part: 'next' | 'all') =>
    amount !== null &&
    html`<button class="plain" name="coin" value="${coin} ${part}">${texts.payInCoin(
      showMoney(amount, invoice.asset),
      coin,
    )}</button>`
  const form = html`<form method="post" action="/i/${invoice.pageToken}/pay">${coins.map(
    (coin) => html`${button(coin, nextInstalment, 'next')}${button(coin, all, 'all')}`,
  )}<p class="small soft">${texts.byRate(
    collectionLimits.coinPriceOfInvoiceMs / minute,
  )}</p></form>`
  return isOnly
    ? form
    : html`<details><summary>${texts.payInCoins}</summary><div class="inside">${form}</div></details>`
}

function renderDedicated(scene: InvoiceScene): Html {
  const { texts, shared } = scene
  const { invoice, dedicated, checkout } = scene.found
  const { asset, amountDue: amount } = invoice
  const isNaira = asset === 'NGN'
  const lead = isNaira ? texts.toYourAccount : texts.toYourWallet
  return html`<p>${lead(checkout.displayName)} ${texts.inParts}</p>
    ${dedicated.map(({ number, accountName, bankName }) =>
      isNaira
        ? renderBankAccount(
            { accountNumber: number, accountName, bankName, amount },
            shared,
            texts.amountDue,
          )
        : renderCoins(scene, number),
    )}
    <p class="small soft">${texts.reload}</p>`
}

function renderWallet(scene: InvoiceScene, { number, expiresAt }: AccountForInvoice): Html {
  const { texts, shared } = scene
  const { time } = shared.before(expiresAt!)
  return html`<p>${texts.toWallet(time)} ${texts.inParts}</p>
    ${renderCoins(scene, number)}
    <p class="small soft">${texts.reload}</p>`
}

function renderCoins(scene: InvoiceScene, address: string): Html {
  const { found, words, mint, texts, shared } = scene
  const { invoice, checkout } = found
  const asset = invoice.asset as Coin
  const { amountDue: amount } = invoice
  const link = solanaPayLink({
    address,
    amount: formatDecimal(amount, asset),
    mint,
    label: checkout.displayName,
    message: words.title,
  })
  return html`<p class="exact"><b>${shared.coins.only(asset)}</b></p>
    ${renderWalletAddress({ address, asset, amount }, shared, texts.amountDue)}
    <a class="button plain" href="${link}">${shared.coins.openWallet}</a>
    <details><summary>${shared.qrTitle}</summary><div class="inside">
      ${drawQr(link, shared.coins.qrLabel(asset))}</div></details>`
}

/** Works without script. */
function renderForm({ found: { invoice }, offer, texts }: InvoiceScene): Html {
  const { asset, pageToken } = invoice
  const money = (amount: bigint) => showMoney(amount, asset)
  const { all, nextInstalment } = offer
  const next =
    nextInstalment !== null &&
    html`<button class="primary" name="part" value="next">${texts.payNext(
      money(nextInstalment),
    )}</button>`
  const whole =
    all !== null &&
    (next
      ? html`<button class="plain" name="part" value="all">${texts.payWhole(money(all))}</button>`
      : html`<button class="primary">${texts.payAll(money(all))}</button>`)
  return html`<form method="post" action="/i/${pageToken}/pay">${next}${whole}
    <p class="small soft">${asset === 'NGN' ? texts.byTransfer : texts.byCoin(asset)}
      ${texts.inParts}</p></form>`
}

function renderLinks({ found: { invoice }, texts }: InvoiceScene): Html {
  const url = `/i/${invoice.pageToken}/invoice.pdf`
  return html`<a class="button plain" href="${url}">${texts.download}</a>
    <button type="button" class="plain" data-print hidden>${texts.print}</button>`
}

function renderSupport({ found: { checkout }, words, shared }: InvoiceScene): Html | false {
  return renderContact(checkout, { name: checkout.displayName, subject: words.title }, shared)
}

function renderPaper({ words, texts }: InvoiceScene): Html {
  const { memo, lines, totals, due, instalments, footer } = words
  return html`${memo && html`<p class="written">${memo}</p>`}
    <section aria-label="${texts.lines}"><h2>${texts.lines}</h2><ul class="card">${lines.map(
      ({ description, details, amount }) =>
        html`<li><span>${description}</span> <b>${amount}</b>
          <span class="small soft">${details}</span></li>`,
    )}</ul></section>
    <section aria-label="${texts.totals}"><h2>${texts.totals}</h2>
      ${renderFacts(totals, due)}</section>
    ${
      instalments.length > 0 &&
      html`<section aria-label="${texts.instalments}"><h2>${texts.instalments}</h2>
        <ul class="card">${instalments.map(
          ({ date, amount, state, isOverdue }) =>
            html`<li><span>${date}</span> <b>${amount}</b>
              <span class="small${isOverdue ? ' late' : ' soft'}">${state}</span></li>`,
        )}</ul></section>`
    }
    ${footer && html`<p class="written small soft">${footer}</p>`}`
}
