import { strict as assert } from 'node:assert'
import type { FollowReturns } from '../payouts/follow-returns.js'
import type { Payout, PayoutStatus } from '../payouts/payout.js'
import type { AmountName, Shift } from './shift-payments.js'
import { lockWithAccounts, shiftPayments } from './shift-payments.js'
import { lockReturns, moveReturns, type Return, type ReturnState } from './store-returns.js'

type Ending = { from: ReturnState; to: ReturnState; left: AmountName }

/** What the end of a payout means for the return that it carries. */
const endings: Record<Exclude<PayoutStatus, 'SUBMITTED'>, Ending> = {
  COMPLETED: { from: 'SENT', to: 'RETURNED', left: 'amountReturning' },
  FAILED: { from: 'SENT', to: 'FAILED', left: 'amountReturning' },
  REVERSED: { from: 'RETURNED', to: 'REVERSED', left: 'amountReturned' },
}

/**
 * Money that arrived back is returned. Money that could not, or that the bank sent back again, is
 * where it was before: held, or accepted if it was a refund.
 */
export const followReturns: FollowReturns = async (tx, payouts) => {
  const returns = await lockReturns(tx, payouts)
  const locked = await lockWithAccounts(
    tx,
    returns.map(({ environmentId, paymentId }) => ({ environmentId, id: paymentId })),
  )
  const byId = new Map(returns.map((one) => [one.id, one]))
  return (now, ended) => {
    const known = ended.map((payout) => ({ payout, one: byId.get(payout.id)! }))
    for (const { payout, one } of known)
      assert(one.state === endingOf(payout).from, `${one.id} is ${one.state}: it cannot end so`)
    moveReturns(tx, known.map(toStep))
    shiftPayments(tx, now, locked, known.map(toShift))
  }
}

type Ended = { payout: Payout; one: Return & { state: ReturnState } }

function endingOf({ status }: Payout): Ending {
  return endings[status as keyof typeof endings]
}

function toStep({ payout, one }: Ended) {
  const { from, to } = endingOf(payout)
  return { environmentId: one.environmentId, id: one.id, from, to }
}

function toShift({ payout, one }: Ended): Shift {
  const { to, left } = endingOf(payout)
  const isRefund = one.takesFrom === 'available'
  const shift = { paymentId: one.paymentId, amount: one.amount, from: left }
  if (to === 'RETURNED') {
    const type = isRefund ? 'payment.refunded' : 'payment.returned'
    return { ...shift, to: 'amountReturned', told: { type, causeId: one.id } }
  }
  const type = isRefund ? 'payment.refund_failed' : 'payment.held'
  return {
    ...shift,
    to: isRefund ? 'amountAccepted' : 'amountHeld',
    told: { type, causeId: one.id },
  }
}
