import { isIP } from 'node:net'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { hostOf, isLoopback, isPublicAddress } from './addresses.js'

/**
 * Refuses what can be told from the text alone: schemes, credentials, addresses of the inside.
 * Names are judged when they are dialled, by the address that is really reached.
 */
export function readUrl(text: string, mode: Mode, allowsLoopback: boolean): URL {
  const url = parse(text)
  if (!url || url.port === '0')
    throw refused('must be an absolute URL such as https://example.com/webhooks')
  if (url.username || url.password) throw refused('must not contain a user name or password')
  if (url.hash) throw refused('must not contain a fragment')
  if (mode === 'live' && url.protocol !== 'https:')
    throw refused('must start with https:// in live mode')
  if (!['https:', 'http:'].includes(url.protocol))
    throw refused('must start with https:// or http://')

  if (url.href.length > limits.webhooks.urlLength)
    throw refused(`must be at most ${limits.webhooks.urlLength} characters when written in ASCII`)

  const host = hostOf(url)
  const isInside = isIP(host) !== 0 && !isPublicAddress(host)
  const isAllowed = mode === 'test' && allowsLoopback && isLoopback(host)
  if (isInside && !isAllowed)
    throw refused(
      `must be a public address${mode === 'test' && allowsLoopback ? ', or 127.0.0.1' : ''}`,
    )
  return url
}

/** What a URL parser would mend or drop in silence is refused: it is not what was meant. */
function parse(text: string): URL | undefined {
  const isPlain = /^[a-z]+:\/\/[^\s\\\p{Cc}]+$/iu.test(text)
  return isPlain && URL.canParse(text) ? new URL(text) : undefined
}

function refused(issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `url ${issue}.`,
    details: [{ field: 'url', issue }],
  })
}
