import { after } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { listBalancesOf } from '../ledger/balances.js'
import { formatDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { createPayouts, type NewPayout, notCovered } from '../payouts/create-payouts.js'
import type { Payout } from '../payouts/payout.js'
import type { Destination, PayoutRail } from '../payouts/ports.js'
import type { Reader, Tx } from '../postgres/tx.js'
import type { PaymentName } from './find-payments.js'
import { type Payment, paymentReference } from './payment.js'
import { requestReturns } from './request-returns.js'
import { lockOne } from './resolve-payment.js'
import { shiftPayments } from './shift-payments.js'
import { insertReturns, type Return } from './store-returns.js'

export type PaymentRefund = { of: Return; order: NewPayout }

/** What is refused before the rail is asked. Both are judged again when the money is held. */
export async function refuseUnpayable(db: Reader, payment: Payment, amount: bigint): Promise<void> {
  refuseTooMuch(payment, amount)
  const { environmentId, asset } = payment
  const balances = await listBalancesOf(db, [environmentId])
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0n
  if (available < amount) throw notCovered({ asset, amount, fee: 0n }, { available })
}

type Wish = {
  amount: bigint
  destination: Destination
  /** How far `now` is ahead of the world. */
  clockOffsetMs: number
}

/** Asks the rail, and fixes what would be sent, before any money is held. Nothing leaves. */
export async function prepareRefund(
  rail: PayoutRail,
  now: Date,
  { environmentId, id: paymentId, asset }: Payment,
  { amount, destination, clockOffsetMs }: Wish,
): Promise<PaymentRefund> {
  const one: Return = {
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
  const [order] = await requestReturns(rail, after(now, -clockOffsetMs), [
    { ...one, clockOffsetMs },
  ])
  if (order instanceof Refusal) throw asPaymentAction(order)
  return { of: one, order: order! }
}

/**
 * Moves accepted money back to whoever paid; the fee is kept. Refuses more than was accepted, and
 * more than is available.
 */
export async function refundPayment(
  tx: Tx,
  now: Date,
  { name, refund }: { name: PaymentName; refund: PaymentRefund },
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
  const { asset, amountAccepted } = payment
  const [accepted, wanted] = [amountAccepted, amount].map((value) => inWords(value, asset))
  throw new Refusal('payment_action_failed', {
    reason: 'amount_too_large',
    message:
      `${accepted} of ${paymentReference(payment)} can be refunded: so much of it is accepted. ` +
      `${wanted} is more.`,
  })
}

/** In the unit that callers write. */
function inWords(amount: bigint, asset: Asset): string {
  return asset === 'NGN' ? `${amount} kobo` : `${formatDecimal(amount, asset)} ${asset}`
}

/** What the rail says of a payout is true of a return, under the name of its operation. */
export function asPaymentAction({ reason, message }: Refusal): Refusal {
  return new Refusal('payment_action_failed', { ...(reason && { reason }), message })
}
