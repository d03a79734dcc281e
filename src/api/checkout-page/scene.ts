import type { PublicSessionJson } from '../../resources/public-checkout-session.js'
import { type Html, html } from './html.js'
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
