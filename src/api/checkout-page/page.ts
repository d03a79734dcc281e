import { asMarkup, type Html, html } from '../../base/html.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { mark, signs, tabIcon } from './signs.js'
import { stylesFor } from './styles.js'
import type { Texts } from './texts.js'

type Branding = Pick<Settings['checkout'], 'displayName' | 'colour' | 'logo'>

type Sheet = {
  texts: Texts
  /** Allows the styles and the script of this response only. */
  nonce: string
  title: string
  main: Html
  shop?: Branding
  isTest?: boolean
  /** How the session can be paid. */
  methods?: string
  scriptUrl?: string
  /** Sites that may show the page in a frame; the script listens to no others. */
  frameOrigins?: string[]
  /** Added to those of every page. */
  styles?: string
}

/** The whole document, including its styles. The script is the only other file it loads. */
export function renderSheet(sheet: Sheet): string {
  const { texts, nonce, title, main, shop, isTest = false, methods = '', scriptUrl } = sheet
  const styles = stylesFor(shop?.colour ?? null) + (sheet.styles ?? '')
  const frameOrigins = sheet.frameOrigins?.join(' ')
  const { markup } = html`<!doctype html>
<html lang="${texts.language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" media="(prefers-color-scheme:light)" content="#faf7f1">
<meta name="theme-color" media="(prefers-color-scheme:dark)" content="#14130f">
<link rel="icon" href="${tabIcon}">
<style nonce="${nonce}">${asMarkup(styles)}</style>
${scriptUrl && html`<script type="module" nonce="${nonce}" src="${scriptUrl}"></script>`}
</head><body${frameOrigins && html` data-frame-origins="${frameOrigins}"`}>
${isTest && html`<aside class="band" aria-label="${texts.testLabel}">${texts.testBand}</aside>`}
<div class="sheet">
${shop && renderShop(shop, methods)}
${main}
<footer>${mark} ${texts.byManilla}</footer>
</div>
<p class="visually-hidden" role="status" id="announcer"></p>
</body></html>`
  return markup
}

function renderShop({ displayName, logo }: Branding, methods: string): Html {
  const picture = isPicture(logo)
    ? html`<img src="${logo}" alt="" width="44" height="44">`
    : initialsOf(displayName)
  return html`<header class="shop"><span class="logo" aria-hidden="true">${picture}</span>
    <p><b>${displayName}</b><span class="small soft">${methods}</span></p></header>`
}

/** Settings are validated when written, but the page must not depend on it. */
function isPicture(logo: string | null): logo is string {
  return logo !== null && /^data:image\/(png|jpeg|webp);base64,/.test(logo)
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('')
}

/** Unknown and malformed references get the same page. */
export function renderNotFound(texts: Texts, nonce: string): string {
  const { title, body } = texts.notFound
  const main = html`<main class="message"><div class="sign warn">${signs.unknown}</div>
    <h1>${title}</h1><p class="words">${body}</p></main>`
  return renderSheet({ texts, nonce, title, main })
}

type Failure = { status: number; requestId: string }

export function renderFailure(texts: Texts, nonce: string, { status, requestId }: Failure): string {
  const { failed, tooMany, refused } = texts
  const { title, body } = status >= 500 ? failed : status === 429 ? tooMany : refused
  const main = html`<main class="message"><div class="sign warn">${signs.expired}</div>
    <h1>${title}</h1><p class="words">${body}</p>
    <p class="small soft">${texts.requestId} ${requestId}</p></main>`
  return renderSheet({ texts, nonce, title, main })
}
