import { limits } from '../../base/limits.js'
import { renderCopy } from './copy-button.js'
import { drawQr } from './draw-qr.js'
import { type Html, html } from './html.js'
import { adviseCoins, coinsAccepted, renderCoins, renderWaitingForCoins } from './render-coins.js'
import { signs } from './signs.js'
import { showNaira, type Texts } from './texts.js'
import type { Note, PageState, PageView, Shown } from './view.js'

export type Scene = {
  shown: Shown
  view: PageView
  texts: Texts
  isTest: boolean
  /** Whether a chain of test mode has customers that can be told to pay. */
  hasCoinCustomers?: boolean
  /** When the session was created, for how much of its time is left. */
  createdAt: Date
}

/** The part of the page that changes. The island puts a new one in the place of the old. */
export function renderMain(scene: Scene): Html {
  const { view, shown } = scene
  const look = view.state === 'pending' ? 'two' : 'end'
  const isAwaited = view.state === 'pending' || view.state === 'waiting'
  const { pollMs, eagerMs, longestPollMs, reassureMs } = limits.checkout
  return html`<main id="checkout" class="${look}" data-state="${view.state}"
data-title="${pageTitleOf(scene)}" data-heading="${headingOf(scene)}" data-says="${sayAloud(scene)}"
data-seen="${view.seen}"
data-watch="${view.isWatched ? `/public/checkout/${shown.reference}` : ''}"
data-poll="${pollMs}" data-eager="${isAwaited ? eagerMs : 0}" data-longest-poll="${longestPollMs}"
data-reassure="${reassureMs}">${render[view.state](scene)}</main>`
}

export function pageTitleOf({ view, shown, texts }: Scene): string {
  return texts.title[view.state](shown.merchant.displayName, BigInt(shown.amount))
}

/** For who hears the page: what it is about. Where the focus goes there, it is heard anyway. */
function headingOf({ view, shown, texts }: Scene): string {
  if (view.state === 'waiting' && view.waitsForCoins)
    return `${texts.coins.waiting.title(shown.crypto!.asset)}.`
  return view.state === 'pending' ? '' : `${texts[view.state].title}.`
}

/** And what became of the money. */
function sayAloud(scene: Scene): string {
  const { view } = scene
  const money = view.notes.slice(0, 1).map((note) => sayNote(note, scene))
  return (view.state === 'paid' ? [sayPaid(scene), ...money] : money).join(' ')
}

/** What the shop has now, which may be less than was asked for, or nothing any more. */
function sayPaid(scene: Scene): string {
  const { words, refunded } = scene.texts.paid
  const accepted = BigInt(scene.shown.amountAccepted)
  const amounts = [...(accepted > 0n ? [showNaira(accepted)] : []), ...coinsAccepted(scene)]
  return amounts.length === 0 ? refunded(nameOf(scene)) : words(amounts, nameOf(scene))
}

const nameOf = ({ shown }: Scene) => shown.merchant.displayName

const render: Record<PageState, (scene: Scene) => Html> = {
  pending: renderPending,
  waiting: renderWaiting,
  paid: renderPaid,
  expired: renderExpired,
  cancelled: renderCancelled,
}

function renderPending(scene: Scene): Html {
  const { shown, texts } = scene
  const amount = BigInt(shown.amount)
  const drawing = renderQr(scene)
  return html`<div class="sum">
    <h1 tabindex="-1">${texts.sendExactly} ${renderSum(showNaira(amount))}</h1>
    <p class="for">${shown.description}</p>
    ${renderNotes(scene, adviseOf(scene))}
    ${renderClock(scene)}
    <p class="exact">${texts.exactly}</p>
    <div class="scan">${drawing}<p class="small soft">${texts.qrWords}</p></div></div>
  <div class="pay">${renderAccount(scene)}
    <a class="button primary" data-swap href="?sent=${shown.amountReceived}">${texts.sent}</a>
    <p class="small soft">${texts.next(nameOf(scene))}
      <noscript>${texts.nextByHand}</noscript></p>
    ${renderTester(scene)}
    <div><details class="by-phone"><summary>${texts.qrTitle}</summary><div class="inside">
      ${drawing}<p class="small soft">${texts.qrWords}</p></div></details>
      ${renderCoins(scene)}${renderAbout(scene)}</div>
    ${renderLink(shown.cancelUrl, texts.leave(nameOf(scene)))}</div>`
}

