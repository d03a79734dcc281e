import { createHash } from 'node:crypto'
import { payerOf } from '../payout.js'
import { type Batch, type BatchItem, batchPayer, batchReference } from './batch.js'

/**
 * SHA-256 of what an approver confirms, in hex digits: every item that will be paid, in order. The
 * approver sends it back, so that an approval is of the batch that was shown and of no other.
 */
export function hashBatch(batch: Batch, payable: BatchItem[]): string {
  const hash = createHash('sha256')
  const terms = [batch.kind, batchReference(batch), batch.asset, batch.fee.toString()]
  // Absent otherwise: the hashes of other batches stay as they were.
  const payer = payerOf({ takesFrom: batchPayer(batch) })
  hash.update(JSON.stringify(payer === null ? terms : [...terms, payer]))
  for (const { number, amount, destination, accountName, merchantReference } of payable) {
    const recipient =
      destination.kind === 'wallet'
        ? [destination.address]
        : [destination.bankCode, destination.accountNumber, accountName, destination.narration]
    hash.update(JSON.stringify([number, amount.toString(), ...recipient, merchantReference]))
  }
  return hash.digest('hex')
}
