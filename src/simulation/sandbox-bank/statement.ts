import { limits } from '../../base/limits.js'
import type { Tx } from '../../postgres/tx.js'
import { lookUpTransfers } from './look-up-transfers.js'
import { listReceived } from './store-transfers.js'
import { type SandboxTransfer, stateOf, type TransferState } from './transfer.js'

/** What the bank says of one transfer that it has. */
export type StatementLine = {
  reference: string
  amount: bigint
  state: Exclude<TransferState, 'lost'>
  receivedAt: Date
  completedAt: Date | null
  failedAt: Date | null
  reversedAt: Date | null
}

/** Where a page ended, to go on from. */
export type StatementCursor = { receivedAt: Date; reference: string }

type Statement = { lines: StatementLine[]; next: StatementCursor | null }

/**
 * Every transfer that was received from a time until before another, in the order of receipt, a
 * page at a time. What the bank has lost is not there: it knows of no such transfer.
 */
export async function readStatement(
  tx: Tx,
  now: Date,
  { from, to, after }: { from: Date; to: Date; after: StatementCursor | undefined },
): Promise<Statement> {
  const limit = limits.sandboxBank.statementLines
  const start = after ?? { receivedAt: from, reference: '' }
  const references = await listReceived(tx, { from, to, after: start, limit })
  const transfers = await lookUpTransfers(tx, now, references)
  const page = references.map((reference) => transfers.get(reference)!)
  const last = page.at(-1)
  const isFull = page.length === limit
  return {
    lines: page.flatMap((transfer) => toLine(transfer, now)),
    next: isFull ? { receivedAt: last!.receivedAt, reference: last!.reference } : null,
  }
}

function toLine(transfer: SandboxTransfer, now: Date): StatementLine[] {
  const { reference, amount, receivedAt, endsAt, reversesAt } = transfer
  const state = stateOf(transfer, now)
  if (state === 'lost') return []
  const hasCompleted = state === 'completed' || state === 'reversed'
  return [
    {
      reference,
      amount,
      state,
      receivedAt,
      completedAt: hasCompleted ? endsAt : null,
      failedAt: state === 'failed' ? endsAt : null,
      reversedAt: state === 'reversed' ? reversesAt : null,
    },
  ]
}
