import type { Tx } from '../postgres/transactions/tx.js'

const listeners = new Set<() => void>()

/** Calls back after commits of this process that made deliveries due. Returns `unsubscribe`. */
export function onNewDeliveries(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/**
 * Wakes the workers once this transaction has committed. A wake-up is a hint that saves the wait
 * for the next poll; the table decides. So it may also reach workers of another database.
 */
export function wakeAfterCommit(tx: Tx): void {
  tx.afterCommit(wakeListeners)
}

function wakeListeners(): void {
  for (const listener of listeners) listener()
}
