import { toWire } from '../money/amounts.js'
import { type Amounts, accountReference } from './account.js'
import { type Payment, paymentReference, paymentStatusOf } from './payment.js'

/** A payment as its read operation, its account and events about it show it. */
export function showPayment(payment: Payment) {
  const { asset, source, accountId } = payment
  return {
    reference: paymentReference(payment),
    source,
    accountReference: accountReference({ kind: source, id: accountId }),
    amount: toWire(payment.amount, asset),
    ...showPlaces(payment, asset),
    fee: toWire(payment.fee, asset),
    currency: asset,
    status: paymentStatusOf(payment),
    variance: payment.variance,
    sender: payment.sender,
    sessionId: payment.sessionId,
    narration: payment.narration,
    receivedAt: payment.receivedAt.toISOString(),
    createdAt: payment.createdAt.toISOString(),
  }
}

export function showPlaces(places: Amounts, asset: Payment['asset']) {
  return {
    amountAccepted: toWire(places.amountAccepted, asset),
    amountHeld: toWire(places.amountHeld, asset),
    amountReturning: toWire(places.amountReturning, asset),
    amountReturned: toWire(places.amountReturned, asset),
  }
}
