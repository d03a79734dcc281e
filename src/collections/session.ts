import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'
import type { EnvironmentId } from '../base/environment.js'
import { toUuid } from '../base/ids.js'
import type { CollectionAccount } from './account.js'

/** A hosted page for one payment. */
export type Session = {
  environmentId: EnvironmentId
  id: string
  reference: string
  accountId: string
  /** Where it can be paid in coins, too. */
  walletId: string | null
  description: string
  customerName: string
  customerEmail: string
  merchantReference: string | null
  /** Of the page. */
  url: string
  successUrl: string | null
  cancelUrl: string | null
  /** JSON text, untouched. */
  metadata: string
  eventSequence: number
  createdAt: Date
}

/** Where its money comes in: an account at a bank, and a wallet if it takes coins. */
export type SessionAccounts = { account: CollectionAccount; wallet: CollectionAccount | null }

/** Twenty-four bytes in base32, behind a prefix of three. */
export const referencePattern = '^cs_[0-9a-hjkmnp-tv-z]{39}$'

/** The id, so that references sort by age, and 64 bits that nobody can guess. */
export function newSessionReference(id: string): string {
  const bytes = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), randomBytes(8)])
  return `cs_${base32crockford.encode(bytes).toLowerCase()}`
}

/** The id in a reference; undefined for anything that we cannot have written. */
export function idOfSession(reference: string): string | undefined {
  if (!new RegExp(referencePattern).test(reference)) return undefined
  const bytes = Buffer.from(decode(reference.slice('cs_'.length).toUpperCase()) ?? [])
  return bytes.length === 24 ? toUuid(bytes.subarray(0, 16).toString('hex')) : undefined
}

/** Thirty-nine letters hold three bits more than twenty-four bytes: some say what none can mean. */
function decode(text: string): Uint8Array | undefined {
  try {
    return base32crockford.decode(text)
  } catch {
    return undefined
  }
}
