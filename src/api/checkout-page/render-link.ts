import { type Html, html } from '../../base/html.js'
import type { LinkStatus, PaymentLink } from '../../collections/links/link.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { drawQr } from './draw-qr.js'
import { formStyles } from './form-styles.js'
import { linkTexts } from './link-texts.js'
import { renderSheet } from './page.js'
import { inputs } from './read-link-form.js'
import { renderContact } from './scene.js'
import { signs } from './signs.js'
import { showNaira, english as texts } from './texts.js'

export type LinkScene = {
  link: PaymentLink
  checkout: Settings['checkout']
  isTest: boolean
  /** How the sessions of the link can be paid. */
  methods: string
}

/** What the payer sent, if it could not be used. */
export type SentForm = {
  values: Record<string, string>
  issues: Map<string, string>
  /** Why it failed, if no input is to blame. */
  problem?: string
}

export function renderLinkPage(scene: LinkScene, nonce: string, sent?: SentForm): string {
  const { link } = scene
  const main = html`<main class="columns"><div class="sum">
    <h1 class="about">${link.description}</h1>
    ${link.amount !== null && renderPrice(link.amount)}
    <div class="scan small soft">${drawQr(link.url, linkTexts.qrLabel)}
      <span>${linkTexts.scan}</span></div>
    </div><div class="pay">${renderForm(link, sent)}${renderSupport(scene)}</div></main>`
  return renderLinkSheet(scene, { nonce, main, title: linkTexts.title(scene.checkout.displayName) })
}

export function renderEndedLink(
  scene: LinkScene,
  nonce: string,
  status: Exclude<LinkStatus, 'active'>,
): string {
  const { title, body } = linkTexts.ended[status]
  const name = scene.checkout.displayName
  const main = html`<main class="message"><div class="sign warn">${signs.expired}</div>
    <h1>${title}</h1><p class="soft">${scene.link.description}</p>
    <p class="words">${body(name)}</p>${renderSupport(scene)}</main>`
  return renderLinkSheet(scene, { nonce, main, title: `${title}: ${name}` })
}

function renderLinkSheet(
  { checkout, isTest, methods }: LinkScene,
  { nonce, main, title }: { nonce: string; main: Html; title: string },
): string {
  return renderSheet({
    texts,
    nonce,
    title,
    main,
    shop: checkout,
    isTest,
    methods,
    styles: formStyles,
  })
}

function renderPrice(amount: bigint): Html {
  const shown = showNaira(amount)
  const length = shown.length > 18 ? ' longest' : shown.length > 13 ? ' long' : ''
  return html`<p class="price"><span class="soft">${linkTexts.youPay}</span>
    <b class="amount${length}">${shown}</b></p>`
}

function renderSupport({ checkout, link }: LinkScene): Html | false {
  return renderContact(checkout, { name: checkout.displayName, subject: link.description }, texts)
}

function renderForm(link: PaymentLink, sent: SentForm | undefined): Html {
  const isWrong = sent !== undefined && sent.issues.size > 0
  const problem = sent?.problem ?? (isWrong && linkTexts.problems.title)
  const bounds = linkTexts.between(link.amountMin, link.amountMax)
  return html`<form class="ask" method="post" action="/pay/${link.slug}">
    ${problem && html`<div class="note" role="alert"><p>${problem}</p></div>`}
    ${
      link.amount === null &&
      renderInput(sent, {
        name: inputs.amount,
        label: linkTexts.amount,
        hint: bounds,
        inputmode: 'decimal',
        autocomplete: 'off',
        isNaira: true,
      })
    }
    ${renderInput(sent, { name: inputs.name, label: linkTexts.name, autocomplete: 'name' })}
    ${renderInput(sent, {
      name: inputs.email,
      label: linkTexts.email,
      type: 'email',
      inputmode: 'email',
      autocomplete: 'email',
    })}
    ${link.fields.map(({ label, required }, index) =>
      renderInput(sent, {
        name: inputs.field(index),
        label,
        autocomplete: 'off',
        isOptional: !required,
      }),
    )}
    <button class="primary">${linkTexts.submit}</button>
    <p class="small soft">${linkTexts.next}</p></form>`
}

type Input = {
  name: string
  label: string
  autocomplete: string
  type?: string
  inputmode?: string
  hint?: string
  isOptional?: boolean
  isNaira?: boolean
}

/** The server judges what was sent, so that its words are the same with and without script. */
function renderInput(sent: SentForm | undefined, input: Input): Html {
  const { name, label, autocomplete, type = 'text', inputmode, hint, isOptional, isNaira } = input
  const issue = sent?.issues.get(name)
  const notes = [hint && `${name}-hint`, issue && `${name}-issue`].filter(Boolean).join(' ')
  const box = html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"
    value="${sent?.values[name] ?? ''}"${inputmode && html` inputmode="${inputmode}"`}${
      notes && html` aria-describedby="${notes}"`
    }${issue && html` aria-invalid="true"`}${!isOptional && html` required`}>`
  return html`<div class="field"><label for="${name}">${label}${
    isOptional && html` <span>(${linkTexts.optional})</span>`
  }</label>${isNaira ? html`<div class="naira">${box}</div>` : box}
    ${hint && html`<p class="small soft" id="${name}-hint">${hint}</p>`}
    ${issue && html`<p class="wrong" id="${name}-issue">${issue}</p>`}</div>`
}
