import { asMarkup, type Html, html } from '../../base/html.js'
import { limits } from '../../base/limits.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import { drawQr } from './draw-qr.js'
import { renderBankAccount } from './render-accounts.js'
import {
  priceOf,
  renderCoins,
  renderCoinsSummary,
  renderRate,
  renderWaitingForCoins,
} from './render-coins.js'
import { renderReceipt, renderReturn, returnsAutomatically } from './render-receipt.js'
import { merchantOf, renderButton, renderLink, renderSupport, type Scene } from './scene.js'
import { signs } from './signs.js'
import { plainAmount, showMoney, showNaira } from './texts.js'
import type { PageState, PaymentNote } from './view.js'

/** The part of the page that changes. The script replaces it as a whole. */
export function renderMain(scene: Scene): Html {
  const { view, shown } = scene
  const layout = view.state === 'pending' && !view.shortfall ? 'columns' : 'message'
  const canBePaid = view.state === 'pending' || view.state === 'waiting'
  const { pollIntervalMs, eagerPollingMs, pollIntervalMaxMs, streamingPollIntervalMs } =
    limits.checkout
  return html`<main id="checkout" class="${layout}" data-state="${view.state}"
data-title="${pageTitleOf(scene)}" data-heading="${headingOf(scene)}"
data-announcement="${announcementOf(scene)}" data-fingerprint="${view.fingerprint}"
data-session-url="${view.isWatched ? `/public/checkout/${shown.reference}` : ''}"
data-poll-interval-ms="${pollIntervalMs}" data-poll-interval-max-ms="${pollIntervalMaxMs}"
data-eager-polling-ms="${canBePaid ? eagerPollingMs : 0}"
data-streaming-poll-interval-ms="${streamingPollIntervalMs}">${render[view.state](scene)}</main>`
}

export function pageTitleOf({ view, shown, texts }: Scene): string {
  const isCoinsOnly = shown.crypto && !shown.bankTransfer
  const amount = isCoinsOnly ? priceOf({ shown, view }) : showNaira(BigInt(shown.amount))
  const state = view.isRefunded ? 'refunded' : view.state
  return texts.title[state](shown.merchant.displayName, amount)
}

/** For screen readers, unless the heading gets the focus and is read anyway. */
function headingOf({ view, shown, texts }: Scene): string {
  if (view.state === 'waiting' && view.waitsForCoins)
    return `${texts.coins.waiting.title(shown.crypto!.asset)}.`
  if (view.isRefunded) return `${texts.refunded.title}.`
  return view.state === 'pending' ? '' : `${texts[view.state].title}.`
}

/** What screen readers announce about the money. */
function announcementOf(scene: Scene): string {
  const { view, texts } = scene
  const latest = view.notes.slice(0, 1).map((note) => describeNote(note, scene))
  if (view.state !== 'paid') return latest.join(' ')
  const { before, after } = texts.returning
  const back = returnsAutomatically(scene) ? [`${before(merchantOf(scene))} 5 ${after}`] : []
  return [describePaid(scene), ...latest, ...back].join(' ')
}

/** The amounts that were paid: possibly less than requested, and unchanged by refunds. */
function describePaid(scene: Scene): string {
  const { texts, view } = scene
  const { body } = view.isRefunded ? texts.refunded : texts.paid
  const amounts = view.paid.map(({ amount, asset }) => showMoney(amount, asset))
  return body(amounts, merchantOf(scene))
}

const render: Record<PageState, (scene: Scene) => Html> = {
  pending: renderPending,
  waiting: renderWaiting,
  paid: renderPaid,
  expired: renderExpired,
  cancelled: renderCancelled,
}

/**
 * Everything about one method is in elements of its class, `bank-only` or `coins-only`. With two
 * methods, the styles hide those of the method that is not chosen: this works without script.
 */
