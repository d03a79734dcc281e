import { type Html, html } from '../../base/html.js'
import type { PublicSessionJson } from '../../checkout/resource.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import type { Texts } from './texts.js'
import type { PageView } from './view.js'

/** Everything that the changing part of the page is rendered from. */
export type Scene = {
  shown: PublicSessionJson
  view: PageView
  texts: Texts
  isTest: boolean
  canSimulateBank: boolean
  canSimulateCoins: boolean
  /** When the session was created, for the countdown bar. */
  createdAt: Date
  /** Address of the coin on its chain; null if it is not known now. */
  mint: string | null
  checkout: Pick<
    Settings['checkout'],
    'showCustomer' | 'returnAutomatically' | 'supportEmail' | 'supportPhone'
  >
}

export function merchantOf({ shown }: Scene): string {
  return shown.merchant.displayName
}

type CopyButton = { text: string; label: string; announcement: string }

/** Hidden until the script shows it: copying needs script. */
export function renderCopy({ text, label, announcement }: CopyButton, texts: Texts): Html {
  return html`<dd class="act"><button type="button" class="copy" hidden data-copy="${text}"
    data-announcement="${announcement}" data-done="${texts.copied}"
    aria-label="${label}">${texts.copy}</button></dd>`
}

/** How to reach the merchant, where a payer may need help. */
export function renderSupport(scene: Scene): Html | false {
  const { checkout, shown, texts } = scene
  const subject = texts.supportSubject(shown.reference)
  return renderContact(checkout, { name: merchantOf(scene), subject }, texts)
}

/** `subject` is that of the mail which a payer starts. */
export function renderContact(
  { supportEmail: email, supportPhone: phone }: Contact,
  { name, subject }: { name: string; subject: string },
  texts: Texts,
): Html | false {
  if (!email && !phone) return false
  const address = email?.split('@').map(encodeURIComponent).join('@')
  const start = `mailto:${address}?subject=${encodeURIComponent(subject)}`
  return html`<p class="help small">${texts.support(name)}
    ${email && html`<a href="${start}">${email}</a>`}
    ${phone && html`<a href="tel:${phone}">${phone}</a>`}</p>`
}

type Contact = Pick<Settings['checkout'], 'supportEmail' | 'supportPhone'>

/** `_top` because the page may be in a frame of the merchant's site. */
export function renderLink(url: string | null, words: string): Html | false {
  return isWeb(url) && html`<p class="links"><a href="${url}" target="_top">${words}</a></p>`
}

export function renderButton(url: string | null, words: string): Html | false {
  return isWeb(url) && html`<a class="button primary" href="${url}" target="_top">${words}</a>`
}

/** Sessions are validated when created, but the page must not depend on it. */
export function isWeb(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url)
}
