import type { CollectionAccount } from './account.js'

/**
 * The other account of the same session, where it has two. Both are locked together, so whoever has
 * locked the one finds the other here.
 */
export function twinOf(
  { id, sessionId }: Pick<CollectionAccount, 'id' | 'sessionId'>,
  locked: Iterable<CollectionAccount>,
): CollectionAccount | undefined {
  if (sessionId === null) return undefined
  for (const one of locked) if (one.sessionId === sessionId && one.id !== id) return one
  return undefined
}

/**
 * The account as payments into it are judged. Once its twin was paid nothing is waited for any
 * more: what comes all the same is late, as it is for one that was cancelled.
 */
export function withTwinStatus(
  account: CollectionAccount,
  twin: CollectionAccount | undefined,
): CollectionAccount {
  return twin?.status === 'PAID' ? { ...account, status: 'CANCELLED' } : account
}

/** As one is left whose twin was paid; undefined where it had ended before. */
export function endTwin(
  twin: CollectionAccount | undefined,
  at: Date,
): CollectionAccount | undefined {
  return twin?.status === 'ACTIVE' ? { ...twin, status: 'CANCELLED', endedAt: at } : undefined
}

/** Which is the twin of which, by the keys of the map. */
export function pairTwins(locked: Map<string, CollectionAccount>): Map<string, string> {
  const firsts = new Map<string, string>()
  const pairs = new Map<string, string>()
  for (const [key, { sessionId }] of locked) {
    if (sessionId === null) continue
    const first = firsts.get(sessionId)
    if (first === undefined) firsts.set(sessionId, key)
    else pairs.set(first, key).set(key, first)
  }
  return pairs
}
