import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'

/** The token is the permission to open the page, so it cannot be guessed. */
export function newPageToken(): string {
  return base32crockford.encode(randomBytes(16)).toLowerCase()
}

const pattern = /^[0-9a-hjkmnp-tv-z]{26}$/

/** Malformed tokens are not queried; pages answer them like unknown ones. */
export function isPageToken(text: string): boolean {
  return pattern.test(text)
}
