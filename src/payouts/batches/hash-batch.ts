import { createHash } from 'node:crypto'
import { payingSubaccountOf } from '../payout.js'
import { leviedTerms } from '../requests/order-hash.js'
import { type Batch, type BatchItem, batchReference, payingAccountOf } from './batch.js'

/**
 * SHA-256 of what an approver confirms, in hex digits: every item that will be paid, in order. The
 * approver sends it back, so that an approval is of the batch that was shown and of no other.
 */
export function hashBatch(batch: Batch, payable: BatchItem[]): string {
  const hash = createHash('sha256')
  const payingSubaccount = payingSubaccountOf({ takesFrom: payingAccountOf(batch) })
  const terms = [
    batch.kind,
    batchReference(batch),
    batch.asset,
    batch.fee.toString(),
    ...leviedTerms({ levy: batch.levy, purpose: null }),
    // Absent otherwise: the hashes of other batches stay as they were.
    ...(payingSubaccount === null ? [] : [payingSubaccount]),
  ]
  hash.update(JSON.stringify(terms))
  for (const item of payable) {
    const { number, amount, destination, accountName, merchantReference } = item
    const recipient =
      destination.kind === 'wallet'
        ? [destination.address]
        : [destination.bankCode, destination.accountNumber, accountName, destination.narration]
    const levied = leviedTerms(item)
    const row = [number, amount.toString(), ...recipient, merchantReference, ...levied]
    hash.update(JSON.stringify(row))
  }
  return hash.digest('hex')
}