function renderPending(scene: Scene): Html {
  if (scene.view.shortfall) return renderShortfall(scene)
  const { shown, texts, view } = scene
  const { bankTransfer, crypto } = shown
  const hasTabs = bankTransfer && crypto
  return html`${hasTabs && renderChoice(scene)}<div class="sum">
    ${hasTabs && renderTabs(scene)}
    <h1 tabindex="-1">${view.isForInvoice ? texts.invoice.send : texts.sendExactly}
      ${bankTransfer && renderAmount('bank-only', showNaira(view.nairaToPay))}
      ${crypto && renderAmount('coins-only', priceOf(scene))}</h1>
    ${crypto && renderRate(scene)}
    <p class="for">${shown.description}</p>
    ${renderNotes(scene, adviseOf(scene))}
    ${renderClock(scene)}
    ${bankTransfer && html`<div class="stack bank-only">${renderBankSummary(scene)}</div>`}
    ${crypto && html`<div class="stack coins-only">${renderCoinsSummary(scene)}</div>`}</div>
  <div class="pay">
    ${bankTransfer && html`<div class="stack bank-only">${renderBank(scene)}</div>`}
    ${crypto && html`<div class="stack coins-only">${renderCoins(scene)}</div>`}
    <div>${renderDetails(scene)}</div>
    ${renderSupport(scene)}
    ${renderLink(shown.cancelUrl, texts.leave(merchantOf(scene)))}</div>`
}

/** Placed before the elements that they show and hide, because styles only reach what follows. */
function renderChoice({ view }: Scene): Html {
  const radio = (id: string, isChecked: boolean) =>
    html`<input type="radio" name="method" class="visually-hidden" id="${id}"${
      isChecked && asMarkup(' checked')
    }>`
  return html`${radio('by-bank', !view.isCoinsFirst)}${radio('by-coins', view.isCoinsFirst)}`
}

function renderTabs({ shown, texts }: Scene): Html {
  return html`<div class="tabs"><label for="by-bank">${texts.transferTab}</label>
    <label for="by-coins">${shown.crypto!.asset}</label></div>`
}

function renderBankSummary(scene: Scene): Html {
  const { texts, view } = scene
  return html`<p class="exact">${view.isForInvoice ? texts.invoice.inParts : texts.exactly}</p>
    <div class="scan">${renderQr(scene)}<p class="small soft">${texts.qrHint}</p></div>`
}

function renderBank(scene: Scene): Html {
  const { shown, texts } = scene
  return html`${renderAccount(scene)}
    <a class="button primary" data-swap href="${nairaSentLink(shown)}">${texts.sent}</a>
    <p class="small soft" data-live hidden>${texts.next(merchantOf(scene))}</p>
    <noscript><p class="small soft">${texts.nextWithoutScript(merchantOf(scene))}</p></noscript>
    ${renderSimulateForm(scene)}
    <details class="by-phone"><summary>${texts.qrTitle}</summary><div class="inside">
      ${renderQr(scene)}<p class="small soft">${texts.qrHint}</p></div></details>`
}

/**
 * Held money may still be accepted, and then paying again would be paying twice. So the page asks
 * the payer to contact the merchant, and offers to pay the whole amount only below.
 */
function renderShortfall(scene: Scene): Html {
  const { shown, texts, view } = scene
  const { asset, received, requested, missing } = view.shortfall!
  const { title, onHold, body, ask, wallet, payInFull, onlyIfAsked } = texts.shortfall
  const money = (amount: bigint) => showMoney(amount, asset)
  const name = merchantOf(scene)
  const pay = (price: string, method: Html) =>
    html`<details><summary>${payInFull(price)}</summary><div class="method">
      <p class="exact">${onlyIfAsked(name)}</p>${method}</div></details>`
  return html`<div class="sign warn">${signs.expired}</div>
    <h1 tabindex="-1">${missing > 0n ? title(money(missing)) : onHold}</h1>
    <div class="words"><p>${body(money(received), money(requested), name)}</p>
      <p><b>${ask(name)}</b> ${asset !== 'NGN' && wallet(name)}</p></div>
    ${renderSupport(scene)}
    ${view.notes.length > 1 && renderNotes(scene, false)}
    ${renderClock(scene)}
    <div>${shown.bankTransfer && pay(showNaira(BigInt(shown.amount)), renderBank(scene))}
      ${shown.crypto && pay(priceOf(scene), renderCoinsWhole(scene))}
      ${renderDetails(scene)}</div>
    ${renderLink(shown.cancelUrl, texts.leave(name))}`
}

