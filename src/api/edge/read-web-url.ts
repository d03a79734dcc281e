import { Refusal } from '../../base/refusal.js'

/**
 * Where a payer's browser may be sent: http or https, and nothing that runs. Null where there is
 * none.
 */
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
  // Credentials in an address are how one disguises another.
  if (username !== '' || password !== '')
    return 'must not have a user name or password before its host; remove everything up to the @'
  return undefined
}

/** What no browser would open. The port is the one part that looks right when it is wrong. */
function misspelling(text: string): string {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?=[/?#]|$)/i.exec(text) ?? []
  return Number(port) > 65_535 ? `must have a port of at most 65535, not ${port}` : noAddress
}
