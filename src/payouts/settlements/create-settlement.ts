import { type Outcome, Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import type { StatementEnd } from '../../ledger/book.js'
import { type StatementLine, sumStatement } from '../../ledger/statement.js'
import type { Tx } from '../../postgres/tx.js'
import { createPayouts, readForPayouts } from '../create-payouts.js'
import { notSettled, type PreparedSettlement } from './prepare-settlement.js'
import type { Settlement } from './settlement.js'
import { toSettlementEvent } from './settlement-events.js'
import {
  countParts,
  findLastSettlement,
  insertSettlement,
  type SettlementWithPayout,
} from './store-settlements.js'

/**
 * Holds the money of a settlement and records it with its payout. Refuses if other payouts have
 * spent the money above the reserve meanwhile. The lock on the ledger account makes the settlements
 * of an environment take turns, so each begins where the one before ends.
 */
export async function createSettlement(
  tx: Tx,
  now: Date,
  prepared: PreparedSettlement,
): Promise<Outcome<SettlementWithPayout>> {
  const { payout } = prepared.payout
  const reads = await readForPayouts(tx, [prepared.payout])
  const before = reads.book.endOfStatement(payout)
  const closing = before.available - payout.amount - payout.fee
  if (closing < prepared.reserve) {
    const { requestedAmount, reserve } = prepared
    return notSettled({ requestedAmount, reserve, available: before.available })
  }

  const settlement = await report(tx, prepared, { before, closing })
  const [created] = await createPayouts(tx, now, [prepared.payout], Promise.resolve(reads))
  if (created instanceof Refusal) return created
  insertSettlement(tx, settlement)
  emitAll(tx, now, [toSettlementEvent({ settlement, payout })])
  return { settlement, payout }
}

async function report(
  tx: Tx,
  { id, payout: { payout }, scheduledFor, reserve, early }: PreparedSettlement,
  { before, closing }: { before: StatementEnd; closing: bigint },
): Promise<Settlement> {
  const { environmentId, asset } = payout
  const previous = await findLastSettlement(tx, environmentId)
  const firstEntry = (previous?.lastEntry ?? 0n) + 1n
  // Another settlement was made meanwhile: nothing of the early sums is part of this one.
  const isCurrent = firstEntry === early.firstEntry
  const later = await sumStatement(tx, {
    environmentId,
    asset,
    first: isCurrent ? early.lastEntry + 1n : firstEntry,
    last: before.entryNumber,
  })
  const part = (await countParts(tx, { environmentId, scheduledFor })) + 1
  return {
    environmentId,
    id,
    payoutId: payout.id,
    scheduledFor,
    part,
    reserve,
    firstEntry,
    // The payout holds its amount and its fee in one entry each.
    lastEntry: before.entryNumber + (payout.fee > 0n ? 2n : 1n),
    opening: previous?.closing ?? 0n,
    closing,
    lines: isCurrent ? addLines(early.lines, later) : later,
    previousAt: previous?.createdAt ?? null,
    createdAt: payout.createdAt,
  }
}

function addLines(early: StatementLine[], later: StatementLine[]): StatementLine[] {
  const sums = new Map(early.map((line) => [`${line.purpose}/${line.kind}`, line]))
  for (const line of later) {
    const name = `${line.purpose}/${line.kind}`
    const sum = sums.get(name)
    const count = line.count + (sum?.count ?? 0)
    sums.set(name, { ...line, count, change: line.change + (sum?.change ?? 0n) })
  }
  return [...sums.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, line]) => line)
}
