import { toJson } from '../../base/json-text.js'
import type { EventType } from '../../events/catalogue.js'
import type { NewEvent } from '../../events/emit.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Payout, PayoutStatus } from '../payout.js'
import { showSettlement } from './resource.js'
import { maySettle, type Settlement } from './settlement.js'
import { findSettlementsOf, type SettlementWithPayout } from './store-settlements.js'

type Types = Record<PayoutStatus, EventType>

const ofMerchants: Types = {
  PENDING: 'settlement.pending',
  SUBMITTED: 'settlement.created',
  COMPLETED: 'settlement.paid',
  FAILED: 'settlement.failed',
  REVERSED: 'settlement.reversed',
}

/** Types of their own: they show balances of a seller, which needs another permission. */
const ofSubaccounts: Types = {
  PENDING: 'subaccount_settlement.pending',
  SUBMITTED: 'subaccount_settlement.created',
  COMPLETED: 'subaccount_settlement.paid',
  FAILED: 'subaccount_settlement.failed',
  REVERSED: 'subaccount_settlement.reversed',
}

/** A settlement has the state of its payout, so its events have the same numbers. */
export function toSettlementEvent({ settlement, payout }: SettlementWithPayout): NewEvent {
  const types = settlement.subaccountId === null ? ofMerchants : ofSubaccounts
  return {
    environmentId: settlement.environmentId,
    type: types[payout.status],
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
