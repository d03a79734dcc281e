import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'
import type { AccountKind, Amounts, Variance } from '../accounts/account.js'
import type { BankSender, WalletSender } from '../ports.js'

/** Money that arrived in a collection account. */
export type Payment = typeof payments.row

export const payments = new Table('payments', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  accountId: column.uuid(),
  source: column.text<AccountKind>(),
  rail: column.text(),
  /** The rail's own id of the payment. */
  railId: column.text(),
  asset: column.text<Asset>(),
  amount: column.int8(),
  amountAccepted: column.int8(),
  amountHeld: column.int8(),
  amountReturning: column.int8(),
  amountReturned: column.int8(),
  fee: column.int8(),
  variance: column.text<Variance>(),
  /** Why it is held although no policy asks for it; null: for no such reason. */
  heldFor: column.text<'screening'>().orNull(),
  sender: column.json<BankSender | WalletSender>(),
  /** The bank's id of the transfer, `sessionId` in the API. Unrelated to checkout sessions. */
  bankSessionId: column.text().orNull().named('session_id'),
  narration: column.text().orNull(),
  eventSequence: column.int4(),
  /** Through whose account it came, and for which invoice it was opened. */
  customerId: column.uuid().orNull(),
  invoiceId: column.uuid().orNull(),
  /** How it was split; null if it is the merchant's alone. */
  splitId: column.uuid().orNull(),
  receivedAt: column.time(),
  createdAt: column.time(),
})

export function paymentReference({ id }: Pick<Payment, 'id'>): string {
  return toReference(prefixes.payment, id)
}

export const paymentStatuses = ['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED'] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

/** The database computes the same for `payments.status`. */
export function paymentStatusOf(payment: Amounts): PaymentStatus {
  if (payment.amountHeld > 0n) return 'HELD'
  if (payment.amountReturning > 0n) return 'RETURNING'
  return payment.amountAccepted > 0n ? 'ACCEPTED' : 'RETURNED'
}
