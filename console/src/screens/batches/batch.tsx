import type { PayoutBatch, PayoutBatchItem } from '../../../../sdk/src/types'
import { formatWallet } from '../../parts/identifiers'
import { Chip, type Tone } from '../../parts/status'
import { statusWords } from '../../texts/status'
import type { Approver } from '../payouts/approvers'
import { batchTexts } from './texts'

export const path = '/v1/disbursements/batches'

/** A batch as people get it: with who may approve it. */
export type Batch = PayoutBatch & { mayApprove?: boolean; approvers?: Approver[] }

export type Item = PayoutBatchItem

const tones: Record<Batch['status'], Tone> = {
  VALIDATING: 'brand',
  READY: 'good',
  INVALID: 'warn',
  PENDING: 'warn',
  PROCESSING: 'brand',
  COMPLETED: 'good',
  CANCELLED: 'calm',
  REJECTED: 'bad',
  EXPIRED: 'calm',
}

export function BatchStatus({ batch: { status, counts } }: { batch: Batch }) {
  const tone = status === 'COMPLETED' && counts.failed > 0 ? 'warn' : tones[status]
  return <Chip tone={tone}>{statusWords.batch[status]}</Chip>
}

export const titleOf = ({ name, kind, items }: Batch) => name ?? batchTexts.kinds[kind](items)

/** Whether it can still be submitted. */
export const isOpen = ({ status }: Batch) => status === 'READY' || status === 'INVALID'

/** How many items are paid, were paid or failed: all that are not left out. */
export const payableOf = ({ items, counts }: Batch) => items - counts.invalid

/** Who gets an item: the name that the bank confirms, or a wallet. */
export function recipientOf({ accountName, sentAccountName, destinationAddress }: Item): string {
  if (destinationAddress) return formatWallet(destinationAddress)
  return accountName ?? sentAccountName ?? batchTexts.items.unnamed
}
