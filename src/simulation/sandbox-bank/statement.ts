import type { RealTime } from '../../base/clock.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { sandboxBankLimits } from './limits.js'
import { lookUpTransfers } from './look-up-transfers.js'
import { listReceived } from './store-transfers.js'
import { type SandboxTransfer, stateOf, type TransferState } from './transfer.js'

/** One transfer on the bank's statement. */
export type SandboxStatementLine = {
  reference: string
  amount: bigint
  state: Exclude<TransferState, 'lost'>
  receivedAt: Date
  completedAt: Date | null
  failedAt: Date | null
  reversedAt: Date | null
}

/** The last line of a page; the next page starts after it. */
export type StatementCursor = { receivedAt: Date; reference: string }

type Statement = { lines: SandboxStatementLine[]; next: StatementCursor | null }

/**
 * Transfers received in the period (`to` excluded) in order of receipt, a page at a time. Lost
 * transfers are left out: the bank does not know them.
 */
export async function readStatement(
  tx: Tx,
  now: RealTime,
  { from, to, after }: { from: Date; to: Date; after: StatementCursor | undefined },
): Promise<Statement> {
  const limit = sandboxBankLimits.statementLinesMax
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

function toLine(transfer: SandboxTransfer, now: Date): SandboxStatementLine[] {
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
