import { asMarkup, type Html, html } from '../base/html.js'
import type { Language } from '../base/languages.js'
import { frameTexts, type MailBlock, type MailContent } from './content.js'

/** Dark enough for white text, and the accent of mails without a merchant's colour. */
const defaultAccent = '#0a5c36'

const quiet = '#5b655e'
const wraps = 'overflow-wrap:anywhere'

/** Styles are in attributes, because some programs drop style sheets. */
const styles = {
  page: 'margin:0;padding:0;background:#f3f4f2;color:#1b211d',
  card:
    'max-width:560px;margin:0 auto;background:#ffffff;border-radius:10px;' +
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;" +
    'font-size:16px;line-height:1.5;color:#1b211d;text-align:left',
  heading: `margin:0 0 16px;font-size:21px;line-height:1.3;font-weight:600;${wraps}`,
  sender: 'margin:0 0 20px;font-size:15px;font-weight:600',
  senderName: `color:${quiet};${wraps}`,
  logo:
    'display:block;width:40px;height:40px;border-radius:8px;object-fit:contain;' +
    'background:#ffffff;margin-right:10px',
  paragraph: `margin:0 0 16px;${wraps}`,
  note: `margin:0 0 16px;font-size:14px;color:${quiet};${wraps}`,
  panel: 'margin:0 0 16px;padding:16px;border-radius:8px;background:#f3f4f2',
  label: `display:block;font-size:14px;color:${quiet}`,
  amount: `display:block;font-size:26px;line-height:1.25;${wraps}`,
  facts: 'margin:0 0 16px;font-size:15px',
  factName: `padding:5px 12px 5px 0;font-weight:400;color:${quiet}`,
  factValue: `padding:5px 0;${wraps};word-break:break-word`,
  url: `margin:0 0 16px;font-size:13px;color:${quiet};${wraps};word-break:break-all`,
  foot:
    'padding:16px 24px 24px;border-top:1px solid #e3e6e2;font-size:13px;line-height:1.5;' +
    `color:${quiet}`,
  reason: `margin:0 0 8px;${wraps}`,
}

const darkMode = `
@media (prefers-color-scheme: dark) {
  .page { background: #121513 !important; }
  .card { background: #1c211e !important; color: #e8ece9 !important; }
  .foot { border-color: #333a36 !important; }
  .quiet { color: #a5b0a9 !important; }
  .panel { background: #262c29 !important; }
  .link { color: #8fd3ae !important; }
}`

/**
 * The HTML of a mail, readable without any style; the style sheet only adds dark mode. No picture
 * but the merchant's logo, and none that reports an opening.
 */
export function renderHtml(content: MailContent, { hasLogo }: { hasLogo: boolean }): string {
  const { subject, sender, heading, blocks, reason, language = 'en' } = content
  const accent = sender?.colour ?? defaultAccent
  const layout = asMarkup('role="presentation" width="100%" cellpadding="0" cellspacing="0"')
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${asMarkup(darkMode)}</style>
</head>
<body class="page" style="${styles.page}">
<table ${layout}><tr><td align="center" style="padding:24px 12px">
<table ${layout} class="card" style="${styles.card};border-top:4px solid ${accent}">
<tr><td style="padding:28px 24px 8px">
${renderSender(content, hasLogo)}
<h1 style="${styles.heading}">${heading}</h1>
${blocks.map((block) => renderBlock(block, accent, language))}
</td></tr>
<tr><td class="foot" style="${styles.foot}">
<p class="quiet" style="${styles.reason}">${reason}</p>
${sender?.replyTo && renderReplyTo(sender.replyTo, language)}
</td></tr>
</table>
</td></tr></table>
</body>
</html>`
  return page.markup
}

function renderReplyTo(address: string, language: Language): Html {
  const text = frameTexts[language].questions(address)
  return html`<p class="quiet" style="${styles.reason}">${text}</p>`
}

/** The name is beside the logo, so the picture needs no text of its own. */
function renderSender({ sender }: MailContent, hasLogo: boolean): Html | null {
  if (!sender) return null
  const picture = html`<img src="cid:logo" alt="" width="40" height="40" style="${styles.logo}">`
  const logo = hasLogo && html`<td width="50" valign="middle">${picture}</td>`
  const name = html`<td class="quiet" style="${styles.senderName}">${sender.name}</td>`
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="${styles.sender}">
<tr>${logo}${name}</tr></table>`
}

function renderBlock(block: MailBlock, accent: string, language: Language): Html {
  switch (block.type) {
    case 'paragraph':
      return html`<p style="${styles.paragraph}">${block.text}</p>`
    case 'note':
      return html`<p class="quiet" style="${styles.note}">${block.text}</p>`
    case 'amount':
      return html`<p class="panel" style="${styles.panel}">
<span class="quiet" style="${styles.label}">${block.label}</span>
<strong style="${styles.amount}">${block.amount}</strong></p>`
    case 'facts':
      return html`<table width="100%" cellpadding="0" cellspacing="0" style="${styles.facts}">
${block.facts.map(renderFact)}</table>`
    case 'button':
      return renderButton(block, accent, frameTexts[language].orOpen)
  }
}

function renderFact([name, value]: [string, string]): Html {
  const place = asMarkup('scope="row" align="left" valign="top" width="36%"')
  return html`<tr><th ${place} class="quiet" style="${styles.factName}">${name}</th>
<td valign="top" style="${styles.factValue}">${value}</td></tr>
`
}

function renderButton(
  { label, url }: { label: string; url: string },
  accent: string,
  orOpen: string,
): Html {
  const style =
    `display:inline-block;padding:12px 22px;border-radius:8px;background:${accent};` +
    `color:${textOn(accent)};border:1px solid #8a948d;font-weight:600;text-decoration:none`
  const link = html`<a class="link" href="${url}" style="color:${defaultAccent}">${url}</a>`
  return html`<p style="margin:0 0 12px"><a href="${url}" style="${style}">${label}</a></p>
<p class="quiet" style="${styles.url}">${orOpen} ${link}</p>`
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
