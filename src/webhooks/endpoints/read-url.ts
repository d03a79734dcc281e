import { isIP } from 'node:net'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { webhookLimits } from '../limits.js'
import { hostOf, isLoopback, isLoopbackName, isPrivateName, isPublicAddress } from './addresses.js'

/**
 * Refuses what the URL alone shows: wrong schemes, credentials, private addresses and names that
 * are never public. Other hostnames are checked when a connection is made, by the address they
 * resolve to.
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

  if (url.href.length > webhookLimits.urlLengthMax)
    throw refused(`must be at most ${webhookLimits.urlLengthMax} characters when written in ASCII`)

  const mayBeLoopback = mode === 'test' && allowsLoopback
  const host = hostOf(url)
  if (isIP(host) === 0 ? isRefusedName(host, mode, mayBeLoopback) : !isPublicAddress(host))
    if (!(mayBeLoopback && isLoopback(host)))
      throw refused(`must be a public address${mayBeLoopback ? ', or 127.0.0.1' : ''}`)
  return url
}

function isRefusedName(host: string, mode: Mode, mayBeLoopback: boolean): boolean {
  if (mode === 'live') return isPrivateName(host)
  return isLoopbackName(host) && !mayBeLoopback
}

/** Refuses what a URL parser would silently correct or drop. */
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
