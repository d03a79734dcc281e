import { type Html, html } from '../../base/html.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import { describeReceipt, type Receipted } from './describe-receipt.js'
import { isWeb, merchantOf, renderButton, type Scene } from './scene.js'

/** What the payer keeps, on the page and as PDF. */
export function renderReceipt(scene: Scene): Html | false {
  const { shown, texts } = scene
  const words = texts.receipt
  const described = describeReceipt(receiptedOf(shown), texts)
  if (!described) return false
  return html`<section class="receipt" aria-label="${words.title}"><h2>${words.title}</h2>
    <dl class="card">${described.rows.map(
      ([name, value]) => html`<div class="row"><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
    ${described.references.map(
      ([name, value]) =>
        html`<div class="row code"><dt>${name}</dt><dd class="address">${value}</dd></div>`,
    )}</dl>
    <a class="button plain" href="/checkout/${shown.reference}/receipt.pdf">${words.download}</a>
    <button type="button" class="plain" data-print hidden>${words.print}</button></section>`
}

export function receiptedOf(shown: PublicSessionJson): Receipted {
  return {
    received: shown.received,
    customerName: shown.customer.name,
    paidTo: shown.merchant.displayName,
    paidFor: shown.description,
    session: shown.reference,
  }
}

/**
 * The way back to the shop. The script counts down and follows the link by itself, if the merchant
 * wants that and the payer does not stop it.
 */
export function renderReturn(scene: Scene): Html | false {
  const { shown, texts } = scene
  const url = shown.successUrl ?? null
  const button = renderButton(url, texts.goBack(merchantOf(scene)))
  if (!returnsAutomatically(scene)) return button
  const { before, after, stay } = texts.returning
  return html`<div class="returning" data-returning hidden>
      <p>${before(merchantOf(scene))} <b data-seconds>5</b> ${after}</p>
      <button type="button" data-stay>${stay}</button></div>${button}`
}

export function returnsAutomatically({ shown, checkout }: Scene): boolean {
  return checkout.returnAutomatically && isWeb(shown.successUrl ?? null)
}
