import { after } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { listBalancesOf } from '../ledger/balances.js'
import { formatMoney } from '../money/amounts.js'
import { createPayouts, type NewPayout, notCovered } from '../payouts/create-payouts.js'
import type { Destination, PayoutRail } from '../payouts/ports.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import type { PaymentName } from './find-payments.js'
import { type Payment, paymentReference } from './payment.js'
import { prepareReturns } from './prepare-returns.js'
import { lockPayment } from './resolve-payment.js'
import { shiftPayments } from './shift-payments.js'
import { insertReturns, type Return } from './store-returns.js'

export type PaymentRefund = { record: Return; payout: NewPayout }

/** Refuses early, before the rail is queried. `refundPayment` checks both again under locks. */
export async function refuseUnaffordableRefund(
  db: Queryable,
  payment: Payment,
  amount: bigint,
): Promise<void> {
  refuseTooMuch(payment, amount)
  const { environmentId, asset } = payment
  const balances = await listBalancesOf(db, [environmentId])
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0n
  if (available < amount) throw notCovered({ asset, amount, fee: 0n }, { available })
}

type RefundRequest = {
  amount: bigint
  destination: Destination
  /** How far `now` is ahead of real time. */
  clockOffsetMs: number
}

/** Has the rail check and prepare the payout, before any money is held. Sends nothing. */
export async function prepareRefund(
  rail: PayoutRail,
  now: Date,
  { environmentId, id: paymentId, asset }: Payment,
  { amount, destination, clockOffsetMs }: RefundRequest,
): Promise<PaymentRefund> {
  const refund: Return = {
    environmentId,
    id: newId(now),
    paymentId,
    rail: rail.name,
    asset,
    amount,
    takesFrom: 'available',
    destination,
    createdAt: now,
  }
  const [payout] = await prepareReturns(rail, after(now, -clockOffsetMs), [
    { ...refund, clockOffsetMs },
  ])
  if (payout instanceof Refusal) throw asPaymentAction(payout)
  return { record: refund, payout: payout! }
}

/**
 * Sends accepted money back to the payer and keeps the fee. Refuses more than was accepted, and
 * more than is available.
 */
export async function refundPayment(
  tx: Tx,
  now: Date,
  { name, refund }: { name: PaymentName; refund: PaymentRefund },
): Promise<Payment> {
  const locked = await lockPayment(tx, name)
  const { amount, id } = refund.record
  refuseTooMuch(locked.payment, amount)
  const [payout] = await createPayouts(tx, now, [refund.payout])
  if (payout instanceof Refusal) throw payout
  insertReturns(tx, now, [refund.record])
  shiftPayments(tx, now, locked, [
    {
      paymentId: locked.payment.id,
      amount,
      from: 'amountAccepted',
      to: 'amountReturning',
      event: { type: 'payment.returning', causeId: id },
    },
  ])
  return locked.payments.get(locked.payment.id)!
}

function refuseTooMuch(payment: Payment, amount: bigint): void {
  if (payment.amountAccepted === 0n)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `No money of ${paymentReference(payment)} was accepted, so there is nothing to refund.`,
    })
  if (amount <= payment.amountAccepted) return
  const { asset, amountAccepted } = payment
  throw new Refusal('payment_action_failed', {
    reason: 'amount_too_large',
    message: `At most ${formatMoney(amountAccepted, asset)} of ${paymentReference(payment)} can be refunded, not ${formatMoney(amount, asset)}.`,
  })
}

/** Refusals of a payout rail, under the code of the payment operation. */
export function asPaymentAction(refusal: Refusal): Refusal {
  const { code, reason, message } = refusal
  if (code === 'validation_failed') return refusal
  return new Refusal('payment_action_failed', { ...(reason && { reason }), message })
}
