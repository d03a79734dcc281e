import { after } from '../clock.js'
import { newId } from '../ids.js'
import { listBalancesOf } from '../ledger/balances.js'
import { createPayouts, notCovered, type PayoutOrder } from '../payouts/create-payouts.js'
import type { Payout } from '../payouts/payout.js'
import type { PayoutRail } from '../payouts/ports.js'
import type { Reader, Tx } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import type { PaymentName } from './find-payments.js'
import { orderReturns } from './order-returns.js'
import { type Payment, paymentReference } from './payment.js'
import { lockOne } from './resolve-payment.js'
import type { BankDestination } from './return-destination.js'
import { shiftPayments } from './shift-payments.js'
import { insertReturns, type Return } from './store-returns.js'

export type Refund = { of: Return; order: PayoutOrder }

/** What is refused before the bank is asked. Both are judged again when the money is held. */
export async function refuseUnpayable(db: Reader, payment: Payment, amount: bigint): Promise<void> {
  refuseTooMuch(payment, amount)
  const { environmentId, asset } = payment
  const balances = await listBalancesOf(db, [environmentId])
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0n
  if (available < amount) throw notCovered({ asset, amount, fee: 0n }, { available })
}

type Wish = {
  amount: bigint
  destination: BankDestination
  /** How far `now` is ahead of the world. */
  clockOffsetMs: number
}

/** Asks the bank, and fixes what would be sent, before any money is held. Nothing leaves. */
export async function prepareRefund(
  rail: PayoutRail,
  now: Date,
  { environmentId, id: paymentId }: Payment,
  { amount, destination, clockOffsetMs }: Wish,
): Promise<Refund> {
  const one: Return = {
    ...{ environmentId, id: newId(now), paymentId, rail: rail.name, amount },
    ...{ takesFrom: 'available', destination, createdAt: now },
  }
  const [order] = await orderReturns(rail, after(now, -clockOffsetMs), [{ ...one, clockOffsetMs }])
  if (order instanceof Refusal) throw asRefund(order)
  return { of: one, order: order! }
}

/**
 * Moves accepted money back to whoever paid; the fee is kept. Refuses more than was accepted, and
 * more than is available.
 */
export async function refundPayment(
  tx: Tx,
  now: Date,
  { name, refund }: { name: PaymentName; refund: Refund },
): Promise<{ payment: Payment; payout: Payout }> {
  const locked = await lockOne(tx, name)
  const { amount, id } = refund.of
  refuseTooMuch(locked.payment, amount)
  const [payout] = await createPayouts(tx, now, [refund.order])
  if (payout instanceof Refusal) throw payout
  insertReturns(tx, now, [refund.of])
  const told = { type: 'payment.returning' as const, causeId: id }
  const shift = { from: 'amountAccepted' as const, to: 'amountReturning' as const, told }
  shiftPayments(tx, now, locked, [{ paymentId: locked.payment.id, amount, ...shift }])
  return { payment: locked.payments.get(locked.payment.id)!, payout: payout! }
}

function refuseTooMuch(payment: Payment, amount: bigint): void {
  if (payment.amountAccepted === 0n)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `Nothing of ${paymentReference(payment)} is accepted: there is nothing to refund.`,
    })
  if (amount <= payment.amountAccepted) return
  throw new Refusal('payment_action_failed', {
    reason: 'amount_too_large',
    message:
      `${payment.amountAccepted} kobo of ${paymentReference(payment)} are accepted and can be ` +
      `refunded; ${amount} kobo is more.`,
  })
}

/** What the rail says of a payout is true of a refund, under the name of this operation. */
function asRefund({ reason, message }: Refusal): Refusal {
  return new Refusal('payment_action_failed', { ...(reason && { reason }), message })
}
