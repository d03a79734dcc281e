import { Refusal } from '../../base/refusal.js'
import type { Target } from '../../payouts/ports.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { SandboxPayment } from './payment.js'
import type { PaymentOrder } from './payment-order.js'
import { lockSandboxPayments } from './store-payments.js'

/** The bank's decision on an order that returns a payment to its sender. */
export type SandboxRefund = {
  /** Null: unknown payment. */
  refundOf: string | null
  /** The sender's full account number, also if notices mask it. */
  accountNumber: string
  /** Null: it is processed like any transfer. */
  failureReason: 'account_not_found' | 'refund_exceeds_payment' | null
}

type BookedRefund = { reference: string; refundOf: string; amount: bigint; hasReturned: boolean }

/**
 * `hasReturned`: it was reported as failed or reversed, which never changes. Any other refund, even
 * a lost one, may still reach the customer and counts against the payment.
 */
const listRefunds = listStatement<{ id: 'text' }, BookedRefund>({
  name: 'list_sandbox_refunds',
  columns: { id: 'text' },
  text: (ids) => `
    select t.reference, t.refund_of, t.amount, (t.is_reported and t.ending = 'failed') or
      t.reversal_number is not null as has_returned
    from sandbox_transfers t
    where t.refund_of in (select list.id from ${ids})`,
})

/** Refuses a refund of an unknown payment, of more than was paid, or in another currency. */
export function refuseRefund(
  { asset, amount }: Pick<Target, 'asset' | 'amount'>,
  payment: SandboxPayment | undefined,
): Refusal | undefined {
  if (canCover(payment, { currency: asset, amount })) return undefined
  const message = 'The bank has no payment that covers this refund.'
  return new Refusal('bank_transfer_failed', { reason: 'account_not_found', message })
}

/**
 * Decides on refund orders, by reference. The refunds of a payment never exceed it: the payment
 * stays locked, so that no concurrent refund passes the same check.
 */
export async function judgeRefunds(
  tx: Tx,
  orders: PaymentOrder[],
): Promise<Map<string, SandboxRefund>> {
  const ids = [...new Set(orders.flatMap(({ refundOf }) => refundOf ?? []))]
  if (ids.length === 0) return new Map()
  const payments = await lockSandboxPayments(tx, ids)
  const booked = await tx.rows(listRefunds(ids.map((id) => ({ id }))))
  const known = new Set(booked.map(({ reference }) => reference))
  const remaining = new Map([...payments].map(([id, { amount }]) => [id, amount]))
  for (const { refundOf, amount, hasReturned } of booked)
    if (!hasReturned) remaining.set(refundOf, remaining.get(refundOf)! - amount)

  const refunds = new Map<string, SandboxRefund>()
  for (const { reference, refundOf, amount } of orders) {
    if (refundOf === undefined) continue
    const payment = payments.get(refundOf)
    const isWithin = known.has(reference) || amount <= (remaining.get(refundOf) ?? 0n)
    const failureReason = judgeRefund(payment, { amount, isWithin })
    refunds.set(reference, {
      refundOf: payment ? refundOf : null,
      accountNumber: payment?.sender?.accountNumber ?? '',
      failureReason,
    })
    if (!failureReason && !known.has(reference))
      remaining.set(refundOf, remaining.get(refundOf)! - amount)
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
