import { toJson } from '../../base/json-text.js'
import type { EventType } from '../../events/catalogue.js'
import type { NewEvent } from '../../events/emit.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Payout, PayoutStatus } from '../payout.js'
import { showSettlement } from './resource.js'
import { maySettle, type Settlement } from './settlement.js'
import { findSettlementsOf, type SettlementWithPayout } from './store-settlements.js'

/** Settlements need no approval: they go to the merchant's own account. */
const types: Record<Exclude<PayoutStatus, 'PENDING'>, EventType> = {
  SUBMITTED: 'settlement.created',
  COMPLETED: 'settlement.paid',
  FAILED: 'settlement.failed',
  REVERSED: 'settlement.reversed',
}

/** A settlement has the state of its payout, so its events have the same numbers. */
export function toSettlementEvent({ settlement, payout }: SettlementWithPayout): NewEvent {
  return {
    environmentId: settlement.environmentId,
    type: types[payout.status as keyof typeof types],
    resourceId: settlement.id,
    causeId: settlement.id,
    sequence: payout.eventSequence,
    data: toJson(showSettlement(settlement, payout)),
  }
}

/**
 * Finds the settlements among payouts that are about to change. The returned function tells those
 * that did.
 */
export async function followSettlements(
  tx: Tx,
  payouts: Payout[],
): Promise<(changed: Payout[]) => SettlementWithPayout[]> {
  const candidates = payouts.filter(maySettle)
  if (candidates.length === 0) return () => []
  const settlements = await findSettlementsOf(tx, candidates)
  return (changed) =>
    changed.flatMap((payout) => {
      const settlement: Settlement | undefined = settlements.get(payout.id)
      return settlement ? [{ settlement, payout }] : []
    })
}