/** A number must not be read in two halves: the longer it is, the smaller it is written. */
function renderSum(text: string): Html {
  const size = text.length > 15 ? ' longest' : text.length > 11 ? ' long' : ''
  return html`<span class="amount${size}">${text}</span>`
}

function renderWaiting(scene: Scene): Html {
  const { shown, texts, view } = scene
  const notes = renderNotes(scene, false)
  if (view.waitsForCoins) return renderWaitingForCoins(scene, [notes, renderAbout(scene)])
  const words = texts.waiting
  return html`<div class="sign wait">${signs.waiting}</div>
    <h1 tabindex="-1">${words.title}</h1>
    <div class="words"><p>${words.words(BigInt(shown.amount), nameOf(scene))}</p>
      <p class="soft" data-live hidden>${words.watching}</p></div>
    ${notes}
    <noscript><a class="button primary"
      href="?sent=${shown.amountReceived}">${words.checkAgain}</a></noscript>
    ${renderTester(scene)}
    <div><details><summary>${texts.showAccount}</summary>
      <div class="inside">${renderAccount(scene)}</div></details>
      ${renderAbout(scene)}</div>
    <p class="links"><a data-swap href="?">${words.notYet}</a></p>`
}

function renderPaid(scene: Scene): Html {
  const { shown, texts } = scene
  const back = shown.successUrl ?? null
  return html`<div class="sign good">${signs.paid}</div>
    <h1 tabindex="-1">${texts.paid.title}</h1>
    <div class="words"><p>${sayPaid(scene)}</p>
      ${back === null && html`<p class="soft">${texts.paid.close}</p>`}</div>
    ${renderNotes(scene, false)}
    ${renderButton(back, texts.goBack(nameOf(scene)))}
    <div>${renderAbout(scene)}</div>`
}

function renderExpired(scene: Scene): Html {
  const { shown, texts } = scene
  return html`<div class="sign warn">${signs.expired}</div>
    <h1 tabindex="-1">${texts.expired.title}</h1>
    <div class="words"><p>${texts.expired.words(nameOf(scene))}</p>
      ${shown.received.length === 0 && html`<p class="soft">${texts.expired.already}</p>`}</div>
    ${renderNotes(scene, false)}
    ${renderButton(shown.cancelUrl, texts.goBack(nameOf(scene)))}
    <div>${renderAbout(scene)}</div>`
}

function renderCancelled(scene: Scene): Html {
  const { shown, texts } = scene
  return html`<div class="sign bad">${signs.cancelled}</div>
    <h1 tabindex="-1">${texts.cancelled.title}</h1>
    <div class="words"><p>${texts.cancelled.words(nameOf(scene))}</p></div>
    ${renderNotes(scene, false)}
    ${renderButton(shown.cancelUrl, texts.goBack(nameOf(scene)))}
    <div>${renderAbout(scene)}</div>`
}

function renderNotes(scene: Scene, advice: string | false): Html | false {
  const { view, texts, shown } = scene
  if (view.notes.length === 0) return false
  return html`<section class="note" aria-label="${texts.noteTitle}"><h2>${texts.noteTitle}</h2>
    ${view.notes.map((note) => html`<p>${sayNote(note, scene)}</p>`)}
    ${view.hasMore && html`<p>${texts.moreCame(BigInt(shown.amountReceived))}</p>`}
    ${advice && html`<p>${advice}</p>`}</section>`
}

/** Who pays again while the shop may still accept what came would pay twice. */
function adviseOf(scene: Scene): string {
  const { shown, texts } = scene
  const coins = adviseCoins(scene)
  if (coins) return coins
  const naira = shown.received.filter(({ currency }) => currency === 'NGN')
  const held = naira.reduce((sum, one) => sum + BigInt(one.amountHeld), 0n)
  return held > 0n ? texts.askFirst(held, nameOf(scene)) : texts.tryAgain(BigInt(shown.amount))
}

