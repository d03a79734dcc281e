import { asMarkup, type Html, html, type Piece } from '../../base/html.js'
import { dark, light } from '../checkout-page/brand.js'
import { mark, tabIcon } from '../checkout-page/signs.js'

type Page = {
  nonce: string
  title: string
  main: Html
  /** Beside the main part, on wide screens. */
  aside?: Html | undefined
  scriptUrl?: string | undefined
}

/** A page of the console that the server renders: for users who are not signed in yet. */
export function renderPage({ nonce, title, main, aside, scriptUrl }: Page): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} · Manilla</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="theme-color" media="(prefers-color-scheme:light)" content="${light.ground}">
<meta name="theme-color" media="(prefers-color-scheme:dark)" content="${dark.ground}">
<link rel="icon" href="${tabIcon}">
<style nonce="${nonce}">${asMarkup(styles)}</style>
${scriptUrl && html`<script type="module" nonce="${nonce}" src="${scriptUrl}"></script>`}
</head><body><div class="page${aside ? ' wide' : ''}">
<main><p class="brand">${mark}<b>Manilla</b></p>
${main}</main>
${aside}</div></body></html>`.markup
}

/** What is wrong with the form, if anything; the script writes into it, too. */
export function renderProblem(message: string | undefined): Html {
  return message === undefined
    ? html`<p class="problem" id="problem" role="alert" hidden></p>`
    : html`<p class="problem" id="problem" role="alert">${message}</p>`
}

type Field = {
  name: string
  label: string
  type?: string
  autocomplete: string
  value?: string
  hint?: string
  inputmode?: string
  minlength?: number
}

/** The fields of a form. The first empty one has the focus, so that users can type at once. */
export function renderFormFields(...fields: Field[]): Html {
  const focused = fields.find(({ value = '' }) => value === '')
  return html`${fields.map((field) => renderField(field, field === focused))}`
}

function renderField(field: Field, isFocused: boolean): Html {
  const { name, label, type = 'text', autocomplete, value, hint, inputmode, minlength } = field
  const hintId = hint && `${name}-hint`
  return html`<label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}"
    autocomplete="${autocomplete}" required${option('value', value)}
    ${option('inputmode', inputmode)}${option('minlength', minlength)}
    ${option('aria-describedby', hintId)}
    ${isFocused && html` autofocus`}>
    ${hint && html`<p class="hint" id="${hintId}">${hint}</p>`}`
}

function option(name: string, value: Piece): Html | undefined {
  return value === undefined ? undefined : html` ${asMarkup(name)}="${value}"`
}

/** Hidden until the script runs: without one, a passkey cannot be used. */
export function renderPasskeyButton(button: {
  act: 'sign-in' | 'add'
  label: string
  next: string
  failed: string
  name?: string
}): Html {
  return html`<div id="passkey-block" class="block" hidden><button id="passkey" type="button"
    class="button strong" data-act="${button.act}" data-next="${button.next}"
    data-failed="${button.failed}" data-name="${button.name}">${finger}${button.label}</button>
    <p class="or"><span>or</span></p></div>`
}

const finger = asMarkup(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 14.5c.3-1 .4-1.8.4-2.8a6.6 6.6 0 0 1 ' +
    '13.2 0c0 1.8-.1 3.3-.5 4.8M8.2 18.5c.7-2 .9-4 .9-6.5a2.9 2.9 0 0 1 5.8 0c0 3-.3 5.5-1.2 ' +
    '8M12 12.5c0 2.5-.2 4.5-.8 6.5"/></svg>',
)

function variables(theme: typeof light): string {
  return Object.entries(theme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

const rules = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,
  "Segoe UI",Roboto,"Noto Sans",Ubuntu,sans-serif;overflow-wrap:anywhere}
h1,h2,p,ol,ul,pre{margin:0;padding:0}
ol,ul{list-style:none}
a{color:var(--brand)}
a:focus-visible,button:focus-visible,input:focus-visible,summary:focus-visible{
  outline:2px solid var(--brand);outline-offset:2px}
[hidden]{display:none!important}
.page{display:grid;grid-template-columns:minmax(0,400px);gap:56px;justify-content:center;
  align-items:center;min-height:100vh;min-height:100dvh;padding:32px 24px}
.wide{grid-template-columns:400px minmax(0,560px)}
main{display:grid;gap:10px}
.brand{display:flex;align-items:center;gap:10px;font-size:17px;margin-bottom:10px}
.brand svg{width:26px;height:26px}
h1{font-size:24px;line-height:32px;font-weight:650;letter-spacing:-.02em}
h2{font-size:15px;font-weight:600}
.soft,.hint{color:var(--soft)}
.small,.hint{font-size:13px}
form{display:grid;gap:6px;margin-top:10px}
form .hint{margin-bottom:2px}
label{font-weight:550;font-size:14px;margin-top:8px}
input{height:44px;width:100%;border:1px solid var(--edge);border-radius:11px;padding:0 13px;
  background:var(--card);color:var(--ink);font:inherit;font-size:16px}
.button{display:flex;align-items:center;justify-content:center;gap:8px;min-height:44px;width:100%;
  padding:8px 16px;border-radius:12px;border:1px solid var(--edge);background:var(--card);
  color:var(--ink);font:inherit;font-weight:600;font-size:15px;text-decoration:none;cursor:pointer}
form .button{margin-top:10px}
.strong{background:var(--brand);color:var(--on-brand);border-color:transparent}
.button svg{width:18px;height:18px;fill:none;stroke:currentColor;stroke-width:1.7;
  stroke-linecap:round;stroke-linejoin:round}
.button:disabled{opacity:.7;cursor:progress}
.block{display:grid;gap:14px;margin-top:10px}
.or{display:grid;grid-template-columns:1fr auto 1fr;gap:12px;align-items:center;
  color:var(--soft);font-size:13px}
.or:before,.or:after{content:"";height:1px;background:var(--line)}
.problem{background:var(--bad-wash);color:var(--bad);border-radius:11px;padding:10px 13px;
  font-weight:550}
.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:16px}
.qr{display:block;width:100%;max-width:196px;margin:0 auto 10px;border-radius:10px}
.codes{display:grid;grid-template-columns:1fr 1fr;gap:6px 16px}
.terminal{background:#1c1b18;color:#f3eee3;padding:22px 24px;border-radius:16px;min-width:0}
.terminal h2{margin-bottom:16px;color:#a79f8f;font-weight:500}
.terminal pre{font:12.5px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
  white-space:pre-wrap}
.terminal code,.terminal b{color:#e2b25e}
@media (max-width:980px){.page,.wide{grid-template-columns:minmax(0,400px);gap:28px;
  align-content:start}}
@media (max-width:600px){.terminal{display:none}.page{padding:32px 16px}}
`.replace(/\n\s*/g, '')

const styles =
  `:root{color-scheme:light dark;${variables(light)}}` +
  `@media (prefers-color-scheme:dark){:root{${variables(dark)}}}${rules}`
