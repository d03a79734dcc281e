import { html } from '../checkout-page/html.js'
import { tabIcon } from '../checkout-page/signs.js'
import type { ConsoleEntry } from './open-console.js'

/** The page of the console. Its script draws the content. */
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
<meta name="theme-color" media="(prefers-color-scheme:light)" content="#faf7f1">
<meta name="theme-color" media="(prefers-color-scheme:dark)" content="#14130f">
<link rel="icon" href="${tabIcon}">
${styles.map((url) => html`<link rel="stylesheet" href="${url}">`)}
${preloads.map((url) => html`<link rel="modulepreload" href="${url}">`)}
<script type="module" src="${script}"></script>
</head><body><div id="app"></div>
<noscript>The console needs JavaScript. Allow it for this site, then reload the page.</noscript>
</body></html>`
  return markup
}
