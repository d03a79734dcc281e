import { fromWire } from '../../money/amounts.js'
import type { PublicSessionJson } from '../../resources/public-checkout-session.js'
import { drawQr } from './draw-qr.js'
import { asMarkup, type Html, html, type Piece } from './html.js'
import { merchantOf, renderCopy, type Scene } from './scene.js'
import { signs } from './signs.js'
import { plainAmount, showMoney } from './texts.js'
import { coinsReceived } from './view.js'

/** Payment in coins, collapsed below the bank transfer until coins have arrived. */
export function renderCoins(scene: Scene): Html | false {
  const { shown, texts } = scene
  if (!shown.crypto) return false
  const { asset } = shown.crypto
  const hasReceived = coinsReceived(shown)! > 0n
  return html`<details class="coins"${hasReceived && asMarkup(' open')}>
    <summary>${texts.coins.title(priceOf(shown))}</summary>
    <div class="method">${renderWallet(scene)}
    <a class="button plain" data-swap href="${coinsSentLink(shown)}">${texts.coins.sent(asset)}</a>
    <p class="small soft">${texts.coins.final}</p>
    ${renderSimulateForm(scene)}</div></details>`
}

/** Shows the whole address: Solana addresses have no checksum. */
function renderWallet(scene: Scene): Html {
  const { shown, texts } = scene
  const { address, asset } = shown.crypto!
  const words = texts.coins
  const price = priceOf(shown)
  const copies = {
    address: { text: address, label: words.copyAddress, announcement: words.addressCopied },
    amount: {
      text: plainAmount(coinsRequested(shown), asset),
      label: words.copyAmount(asset),
      announcement: texts.amountCopied,
    },
  }
  return html`<p class="exact"><b>${words.only(asset)}</b>
      ${words.exactly(price, merchantOf(scene))}</p>
    <dl class="card">
    <div class="row copied first"><dt>${words.address}</dt><dd class="address">${address}</dd>
      ${renderCopy(copies.address, texts)}</div>
    <div class="row"><dt>${words.network}</dt><dd>${words.solana}</dd></div>
    <div class="row copied"><dt>${texts.amount}</dt><dd>${price}</dd>
      ${renderCopy(copies.amount, texts)}</div></dl>
    ${drawQr(address, words.qrLabel)}<p class="small soft scanned">${words.qrHint}</p>`
}

export function renderWaitingForCoins(
  scene: Scene,
  { notes, details }: { notes: Piece; details: Piece },
): Html {
  const { shown, texts } = scene
  const { waiting, showAddress } = texts.coins
  const { asset } = shown.crypto!
  return html`<div class="sign wait">${signs.waiting}</div>
    <h1 tabindex="-1">${waiting.title(asset)}</h1>
    <div class="words"><p>${waiting.body(priceOf(shown), merchantOf(scene))}</p>
      <p class="soft" data-live hidden>${texts.waiting.updates}</p></div>
    ${notes}
    <noscript><a class="button primary"
      href="${coinsSentLink(shown)}">${texts.waiting.checkAgain}</a></noscript>
    ${renderSimulateForm(scene)}
    <div><details><summary>${showAddress}</summary>
      <div class="method">${renderWallet(scene)}</div></details>
      ${details}</div>
    <p class="links"><a data-swap href="?">${texts.waiting.notYet}</a></p>`
}

/** Works without script too. Coins are not final at once, so the page then waits for them. */
function renderSimulateForm({ canSimulateCoins, shown, texts }: Scene): Html | false {
  if (!canSimulateCoins) return false
  const { simulate, simulateHint } = texts.coins
  return html`<form class="tester" method="post"
    action="/checkout/${shown.reference}/pay?method=crypto" data-method="crypto"
    data-simulate="/public/checkout/${shown.reference}/simulate"
    data-then="${coinsSentLink(shown)}">
    <p class="small">${simulateHint}</p><button>${simulate(shown.crypto!.asset)}</button>
    <p class="small" data-failed hidden>${texts.simulateFailed}</p></form>`
}

/** What to do next, if the latest payment was in coins. */
export function adviseCoins(scene: Scene): string | undefined {
  const { shown, view, texts } = scene
  const isLatest = view.notes[0] !== undefined && view.notes[0].asset !== 'NGN'
  if (!shown.crypto || !isLatest) return undefined
  return texts.coins.tryAgain(priceOf(shown), merchantOf(scene))
}

/** The coin amount that the merchant has accepted; empty if none. */
export function coinsAccepted({ shown: { cryptoAmounts } }: Scene): string[] {
  if (!cryptoAmounts) return []
  const { asset, amountAccepted } = cryptoAmounts
  const accepted = fromWire(amountAccepted, asset)
  return accepted > 0n ? [showMoney(accepted, asset)] : []
}

function priceOf(shown: PublicSessionJson): string {
  return showMoney(coinsRequested(shown), shown.crypto!.asset)
}

/** Not `crypto.amount`: that is the merchant's text, which may end in any number of zeros. */
function coinsRequested({ cryptoAmounts }: PublicSessionJson): bigint {
  return fromWire(cryptoAmounts!.amount, cryptoAmounts!.asset)
}

/** Leads to the page that waits until more coins have arrived than now. */
export function coinsSentLink(shown: PublicSessionJson): string {
  return `?coins=${coinsReceived(shown)}`
}