function sayNote(note: Note, scene: Scene): string {
  const { fact, fate } = scene.texts.note
  const fates = note.fates.map((one) => fate(one, note, nameOf(scene)))
  return [fact(note, scene.view.state === 'cancelled'), ...fates].filter(Boolean).join(' ')
}

function renderClock({ shown, texts, createdAt }: Scene): Html {
  const { lead, time, zone } = texts.before(new Date(shown.expiresAt))
  return html`<div class="clock" data-deadline="${shown.expiresAt}" data-now="${shown.serverTime}"
    data-start="${createdAt.toISOString()}" data-five="${texts.fiveMinutes}"
    data-one="${texts.oneMinute}">
    <div class="bar" hidden aria-hidden="true"><i></i></div>
    <p class="small"><span class="soft">${lead} <time
      datetime="${shown.expiresAt}">${time}</time> <span class="quiet">${zone}</span></span>
      <b role="timer" hidden><span data-left></span> ${texts.left}</b></p></div>`
}

function renderAccount({ shown, texts }: Scene): Html {
  const { accountNumber, accountName, bankName } = shown.bankTransfer!
  const groups = [accountNumber.slice(0, 3), accountNumber.slice(3, 6), accountNumber.slice(6)]
  const copies = {
    number: { text: accountNumber, label: texts.copyNumber, said: texts.numberCopied },
    amount: { text: plainAmount(shown), label: texts.copyAmount, said: texts.amountCopied },
  }
  const grouped = groups.map((group) => html`<span>${group}</span>`)
  const number = html`<span aria-hidden="true">${grouped}</span><span class="quiet">${[...accountNumber].join(' ')}</span>`
  return html`<dl class="card">
    <div class="row copied first"><dt>${texts.accountNumber}</dt><dd class="number">${number}</dd>
      ${renderCopy(copies.number, texts)}</div>
    <div class="row"><dt>${texts.bank}</dt><dd>${bankName}</dd></div>
    <div class="row"><dt>${texts.accountName}</dt><dd>${accountName}</dd></div>
    <div class="row copied"><dt>${texts.amount}</dt><dd>${showNaira(BigInt(shown.amount))}</dd>
      ${renderCopy(copies.amount, texts)}</div></dl>`
}

/** As a field of a banking app takes it. */
function plainAmount({ amount }: Shown): string {
  return showNaira(BigInt(amount)).replace(/[₦,]/g, '')
}

function renderQr({ shown, texts }: Scene): Html {
  const { accountNumber: number, accountName: name, bankName: bank } = shown.bankTransfer!
  const content = texts.qrContent({ number, name, bank, amount: plainAmount(shown) })
  return drawQr(content, texts.qrLabel)
}

function renderAbout({ shown, texts }: Scene): Html {
  const rows = [
    [texts.aboutFor, shown.description],
    [texts.aboutPayer, `${shown.customer.name}, ${shown.customer.email}`],
    [texts.aboutReference, shown.reference],
  ]
  return html`<details><summary>${texts.about}</summary><dl class="inside">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl></details>`
}

/** Works as a plain form, too. */
function renderTester({ isTest, shown, texts }: Scene): Html | false {
  if (!isTest) return false
  return html`<form class="tester" method="post" action="/checkout/${shown.reference}/pay"
    data-simulate="/public/checkout/${shown.reference}/simulate">
    <p class="small">${texts.payNowWords}</p><button>${texts.payNow}</button>
    <p class="small" data-failed hidden>${texts.payNowFailed}</p></form>`
}

/** Out of a frame, too: the merchant's own page is around it. */
function renderLink(url: string | null, words: string): Html | false {
  return isWeb(url) && html`<p class="links"><a href="${url}" target="_top">${words}</a></p>`
}

function renderButton(url: string | null, words: string): Html | false {
  return isWeb(url) && html`<a class="button primary" href="${url}" target="_top">${words}</a>`
}

/** Sessions hold nothing else; a page must not depend on that. */
function isWeb(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url)
}
