import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'
import type { EnvironmentId } from '../base/environment.js'
import { toUuid } from '../base/ids.js'

export type Session = {
  environmentId: EnvironmentId
  id: string
  reference: string
  /** The session's virtual account; null if it can only be paid in coins. */
  accountId: string | null
  /** The session's wallet, if it can be paid in coins. */
  walletId: string | null
  /** The price in kobo, if the session has no virtual account that expects it. */
  amount: bigint | null
  /** The rate of its price in coins; null: the merchant set the price, or it has none. */
  cryptoRate: bigint | null
  description: string
  customerName: string
  customerEmail: string
  merchantReference: string | null
  /** URL of the hosted page. */
  url: string
  successUrl: string | null
  cancelUrl: string | null
  /** The merchant's JSON text, unchanged. */
  metadata: string
  eventSequence: number
  createdAt: Date
  /** When a browser first showed the page. */
  openedAt: Date | null
}

/** `cs_` and 24 bytes in base32. */
export const referencePattern = '^cs_[0-9a-hjkmnp-tv-z]{39}$'

/** The id, so that references sort by age, followed by 64 random bits that cannot be guessed. */
export function newSessionReference(id: string): string {
  const bytes = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), randomBytes(8)])
  return `cs_${base32crockford.encode(bytes).toLowerCase()}`
}

/** The session id inside a reference; undefined if the reference is malformed. */
export function idOfSession(reference: string): string | undefined {
  if (!new RegExp(referencePattern).test(reference)) return undefined
  const bytes = Buffer.from(decode(reference.slice('cs_'.length).toUpperCase()) ?? [])
  return bytes.length === 24 ? toUuid(bytes.subarray(0, 16).toString('hex')) : undefined
}

/** 39 letters hold three bits more than 24 bytes, so some well-formed texts cannot be decoded. */
function decode(text: string): Uint8Array | undefined {
  try {
    return base32crockford.decode(text)
  } catch {
    return undefined
  }
}