function renderCoinsWhole(scene: Scene): Html {
  return html`${renderCoinsSummary(scene)}${renderCoins(scene)}`
}

/** Long amounts are smaller, so that they never wrap. */
function renderAmount(method: string, text: string): Html {
  const size = text.length > 15 ? ' longest' : text.length > 11 ? ' long' : ''
  return html`<span class="amount${size} ${method}">${text}</span>`
}

function renderWaiting(scene: Scene): Html {
  const { shown, texts, view } = scene
  const notes = renderNotes(scene, false)
  if (view.waitsForCoins)
    return renderWaitingForCoins(scene, { notes, details: renderDetails(scene) })
  const { title, body, updates, checkAgain, notYet } = texts.waiting
  return html`<div class="sign wait">${signs.waiting}</div>
    <h1 tabindex="-1">${title}</h1>
    <div class="words"><p>${body(view.nairaToPay, merchantOf(scene))}</p>
      <p class="soft" data-live hidden>${updates}</p></div>
    ${notes}
    <noscript><a class="button primary"
      href="${nairaSentLink(shown)}">${checkAgain}</a></noscript>
    ${renderSimulateForm(scene)}
    <div><details><summary>${texts.showAccount}</summary>
      <div class="inside">${renderAccount(scene)}</div></details>
      ${renderDetails(scene)}</div>
    ${renderSupport(scene)}
    <p class="links"><a data-swap href="?">${notYet}</a></p>`
}

function renderPaid(scene: Scene): Html {
  const { shown, texts, view } = scene
  const back = shown.successUrl ?? null
  const state = view.isRefunded ? 'refunded' : 'paid'
  return html`<div class="sign good">${signs[state]}</div>
    <h1 tabindex="-1">${texts[state].title}</h1>
    <div class="words"><p>${describePaid(scene)}</p>
      ${back === null && html`<p class="soft">${texts.paid.close}</p>`}</div>
    ${renderNotes(scene, false)}
    ${renderReturn(scene)}
    ${renderReceipt(scene) || html`<div>${renderDetails(scene)}</div>`}
    ${renderSupport(scene)}`
}

function renderExpired(scene: Scene): Html {
  const { shown, texts } = scene
  return html`<div class="sign warn">${signs.expired}</div>
    <h1 tabindex="-1">${texts.expired.title}</h1>
    <div class="words"><p>${texts.expired.when(new Date(shown.expiresAt))}
      ${texts.expired.body(merchantOf(scene))}</p>
      ${shown.received.length === 0 && html`<p class="soft">${texts.expired.alreadySent}</p>`}</div>
    ${renderNotes(scene, false)}
    ${renderSupport(scene)}
    ${renderButton(shown.cancelUrl, texts.goBack(merchantOf(scene)))}
    <div>${renderDetails(scene)}</div>`
}

function renderCancelled(scene: Scene): Html {
  const { shown, texts } = scene
  return html`<div class="sign bad">${signs.cancelled}</div>
    <h1 tabindex="-1">${texts.cancelled.title}</h1>
    <div class="words"><p>${texts.cancelled.body(merchantOf(scene))}</p></div>
    ${renderNotes(scene, false)}
    ${renderSupport(scene)}
    ${renderButton(shown.cancelUrl, texts.goBack(merchantOf(scene)))}
    <div>${renderDetails(scene)}</div>`
}

