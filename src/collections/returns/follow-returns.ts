import { strict as assert } from 'node:assert'
import { toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import type { FollowReturns } from '../../payouts/attempts/followed-returns.js'
import type { PayoutStatus } from '../../payouts/payout.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { startGivingBack } from '../../subaccounts/shares/store-shares.js'
import { openBooksOf } from '../payments/pay-invoices.js'
import type { AmountName, Shift } from '../payments/shift-payments.js'
import { lockWithAccounts, shiftPayments } from '../payments/shift-payments.js'
import {
  changeReturnStates,
  lockCarriedReturns,
  type Return,
  type ReturnState,
  refundOf,
} from './store-returns.js'

type Ending = { from: ReturnState; to: ReturnState; shiftsFrom: AmountName }

/** How the final status of its payout, or of its claim, changes a return. */
const endings: Record<Exclude<PayoutStatus, 'PENDING' | 'SUBMITTED'>, Ending> = {
  COMPLETED: { from: 'SENT', to: 'RETURNED', shiftsFrom: 'amountReturning' },
  FAILED: { from: 'SENT', to: 'FAILED', shiftsFrom: 'amountReturning' },
  REVERSED: { from: 'RETURNED', to: 'REVERSED', shiftsFrom: 'amountReturned' },
}

/**
 * A completed payout marks the money as returned. If the payout failed, the bank reversed it, or
 * the claim ended without one, the money is held again, or accepted again if it was a refund.
 */
export const followReturns: FollowReturns = async (tx, carriers) => {
  const returns = await lockCarriedReturns(tx, carriers)
  const locked = await lockWithAccounts(
    tx,
    returns.map(({ environmentId, paymentId }) => ({ environmentId, id: paymentId })),
  )
  const payments = [...locked.payments.values()].map((payment) => ({ payment }))
  const books = await openBooksOf(tx, payments, { waits: true })
  const taken = (await books?.findTaken(returns)) ?? []
  const offsets = await readClockOffsets(tx, taken)
  const byCarrier = new Map(returns.map((one) => [one.carrierId, one]))
  return (now, ended) => {
    const endedReturns = ended.map(({ id, status }) => ({
      ...byCarrier.get(id)!,
      ending: endings[status as keyof typeof endings],
    }))
    for (const { id, state, ending } of endedReturns)
      assert(state === ending.from, `return ${id} is ${state}, so it cannot become ${ending.to}`)
    changeReturnStates(
      tx,
      endedReturns.map(({ environmentId, id, ending: { from, to } }) => ({
        environmentId,
        id,
        from,
        to,
      })),
    )
    shiftPayments(tx, now, locked, endedReturns.map(toShift))
    const lost = endedReturns.filter(isLostRefund)
    startGivingBack(
      tx,
      now,
      lost.map(({ environmentId, id: returnId }) => ({ environmentId, returnId })),
    )
    for (const { environmentId, id, paymentId } of lost) {
      const { customerId, asset } = locked.payments.get(paymentId)!
      const at = toEnvironmentTime(now, offsets.get(environmentId) ?? 0)
      for (const refund of taken.filter(({ returnId }) => returnId === id))
        books!.giveBack(refund, { customerId: customerId!, asset, now: at })
    }
    books?.write(now)
  }
}

/** Invoices and credit are in the time of their environment. */
async function readClockOffsets(
  tx: Tx,
  taken: { environmentId: EnvironmentId }[],
): Promise<Map<EnvironmentId, number>> {
  const offsets = new Map<EnvironmentId, number>()
  for (const id of new Set(taken.map(({ environmentId }) => environmentId)))
    offsets.set(id, (await getEnvironmentById(tx, id)).clockOffsetMs)
  return offsets
}

/** The merchant has the money again, so sub-accounts get their parts of it. */
function isLostRefund({ takesFrom, ending }: Return & { ending: Ending }): boolean {
  return takesFrom === 'available' && ending.to !== 'RETURNED'
}

function toShift({ ending, ...returned }: Return & { ending: Ending }): Shift {
  const { id: causeId, paymentId, amount, takesFrom } = returned
  const isRefund = takesFrom === 'available'
  const shift = { paymentId, amount, from: ending.shiftsFrom }
  if (ending.to === 'RETURNED') {
    const type = isRefund ? 'payment.refunded' : 'payment.returned'
    return { ...shift, to: 'amountReturned', event: { type, causeId, ...refundOf(returned) } }
  }
  const type = isRefund ? 'payment.refund_failed' : 'payment.held'
  return {
    ...shift,
    to: isRefund ? 'amountAccepted' : 'amountHeld',
    event: { type, causeId, ...refundOf(returned) },
  }
}
