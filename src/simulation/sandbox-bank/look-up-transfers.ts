import type { RealTime } from '../../base/clock.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { lockTransfers, markReported } from './store-transfers.js'
import { hasEnded, type SandboxTransfer } from './transfer.js'

/**
 * Reads transfers by reference and records which endings are about to be reported. Every report of
 * a transfer's state reads it here: once an ending is recorded as reported, neither a tester's
 * instruction nor a slow clock can change it.
 */
export async function lookUpTransfers(
  tx: Tx,
  now: RealTime,
  references: string[],
): Promise<Map<string, SandboxTransfer>> {
  const transfers = await lockTransfers(tx, references)
  const ended = [...transfers.values()].filter((transfer) => hasEnded(transfer, now))
  markReported(
    tx,
    ended.filter((transfer) => !transfer.isReported),
  )
  return transfers
}
