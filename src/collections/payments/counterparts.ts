/**
 * A checkout session can have two collection accounts: a virtual account and a wallet. Each is the
 * other's counterpart. They are always locked together, and paying one ends the other.
 */
import type { CancellationReason, CollectionAccount } from '../accounts/account.js'

export function findCounterpart(
  { id, sessionId }: Pick<CollectionAccount, 'id' | 'sessionId'>,
  locked: Iterable<CollectionAccount>,
): CollectionAccount | undefined {
  if (sessionId === null) return undefined
  for (const account of locked)
    if (account.sessionId === sessionId && account.id !== id) return account
  return undefined
}

/** The counterpart of each account, both by their keys in the map. */
export function pairCounterparts<Key>(locked: Map<Key, CollectionAccount>): Map<Key, Key> {
  const keysBySession = new Map<string, Key>()
  const pairs = new Map<Key, Key>()
  for (const [key, { sessionId }] of locked) {
    if (sessionId === null) continue
    const other = keysBySession.get(sessionId)
    if (other === undefined) keysBySession.set(sessionId, key)
    else pairs.set(other, key).set(key, other)
  }
  return pairs
}

/**
 * For judging a payment: once the counterpart is paid, the account counts as cancelled whatever its
 * own status, so that further payments are late.
 */
export function cancelledIfCounterpartPaid(
  account: CollectionAccount,
  counterpart: CollectionAccount | undefined,
): CollectionAccount {
  return counterpart?.status === 'PAID' ? { ...account, status: 'CANCELLED' } : account
}

/** The counterpart cancelled; undefined if there is none or it has ended already. */
export function cancelCounterpart(
  counterpart: CollectionAccount | undefined,
  at: Date,
  reason: CancellationReason,
): CollectionAccount | undefined {
  if (counterpart?.status !== 'ACTIVE') return undefined
  return { ...counterpart, status: 'CANCELLED', endedAt: at, cancellationReason: reason }
}
