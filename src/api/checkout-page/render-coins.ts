import { fromWire } from '../../money/amounts.js'
import { renderCopy } from './copy-button.js'
import { drawQr } from './draw-qr.js'
import { asMarkup, type Html, html, type Piece } from './html.js'
import type { Scene } from './render-session.js'
import { signs } from './signs.js'
import { money } from './texts.js'
import { coinsReceived, type Shown } from './view.js'

/** The other way to pay, beside the bank: closed until somebody wants it. */
export function renderCoins(scene: Scene): Html | false {
  const { shown, texts } = scene
  if (!shown.crypto) return false
  const { asset } = shown.crypto
  const hasSent = coinsReceived(shown)! > 0n
  return html`<details class="coins"${hasSent && asMarkup(' open')}>
    <summary>${texts.coins.title(priceOf(shown))}</summary>
    <div class="way">${renderWallet(scene)}
    <a class="button plain" data-swap href="${sentLink(shown)}">${texts.coins.sent(asset)}</a>
    <p class="small soft">${texts.coins.final}</p>
    ${renderTester(scene)}</div></details>`
}

/** Where, how much, and what must not be sent. The address is whole: it has no checksum. */
function renderWallet({ shown, texts }: Scene): Html {
  const { address, asset } = shown.crypto!
  const words = texts.coins
  const price = priceOf(shown)
  const plain = price.replace(/[ ,]|[A-Z]+$/g, '')
  const copies = {
    address: { text: address, label: words.copyAddress, said: words.addressCopied },
    amount: { text: plain, label: words.copyAmount(asset), said: texts.amountCopied },
  }
  return html`<p class="exact"><b>${words.only(asset)}</b>
      ${words.exactly(price, shown.merchant.displayName)}</p>
    <dl class="card">
    <div class="row copied first"><dt>${words.address}</dt><dd class="address">${address}</dd>
      ${renderCopy(copies.address, texts)}</div>
    <div class="row"><dt>${words.network}</dt><dd>${words.solana}</dd></div>
    <div class="row copied"><dt>${texts.amount}</dt><dd>${price}</dd>
      ${renderCopy(copies.amount, texts)}</div></dl>
    ${drawQr(address, words.qrLabel)}<p class="small soft scanned">${words.qrWords}</p>`
}

/** Who has sent coins waits for the chain, not for a bank. */
export function renderWaitingForCoins(scene: Scene, [notes, about]: [Piece, Piece]): Html {
  const { shown, texts } = scene
  const { waiting, showAddress } = texts.coins
  const { asset } = shown.crypto!
  return html`<div class="sign wait">${signs.waiting}</div>
    <h1 tabindex="-1">${waiting.title(asset)}</h1>
    <div class="words"><p>${waiting.words(priceOf(shown), shown.merchant.displayName)}</p>
      <p class="soft" data-live hidden>${texts.waiting.watching}</p></div>
    ${notes}
    <noscript><a class="button primary"
      href="${sentLink(shown)}">${texts.waiting.checkAgain}</a></noscript>
    ${renderTester(scene)}
    <div><details><summary>${showAddress}</summary>
      <div class="way">${renderWallet(scene)}</div></details>
      ${about}</div>
    <p class="links"><a data-swap href="?">${texts.waiting.notYet}</a></p>`
}

/** Works as a plain form, too. What was sent is not final yet, so the page waits for it. */
function renderTester({ isTest, hasCoinCustomers, shown, texts }: Scene): Html | false {
  if (!isTest || !hasCoinCustomers) return false
  const { payNow, payNowWords } = texts.coins
  return html`<form class="tester" method="post"
    action="/checkout/${shown.reference}/pay?method=crypto" data-method="crypto"
    data-simulate="/public/checkout/${shown.reference}/simulate" data-then="${sentLink(shown)}">
    <p class="small">${payNowWords}</p><button>${payNow(shown.crypto!.asset)}</button>
    <p class="small" data-failed hidden>${texts.payNowFailed}</p></form>`
}

/** What to do now, where the latest that came were coins. */
export function adviseCoins({ shown, view, texts }: Scene): string | undefined {
  const isLatest = view.notes[0] !== undefined && view.notes[0].asset !== 'NGN'
  const name = shown.merchant.displayName
  return shown.crypto && isLatest ? texts.coins.tryAgain(priceOf(shown), name) : undefined
}

/** What the shop has of it in coins, if anything. */
export function coinsAccepted({ shown: { cryptoAmounts } }: Scene): string[] {
  if (!cryptoAmounts) return []
  const { asset, amountAccepted } = cryptoAmounts
  const accepted = fromWire(amountAccepted, asset)
  return accepted > 0n ? [money(accepted, asset)] : []
}

function priceOf({ crypto }: Shown): string {
  return money(fromWire(crypto!.amount, crypto!.asset), crypto!.asset)
}

/** To the page that waits until more has come than there is now. */
export function sentLink(shown: Shown): string {
  return `?coins=${coinsReceived(shown)}`
}
