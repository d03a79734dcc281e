import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import { int4, int8, json, named, orNull, Table, text, time, uuid } from '../../postgres/table.js'
import type { AccountKind, Amounts, Variance } from '../accounts/account.js'
import type { BankSender, WalletSender } from '../ports.js'

/** Money that arrived in a collection account. */
export type Payment = typeof payments.row

export const payments = new Table('payments', {
  environmentId: int4<EnvironmentId>(),
  id: uuid(),
  accountId: uuid(),
  source: text<AccountKind>(),
  rail: text(),
  /** The rail's own id of the payment. */
  railId: text(),
  asset: text<Asset>(),
  amount: int8(),
  amountAccepted: int8(),
  amountHeld: int8(),
  amountReturning: int8(),
  amountReturned: int8(),
  fee: int8(),
  variance: text<Variance>(),
  sender: json<BankSender | WalletSender>(),
  /** The bank's id of the transfer, `sessionId` in the API. Unrelated to checkout sessions. */
  bankSessionId: named('session_id', orNull(text())),
  narration: orNull(text()),
  eventSequence: int4(),
  receivedAt: time(),
  createdAt: time(),
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