function renderNotes(scene: Scene, advice: string | false): Html | false {
  const { view, texts, shown } = scene
  if (view.notes.length === 0) return false
  return html`<section class="note" aria-label="${texts.noteTitle}"><h2>${texts.noteTitle}</h2>
    ${view.notes.map((note) => html`<p>${describeNote(note, scene)}</p>`)}
    ${view.hasMore && html`<p>${texts.morePayments(BigInt(shown.amountReceived))}</p>`}
    ${advice && html`<p>${advice}</p>`}</section>`
}

/** What to do next, by the method of the latest payment. */
function adviseOf(scene: Scene): string | false {
  const { shown, texts, view } = scene
  const latest = view.notes[0]?.asset
  if (shown.crypto && latest !== undefined && latest !== 'NGN') {
    const price = priceOf(scene)
    return view.isForInvoice ? texts.invoice.remainingCoins(price) : texts.coins.tryAgain(price)
  }
  if (view.isForInvoice) return texts.invoice.remaining(view.nairaToPay)
  return shown.bankTransfer !== undefined && texts.tryAgain(view.nairaToPay)
}

function describeNote(note: PaymentNote, scene: Scene): string {
  const { payment, part } = scene.texts.note
  const parts = note.parts.map((noted) => part(noted, note, merchantOf(scene)))
  return [payment(note, scene.view.state === 'cancelled'), ...parts].filter(Boolean).join(' ')
}

function renderClock({ shown, texts, createdAt }: Scene): Html {
  const { lead, time } = texts.before(new Date(shown.expiresAt))
  return html`<div class="clock" data-deadline="${shown.expiresAt}" data-now="${shown.serverTime}"
    data-start="${createdAt.toISOString()}" data-five="${texts.fiveMinutes}"
    data-one="${texts.oneMinute}">
    <div class="bar" hidden aria-hidden="true"><i></i></div>
    <p class="small"><span class="soft">${lead} <time
      datetime="${shown.expiresAt}">${time}</time></span>
      <b role="timer" hidden><span data-remaining></span> ${texts.remaining}</b></p></div>`
}

function renderAccount({ shown, texts, view }: Scene): Html {
  const { accountNumber, accountName, bankName } = shown.bankTransfer!
  const { nairaToPay: amount, isForInvoice } = view
  const label = isForInvoice ? texts.invoice.amount : texts.amount
  return renderBankAccount({ accountNumber, accountName, bankName, amount }, texts, label)
}

/** Leads to the page that waits until more naira have arrived than now. */
function nairaSentLink({ amountReceived }: PublicSessionJson): string {
  return `?sent=${amountReceived}`
}

function renderQr({ shown, texts, view }: Scene): Html {
  const { accountNumber: number, accountName: name, bankName: bank } = shown.bankTransfer!
  const amount = plainAmount(view.nairaToPay, 'NGN')
  return drawQr(texts.qrContent({ number, name, bank, amount }), texts.qrLabel)
}

function renderDetails({ shown, texts, checkout }: Scene): Html {
  const { name, email } = shown.customer
  const rows = [
    [texts.detailsFor, shown.description],
    ...(checkout.showCustomer
      ? [[texts.detailsPayer, [name, email].filter(Boolean).join(', ')]]
      : []),
    [texts.detailsReference, shown.reference],
  ]
  return html`<details><summary>${texts.details}</summary><dl class="inside">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl></details>`
}

/** Works without script too. */
function renderSimulateForm({ canSimulateBank, shown, texts }: Scene): Html | false {
  if (!canSimulateBank) return false
  return html`<form class="tester" method="post" action="/checkout/${shown.reference}/pay"
    data-simulate="/public/checkout/${shown.reference}/simulate">
    <p class="small">${texts.simulateHint}</p><button>${texts.simulate}</button>
    <p class="small" data-failed hidden>${texts.simulateFailed}</p></form>`
}
