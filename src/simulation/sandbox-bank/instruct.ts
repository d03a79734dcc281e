import type { Instructed } from '../../payouts/ports.js'
import type { Tx } from '../../postgres/tx.js'
import { judgeInstruction, type TestInstruction } from './judge-instruction.js'
import { lockTransfers, replanTransfers } from './store-transfers.js'

/**
 * Changes what the bank does with a transfer from now on. It never changes how a transfer ended,
 * nor anything outside the bank: whoever waits for the transfer finds out by asking.
 */
export async function instructTransfer(
  tx: Tx,
  now: Date,
  { reference, instruction }: { reference: string; instruction: TestInstruction },
): Promise<Instructed> {
  const transfer = (await lockTransfers(tx, [reference])).get(reference)
  if (!transfer) return 'not_received'
  const plan = judgeInstruction(transfer, now, instruction)
  if (plan === 'too_late') return 'too_late'
  replanTransfers(tx, [{ ...transfer, ...plan }])
  return 'obeyed'
}
