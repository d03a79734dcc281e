import { asMarkup, html } from '../../base/html.js'
import { dark, light } from '../checkout-page/brand.js'
import { mark, tabIcon } from '../checkout-page/signs.js'
import type { ConsoleEntry } from './open-console.js'

/** Shown on slow networks until style sheets and script have arrived. */
const waiting =
  `body{margin:0;background:${light.ground};color:${light.ink}}` +
  '.waiting{display:flex;gap:10px;align-items:center;justify-content:center;min-height:90vh;' +
  'font:15px/1.5 system-ui,sans-serif}.waiting svg{width:26px;height:26px}' +
  `@media (prefers-color-scheme:dark){body{background:${dark.ground};color:${dark.ink}}}`

/**
 * The page of the console. Its script draws the content. Style sheets come after the first words,
 * so that a browser shows these before it has them.
 */
export function renderConsole(
  entry: ConsoleEntry,
  { nonce, now }: { nonce: string; now: Date },
): string {
  const { script, styles, preloads, version } = entry
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Manilla</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="style-nonce" content="${nonce}">
<meta name="version" content="${version}">
<meta name="time" content="${now.toISOString()}">
<meta name="theme-color" media="(prefers-color-scheme:light)" content="${light.ground}">
<meta name="theme-color" media="(prefers-color-scheme:dark)" content="${dark.ground}">
<link rel="icon" href="${tabIcon}">
<style nonce="${nonce}">${asMarkup(waiting)}</style>
${preloads.map((url) => html`<link rel="modulepreload" href="${url}">`)}
<script type="module" src="${script}"></script>
</head><body><div id="app"><p class="waiting" role="status">${mark}Loading …</p></div>
${styles.map((url) => html`<link rel="stylesheet" href="${url}">`)}
<noscript>The console needs JavaScript. Allow it for this site, then reload the page.</noscript>
</body></html>`
  return markup
}
