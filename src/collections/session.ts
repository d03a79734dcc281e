import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'
import type { EnvironmentId } from '../environment.js'
import type { AccountStatus } from './account.js'

export type SessionStatus = 'pending' | 'paid' | 'expired' | 'cancelled'

/** A hosted page for one payment. */
export type Session = {
  environmentId: EnvironmentId
  id: string
  reference: string
  accountId: string
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

/** A session is as its account is, also when a late payment is accepted. */
export const accountStatuses: Record<SessionStatus, AccountStatus> = {
  pending: 'ACTIVE',
  paid: 'PAID',
  expired: 'EXPIRED',
  cancelled: 'CANCELLED',
}

const statuses = Object.fromEntries(
  Object.entries(accountStatuses).map(([status, ofAccount]) => [ofAccount, status]),
) as Record<AccountStatus, SessionStatus>

export function sessionStatus(status: AccountStatus): SessionStatus {
  return statuses[status]
}

/** Twenty-four bytes in base32, behind a prefix of three. */
export const referencePattern = '^cs_[0-9a-hjkmnp-tv-z]{39}$'

/** The id, so that references sort by age, and 64 bits that nobody can guess. */
export function newSessionReference(id: string): string {
  const bytes = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), randomBytes(8)])
  return `cs_${base32crockford.encode(bytes).toLowerCase()}`
}
