import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'

/** Who has it may open the page, so it cannot be guessed. */
export function newPageToken(): string {
  return base32crockford.encode(randomBytes(16)).toLowerCase()
}
