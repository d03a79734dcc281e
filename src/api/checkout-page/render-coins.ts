import { type Html, html, type Piece } from '../../base/html.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import { formatDecimal } from '../../money/amounts.js'
import { parseRate } from '../../money/rates.js'
import { drawQr } from './draw-qr.js'
import { renderWalletAddress, solanaPayLink } from './render-accounts.js'
import { merchantOf, renderSupport, type Scene } from './scene.js'
import { signs } from './signs.js'
import { showMoney } from './texts.js'
import { coinsReceived } from './view.js'

/** What to know before sending coins, and on wide screens the QR code. */
export function renderCoinsSummary(scene: Scene): Html {
  const { shown, texts, view } = scene
  const words = texts.coins
  const howMuch = view.isForInvoice
    ? texts.invoice.inParts
    : words.exactly(priceOf(scene), merchantOf(scene))
  return html`<p class="exact"><b>${words.only(shown.crypto!.asset)}</b> ${howMuch}</p>
    <div class="scan">${renderWalletQr(scene)}<p class="small soft">${words.qrHint}</p></div>`
}

/** Where to send coins, and what to do next. */
export function renderCoins(scene: Scene): Html {
  const { shown, texts } = scene
  const { sent, final, qrHint } = texts.coins
  return html`${renderWallet(scene)}
    <a class="button plain" href="${paymentLink(scene)}">${texts.coins.openWallet}</a>
    <a class="button primary" data-swap
      href="${coinsSentLink(shown)}">${sent(shown.crypto!.asset)}</a>
    <p class="small soft">${final}</p>
    ${renderSimulateForm(scene)}
    <details class="by-phone"><summary>${texts.qrTitle}</summary><div class="inside">
      ${renderWalletQr(scene)}<p class="small soft">${qrHint}</p></div></details>`
}

function renderWallet({ shown, texts, view }: Scene): Html {
  const { address, asset } = shown.crypto!
  const label = view.isForInvoice ? texts.invoice.amount : texts.amount
  return renderWalletAddress({ address, asset, amount: view.coinsToPay! }, texts, label)
}

function renderWalletQr(scene: Scene): Html {
  return drawQr(paymentLink(scene), scene.texts.coins.qrLabel(scene.shown.crypto!.asset))
}

export function paymentLink({ shown, mint, view }: Scene): string {
  return solanaPayLink({
    address: shown.crypto!.address,
    amount: formatDecimal(view.coinsToPay!, shown.crypto!.asset),
    mint,
    label: shown.merchant.displayName,
    message: shown.description,
  })
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
    <div class="words"><p>${waiting.body(priceOf(scene), merchantOf(scene))}</p>
      <p class="soft" data-live hidden>${texts.waiting.updates}</p></div>
    ${notes}
    <noscript><a class="button primary"
      href="${coinsSentLink(shown)}">${texts.waiting.checkAgain}</a></noscript>
    ${renderSimulateForm(scene)}
    <div><details><summary>${showAddress}</summary>
      <div class="method">${renderWallet(scene)}</div></details>
      ${details}</div>
    ${renderSupport(scene)}
    <p class="links"><a data-swap href="?method=crypto">${texts.waiting.notYet}</a></p>`
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

/** What the coins are worth, if the price is that of a rate. */
export function renderRate({ shown, texts }: Scene): Html | false {
  const { asset, rate } = shown.crypto!
  if (rate === null) return false
  const words = texts.coins.byRate(BigInt(shown.amount), parseRate(rate)!, asset)
  return html`<p class="for small soft coins-only">${words}</p>`
}

/** Not `crypto.amount`: that is the merchant's text, which may end in any number of zeros. */
export function priceOf({ shown, view }: Pick<Scene, 'shown' | 'view'>): string {
  return showMoney(view.coinsToPay!, shown.crypto!.asset)
}

/** Leads to the page that waits until more coins have arrived than now. */
export function coinsSentLink(shown: PublicSessionJson): string {
  return `?coins=${coinsReceived(shown)}`
}
