import { Refusal } from '../../base/refusal.js'
import type { Target } from '../../payouts/ports.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/tx.js'
import type { SandboxPayment } from './payment.js'
import type { PaymentOrder } from './payment-order.js'
import { lockSandboxPayments } from './store-payments.js'

/** What the bank makes of an order to send a payment back to whoever sent it. */
export type SandboxRefund = {
  /** Null: the bank has no such payment. */
  refundOf: string | null
  /** Where it goes, which the bank knows also where it does not tell. */
  accountNumber: string
  /** Null: it is carried like any transfer. */
  failureReason: 'account_not_found' | 'refund_exceeds_payment' | null
}

type Booked = { reference: string; refundOf: string; amount: bigint; isOver: boolean }

/**
 * Over is what has failed, or was reversed, and somebody was told so: that never changes. Anything
 * else may still reach the customer, even an order that was lost.
 */
const list = listStatement<{ id: 'text' }, Booked>({
  name: 'list_sandbox_refunds',
  columns: { id: 'text' },
  text: (ids) => `
    select t.reference, t.refund_of as "refundOf", t.amount,
      (t.is_told and t.ending = 'failed') or t.reversal_number is not null as "isOver"
    from sandbox_transfers t
    where t.refund_of in (select list.id from ${ids})`,
})

/** Refuses to send back what never came, or more than came, or in another currency. */
export function refuseRefund(
  { asset, amount }: Pick<Target, 'asset' | 'amount'>,
  payment: SandboxPayment | undefined,
): Refusal | undefined {
  if (canCover(payment, { currency: asset, amount })) return undefined
  const message = 'The bank has no such payment to send back.'
  return new Refusal('bank_transfer_failed', { reason: 'account_not_found', message })
}

/**
 * Decides on orders that send payments back, by reference. All that goes back of a payment is never
 * more than the payment: it stays locked, so that nobody else sends it back at the same time.
 */
export async function judgeRefunds(
  tx: Tx,
  orders: PaymentOrder[],
): Promise<Map<string, SandboxRefund>> {
  const ids = [...new Set(orders.flatMap(({ refundOf }) => refundOf ?? []))]
  if (ids.length === 0) return new Map()
  const payments = await lockSandboxPayments(tx, ids)
  const booked = await tx.rows(list(ids.map((id) => ({ id }))))
  const known = new Set(booked.map(({ reference }) => reference))
  const left = new Map([...payments].map(([id, { amount }]) => [id, amount]))
  for (const { refundOf, amount, isOver } of booked)
    if (!isOver) left.set(refundOf, left.get(refundOf)! - amount)

  const refunds = new Map<string, SandboxRefund>()
  for (const { reference, refundOf, amount } of orders) {
    if (refundOf === undefined) continue
    const payment = payments.get(refundOf)
    const isWithin = known.has(reference) || amount <= (left.get(refundOf) ?? 0n)
    const failureReason = judgeRefund(payment, { amount, isWithin })
    refunds.set(reference, {
      refundOf: payment ? refundOf : null,
      accountNumber: payment?.sender?.accountNumber ?? '',
      failureReason,
    })
    if (!failureReason && !known.has(reference)) left.set(refundOf, left.get(refundOf)! - amount)
  }
  return refunds
}

function judgeRefund(
  payment: SandboxPayment | undefined,
  { amount, isWithin }: { amount: bigint; isWithin: boolean },
): SandboxRefund['failureReason'] {
  if (!canCover(payment, { currency: 'NGN', amount: 1n })) return 'account_not_found'
  return isWithin && canCover(payment, { currency: 'NGN', amount })
    ? null
    : 'refund_exceeds_payment'
}

function canCover(
  payment: SandboxPayment | undefined,
  wanted: { currency: string; amount: bigint },
): boolean {
  return payment?.currency === wanted.currency && payment.amount >= wanted.amount
}
