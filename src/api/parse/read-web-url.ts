import { invalidField } from '../../base/refusal.js'

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** ASCII punctuation except `_`, spaces, surrogates and private use. */
const never = '\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a0\\ud800-\\udfff\\ue000-\\uf8ff'
const letter = `[^\\u0000-\\u0039${never}]`
const letterOrDigit = `[^\\u0000-\\u002c\\u002e\\u002f${never}]`
/** The last label starts with no digit: a host that ends in a number is an IPv4 address. */
const host = `(?:(?:${letterOrDigit}+\\.)*${letter}${letterOrDigit}*\\.?|${octet}(?:\\.${octet}){3}|\\[[0-9A-Fa-f:.]+\\])`
const port = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'
const start = `^[Hh][Tt][Tt][Pp][Ss]?://${host}(?::${port})?`

/** A URL for a browser. The document shows it; `webUrlIssue` also parses the URL. */
export const webUrlPattern = `${start}(?:[/?#].*)?$`
/** A URL for webhooks, which has no fragment. `readUrl` also judges the host. */
export const webhookUrlPattern = `${start}(?:[/?][^\\s\\\\#\\u0000-\\u001f\\u007f-\\u009f]*)?$`

/** A URL to which a payer's browser may be sent: http or https only. Null if there is none. */
export function readWebUrl(field: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const issue = webUrlIssue(text)
  if (!issue) return new URL(text).href
  throw invalidField(field, issue)
}

/** What is wrong with a URL; undefined if it is accepted. */
export function webUrlIssue(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url ? issueOf(url) : misspelling(text)
}

export const noAddress = 'must be an http or https address such as https://shop.example/thanks'

function issueOf({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return noAddress
  // Credentials can disguise the host: https://bank.example@evil.example.
  if (username !== '' || password !== '')
    return 'must not have a user name or password before its host; remove everything up to the @'
  return undefined
}

/** Explains why a text is no URL. A wrong port is the mistake that is hard to see. */
function misspelling(text: string): string {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?=[/?#]|$)/i.exec(text) ?? []
  return Number(port) > 65_535 ? `must have a port of at most 65535, not ${port}` : noAddress
}
