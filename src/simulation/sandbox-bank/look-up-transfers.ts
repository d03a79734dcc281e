import type { Tx } from '../../postgres/tx.js'
import { lockTransfers, markTold } from './store-transfers.js'
import { hasEnded, type SandboxTransfer } from './transfer.js'

/**
 * What the bank knows of these references now. Whatever is said of a transfer is read here, because
 * an ending is written down as told before it is told: no instruction and no clock that runs
 * behind can make it untrue afterwards.
 */
export async function lookUpTransfers(
  tx: Tx,
  now: Date,
  references: string[],
): Promise<Map<string, SandboxTransfer>> {
  const transfers = await lockTransfers(tx, references)
  const ended = [...transfers.values()].filter((transfer) => hasEnded(transfer, now))
  markTold(
    tx,
    ended.filter((transfer) => !transfer.isTold),
  )
  return transfers
}
