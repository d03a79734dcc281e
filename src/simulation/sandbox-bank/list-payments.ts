import { limits } from '../../base/limits.js'
import type { PaymentNotice } from '../../collections/ports.js'
import type { Reader } from '../../postgres/tx.js'
import { toAnnounced } from './payment.js'
import { listRecorded } from './store-payments.js'

/**
 * What the bank wrote down from a time until before another, by its own clock: a customer whose
 * clock runs ahead has paid in our future. Goes on after a line, so that a payment which is written
 * between two pages, whatever its time, stands on a later one.
 */
export async function listBankPayments(
  db: Reader,
  { from, to, after }: { from: Date; to: Date; after: string | undefined },
): Promise<{ payments: PaymentNotice[]; next: string | null }> {
  const limit = limits.sandboxBank.statementLines
  const lines = await listRecorded(db, { from, to, after: BigInt(after ?? 0), limit })
  const isFull = lines.length === limit
  return {
    payments: lines.map(({ payment }) => toAnnounced(payment)),
    next: isFull ? lines.at(-1)!.line.toString() : null,
  }
}
