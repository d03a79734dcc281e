import { asMarkup, type Html, html } from '../base/html.js'
import type { MailBlock, MailContent } from './content.js'

/** Dark enough for white text, and the accent of mails without a merchant's colour. */
const defaultAccent = '#0a5c36'

/**
 * The HTML of a mail. Styles are in attributes, because some programs drop style sheets; the sheet
 * only adds dark mode. No picture but the merchant's logo, and none that reports an opening.
 */
export function renderHtml(content: MailContent, { hasLogo }: { hasLogo: boolean }): string {
  const { subject, sender, heading, blocks, reason } = content
  const accent = sender?.colour ?? defaultAccent
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${asMarkup(darkMode)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f2;color:#1b211d">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="${asMarkup(cardStyle)};border-top:4px solid ${accent}">
<tr><td style="padding:28px 24px 8px">
${renderSender(content, hasLogo)}
<h1 style="margin:0 0 16px;font-size:21px;line-height:1.3;font-weight:600">${heading}</h1>
${blocks.map((block) => renderBlock(block, accent))}
</td></tr>
<tr><td class="foot" style="padding:16px 24px 24px;border-top:1px solid #e3e6e2;font-size:13px;line-height:1.5;color:#5b655e">
<p class="quiet" style="margin:0;overflow-wrap:anywhere">${reason}</p>
${sender?.replyTo && html`<p class="quiet" style="margin:8px 0 0;overflow-wrap:anywhere">Questions? Reply to this mail, or write to ${sender.replyTo}.</p>`}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>`
  return page.markup
}

const cardStyle =
  'max-width:560px;margin:0 auto;background:#ffffff;border-radius:10px;' +
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;" +
  'font-size:16px;line-height:1.5;color:#1b211d;text-align:left'

const darkMode = `
@media (prefers-color-scheme: dark) {
  .page { background: #121513 !important; }
  .card { background: #1c211e !important; color: #e8ece9 !important; }
  .foot { border-color: #333a36 !important; }
  .quiet { color: #a5b0a9 !important; }
  .panel { background: #262c29 !important; }
  .link { color: #8fd3ae !important; }
}`

function renderSender({ sender }: MailContent, hasLogo: boolean): Html | null {
  if (!sender) return null
  const logo =
    hasLogo &&
    html`<img src="cid:logo" alt="" width="40" height="40" style="display:inline-block;vertical-align:middle;width:40px;height:40px;border-radius:8px;object-fit:contain;background:#ffffff"> `
  return html`<p class="quiet" style="margin:0 0 20px;font-size:15px;font-weight:600;color:#5b655e;overflow-wrap:anywhere">${logo}<span style="vertical-align:middle">${sender.name}</span></p>`
}

function renderBlock(block: MailBlock, accent: string): Html {
  switch (block.type) {
    case 'paragraph':
      return html`<p style="margin:0 0 16px;overflow-wrap:anywhere">${block.text}</p>`
    case 'note':
      return html`<p class="quiet" style="margin:0 0 16px;font-size:14px;color:#5b655e;overflow-wrap:anywhere">${block.text}</p>`
    case 'amount':
      return html`<p class="panel" style="margin:0 0 16px;padding:16px;border-radius:8px;background:#f3f4f2"><span class="quiet" style="display:block;font-size:14px;color:#5b655e">${block.label}</span> <strong style="display:block;font-size:26px;line-height:1.25;overflow-wrap:anywhere">${block.amount}</strong></p>`
    case 'facts':
      return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px;font-size:15px">${block.facts.map(renderFact)}</table>`
    case 'button':
      return renderButton(block, accent)
  }
}

function renderFact([name, value]: [string, string]): Html {
  return html`
<tr><th class="quiet" scope="row" align="left" valign="top" width="38%" style="padding:5px 12px 5px 0;font-weight:400;color:#5b655e">${name}</th><td valign="top" style="padding:5px 0;overflow-wrap:anywhere;word-break:break-word">${value}</td></tr>`
}

function renderButton({ label, url }: { label: string; url: string }, accent: string): Html {
  const style = `display:inline-block;padding:12px 22px;border-radius:8px;background:${accent};color:${textOn(accent)};font-weight:600;text-decoration:none`
  return html`<p style="margin:0 0 12px"><a href="${url}" style="${style}">${label}</a></p>
<p class="quiet" style="margin:0 0 16px;font-size:13px;color:#5b655e;overflow-wrap:anywhere;word-break:break-all">Or open: <a class="link" href="${url}" style="color:#0a5c36">${url}</a></p>`
}

/** Black or white, whichever is easier to read on the colour. */
function textOn(colour: string): string {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // Where the contrast to black and to white is the same.
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
