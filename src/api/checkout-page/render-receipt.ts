import { type Html, html } from '../../base/html.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import { fromWire } from '../../money/amounts.js'
import { isWeb, merchantOf, renderButton, type Scene } from './scene.js'
import { showMoney } from './texts.js'

type ReceivedJson = PublicSessionJson['received'][number]

/** What the payer keeps: every accepted payment, what it was for and what was refunded since. */
export function renderReceipt(scene: Scene): Html | false {
  const { shown, texts } = scene
  const words = texts.receipt
  const accepted = shown.received.filter((payment) => paidBy(payment) > 0n)
  if (accepted.length === 0) return false
  const rows = [
    ...accepted.flatMap((payment) => [
      [words.amount, showMoney(paidBy(payment), payment.currency)],
      [words.date, words.time(new Date(payment.receivedAt))],
      [words.paidBy, describePayer(payment, scene)],
      [words.refunded, describeRefund(payment)],
    ]),
    [words.paidTo, merchantOf(scene)],
    [words.paidFor, shown.description],
  ]
  const references = [
    ...accepted.map((payment) => [words.payment, payment.reference]),
    [words.session, shown.reference],
  ]
  return html`<section class="receipt" aria-label="${words.title}"><h2>${words.title}</h2>
    <dl class="card">${rows
      .filter(([, value]) => value !== '')
      .map(([name, value]) => html`<div class="row"><dt>${name}</dt><dd>${value}</dd></div>`)}
    ${references.map(
      ([name, value]) =>
        html`<div class="row code"><dt>${name}</dt><dd class="address">${value}</dd></div>`,
    )}</dl>
    <button type="button" class="plain" data-print hidden>${words.print}</button></section>`
}

/** The amount before refunds and any fee of the merchant, in the units of the payment. */
function paidBy({ amountAccepted, amountRefunded, currency }: ReceivedJson): bigint {
  return fromWire(amountAccepted, currency) + fromWire(amountRefunded, currency)
}

/** Empty if nothing was refunded. */
function describeRefund({ amountRefunded, currency }: ReceivedJson): string {
  const refunded = fromWire(amountRefunded, currency)
  return refunded > 0n ? showMoney(refunded, currency) : ''
}

/** The customer's name only if the merchant shows it; the masked account is the payer's own. */
function describePayer({ sentFrom }: ReceivedJson, { shown, texts }: Scene): string {
  return [shown.customer.name, describeSender(sentFrom, texts)].filter(Boolean).join(', ')
}

function describeSender(sentFrom: ReceivedJson['sentFrom'], texts: Scene['texts']): string {
  if (sentFrom === null) return ''
  if ('address' in sentFrom) return sentFrom.address
  const digits = sentFrom.accountNumber.replace(/\D/g, '')
  return digits && texts.receipt.account(sentFrom.bankName, digits)
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
