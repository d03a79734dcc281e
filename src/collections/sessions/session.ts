import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'
import type { EnvironmentId } from '../../base/environment.js'
import { toUuid } from '../../base/ids.js'
import { column, Table } from '../../postgres/table.js'
import type { AccountStatus, CollectionAccount } from '../accounts/account.js'

export const sessionStatuses = ['pending', 'paid', 'expired', 'cancelled'] as const

export type SessionStatus = (typeof sessionStatuses)[number]

export type Session = typeof checkoutSessions.row

export const checkoutSessions = new Table('checkout_sessions', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  reference: column.text(),
  /** The session's virtual account; null if it can only be paid in coins. */
  accountId: column.uuid().orNull(),
  /** The session's wallet, if it can be paid in coins. */
  walletId: column.uuid().orNull(),
  /** The price in kobo, if the session has no virtual account that expects it. */
  amount: column.int8().orNull(),
  /** The rate of its price in coins; null: the merchant set the price, or it has none. */
  cryptoRate: column.int8().orNull(),
  description: column.text(),
  customerName: column.text(),
  customerEmail: column.text(),
  merchantReference: column.text().orNull(),
  /** URL of the hosted page. */
  url: column.text(),
  successUrl: column.text().orNull(),
  cancelUrl: column.text().orNull(),
  metadata: column.jsonText(),
  /** The link through which the payer made it; null: the merchant did. */
  paymentLinkId: column.uuid().orNull(),
  eventSequence: column.int4(),
  createdAt: column.time(),
  /** When a browser first showed the page. */
  openedAt: column.time().orNull(),
})

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

const statusOfAccount: Partial<Record<AccountStatus, SessionStatus>> = {
  ACTIVE: 'pending',
  PAID: 'paid',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
}

type WithStatus = Pick<CollectionAccount, 'status'>

/** The statuses of the virtual account and the wallet of a session. */
export type SessionAccounts = { account: WithStatus | null; wallet: WithStatus | null }

/**
 * A session is paid once its virtual account or its wallet is, even if the merchant accepted a late
 * payment; a payment into one closes the other. Otherwise it has the status of its virtual account,
 * or of its wallet if it has no virtual account. The column `status` of checkout_sessions repeats
 * this, so that lists can filter by it.
 */
export function sessionStatus({ account, wallet }: SessionAccounts): SessionStatus {
  return wallet?.status === 'PAID' ? 'paid' : statusOfAccount[(account ?? wallet)!.status]!
}
