import { Refusal } from '../../base/refusal.js'

/** A URL to which a payer's browser may be sent: http or https only. Null if there is none. */
export function readWebUrl(field: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : undefined
  const issue = url ? issueOf(url) : misspelling(text)
  if (!issue) return url!.href
  throw new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}

const noAddress = 'must be an http or https address such as https://shop.example/thanks'

function issueOf({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return noAddress
  // Credentials can disguise the host: https://bank.example@evil.example.
  if (username !== '' || password !== '')
    return 'must not have a user name or password before its host; remove everything up to the @'
  return undefined
}

/** For a text that is no URL. A wrong port is the mistake that is hard to see. */
function misspelling(text: string): string {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?=[/?#]|$)/i.exec(text) ?? []
  return Number(port) > 65_535 ? `must have a port of at most 65535, not ${port}` : noAddress
}
