import { type Html, html } from './html.js'
import type { Texts } from './texts.js'

type Copy = { text: string; label: string; said: string }

/** Without script there is nothing that could copy, so it shows when there is. */
export function renderCopy({ text, label, said }: Copy, texts: Texts): Html {
  return html`<dd class="act"><button type="button" class="copy" hidden data-copy="${text}"
    data-said="${said}" data-done="${texts.copied}" aria-label="${label}">${texts.copy}</button
    ></dd>`
}
