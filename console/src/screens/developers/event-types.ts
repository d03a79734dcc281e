import type { EventType } from '../../../../sdk/src/types'

/** Written out so that an event type that is missing here does not compile. */
const known: Record<EventType, true> = {
  'virtual_account.paid': true,
  'virtual_account.underpaid': true,
  'virtual_account.overpaid': true,
  'virtual_account.late_payment': true,
  'virtual_account.duplicate_payment': true,
  'virtual_account.expired': true,
  'virtual_account.cancelled': true,
  'virtual_account.payment_rejected': true,
  'dedicated_account.created': true,
  'dedicated_account.credited': true,
  'dedicated_account.deactivated': true,
  'dedicated_account.payment_rejected': true,
  'checkout.session.paid': true,
  'checkout.session.expired': true,
  'checkout.session.cancelled': true,
  'crypto_wallet.paid': true,
  'crypto_wallet.underpaid': true,
  'crypto_wallet.overpaid': true,
  'crypto_wallet.late_payment': true,
  'crypto_wallet.duplicate_payment': true,
  'crypto_wallet.expired': true,
  'crypto_wallet.cancelled': true,
  'dedicated_crypto_wallet.created': true,
  'dedicated_crypto_wallet.credited': true,
  'payment.held': true,
  'payment.returning': true,
  'payment.returned': true,
  'payment.refunded': true,
  'payment.refund_failed': true,
  'crypto_transfer.pending': true,
  'crypto_transfer.submitted': true,
  'crypto_transfer.confirmed': true,
  'crypto_transfer.failed': true,
  'bank_transfer.pending': true,
  'bank_transfer.submitted': true,
  'bank_transfer.completed': true,
  'bank_transfer.failed': true,
  'bank_transfer.reversed': true,
  'conversion.completed': true,
  'split.posted': true,
  'split.released': true,
  'batch.completed': true,
  'claim.created': true,
  'claim.claimed': true,
  'claim.expired': true,
  'claim.cancelled': true,
  'claim.reopened': true,
  'settlement.created': true,
  'settlement.paid': true,
  'settlement.failed': true,
  'settlement.reversed': true,
  'subaccount_settlement.created': true,
  'subaccount_settlement.paid': true,
  'subaccount_settlement.failed': true,
  'subaccount_settlement.reversed': true,
  'settlement_destination.changed': true,
  'customer.created': true,
  'customer.credited': true,
  'invoice.finalized': true,
  'invoice.sent': true,
  'invoice.overdue': true,
  'invoice.credited': true,
  'invoice.partially_paid': true,
  'invoice.paid': true,
  'invoice.payment_moved': true,
  'invoice.refunded': true,
  'invoice.refund_failed': true,
  'invoice.voided': true,
  'subaccount.created': true,
  'subaccount.receivable': true,
  'subaccount.closed': true,
  'subaccount.closing_failed': true,
  'balance.low': true,
  'webhook_endpoint.disabled': true,
  'webhook_endpoint.test': true,
}

const eventTypes = Object.keys(known) as EventType[]

/** `payment.*`. */
const groupOf = (type: string) => `${type.slice(0, type.lastIndexOf('.'))}.*`

export const eventGroups = [...new Set(eventTypes.map(groupOf))]

export const typesOfGroup = (group: string) => eventTypes.filter((type) => groupOf(type) === group)

/** Options of a filter: each group, followed by its types. */
export const eventOptions = eventGroups
  .flatMap((group) => [group, ...typesOfGroup(group)])
  .map((value) => ({ value, label: value }))
