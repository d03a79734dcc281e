/**
 * Every event type and when it is sent. Unlisted types do not compile. The OpenAPI `webhooks` and
 * docs/reference/events.md are generated from this table; api/openapi/event-schemas.ts says which
 * resource an event carries.
 */
export const catalogue = {
  'virtual_account.paid': 'A virtual account was paid. Also sent along with `overpaid`.',
  'virtual_account.underpaid': 'A payment was smaller than the amount of its virtual account.',
  'virtual_account.overpaid': 'A payment was larger than the amount of its virtual account.',
  'virtual_account.late_payment':
    'A payment arrived after its virtual account expired or was cancelled.',
  'virtual_account.duplicate_payment':
    'A payment arrived at a virtual account that was already paid.',
  'virtual_account.expired': 'A virtual account expired unpaid.',
  'virtual_account.cancelled':
    'A virtual account was cancelled: by you, or because its checkout session was paid by another method.',
  'virtual_account.payment_rejected':
    'The bank sent a payment into a virtual account back to the payer by itself. Nothing was credited. Only some live banks do this.',
  'dedicated_account.created': 'A dedicated account was created.',
  'dedicated_account.credited': 'A payment arrived at a dedicated account.',
  'dedicated_account.deactivated': 'You deactivated a dedicated account.',
  'dedicated_account.payment_rejected':
    'The bank sent a payment into a dedicated account back to the payer by itself. Nothing was credited.',
  'checkout.session.paid': 'A checkout session was paid.',
  'checkout.session.expired': 'A checkout session expired unpaid.',
  'checkout.session.cancelled': 'A checkout session was cancelled.',
  'crypto_wallet.paid': 'A crypto wallet was paid and the deposit is final.',
  'crypto_wallet.underpaid': 'A deposit was smaller than the amount of its crypto wallet.',
  'crypto_wallet.overpaid': 'A deposit was larger than the amount of its crypto wallet.',
  'crypto_wallet.late_payment':
    'A deposit arrived after its crypto wallet expired or was cancelled.',
  'crypto_wallet.duplicate_payment': 'A deposit arrived at a crypto wallet that was already paid.',
  'crypto_wallet.expired': 'A crypto wallet expired unpaid.',
  'crypto_wallet.cancelled':
    'A crypto wallet was cancelled: by you, or because its checkout session was paid by another method.',
  'dedicated_crypto_wallet.created': 'A dedicated crypto wallet was created.',
  'dedicated_crypto_wallet.credited': 'A deposit to a dedicated crypto wallet is final.',
  'payment.held': 'Money of a payment is held and waits for your decision.',
  'payment.returning': 'Money of a payment is on its way back to the sender.',
  'payment.returned': 'Money of a payment was returned to the sender.',
  'payment.refunded': 'A refund reached the payer.',
  'payment.refund_failed': 'A refund failed or was sent back. The money is in your balance again.',
  'crypto_transfer.pending': 'A crypto transfer waits for the approval of a second member.',
  'crypto_transfer.submitted': 'A crypto transfer was submitted.',
  'crypto_transfer.confirmed': 'A crypto transfer is final on the chain.',
  'crypto_transfer.failed': 'A crypto transfer failed. Amount and fee are available again.',
  'bank_transfer.pending': 'A bank transfer waits for the approval of a second member.',
  'bank_transfer.submitted': 'A bank transfer was submitted.',
  'bank_transfer.completed': 'The bank confirmed that a bank transfer arrived.',
  'bank_transfer.failed': 'A bank transfer failed. Amount, fee and levy are available again.',
  'bank_transfer.reversed':
    'The bank returned a completed bank transfer. Amount, fee and levy are available again.',
  'conversion.completed': 'A conversion changed both balances.',
  'recipient.created': 'A recipient was saved.',
  'recipient.disabled': 'A recipient was disabled. Transfers to it are refused.',
  'recipient.enabled':
    'A disabled recipient was enabled again. It counts as new: a cooling-off begins again.',
  'claim.created': 'You created a claim: its money is set aside.',
  'claim.claimed':
    'The recipient of a claim said where to send the money. Its transfer was made, and may wait for approval.',
  'claim.expired': 'A claim expired. Its money is available again.',
  'claim.cancelled':
    'A claim was cancelled, or its transfer was rejected. Its money is available again.',
  'claim.reopened':
    'The transfer of a claim failed. The money is set aside again, and the recipient can claim it again.',
  'case.opened': 'A case was opened.',
  'case.overdue': 'The deadline of an open case has passed.',
  'case.closed': 'A case was closed, with its outcome.',
  'case.reopened': 'A closed case was opened again. It has no outcome any more.',
  'batch.completed': 'Every item of a payout batch has ended: paid, or failed.',
  'settlement.pending': 'A settlement waits for your callback or for members.',
  'settlement.created':
    'A settlement was made: available naira is on its way to your primary bank account.',
  'settlement.paid': 'A settlement arrived at your bank account.',
  'settlement.failed':
    'A settlement failed. Amount, fee and levy are available again; the next settlement includes them.',
  'settlement.reversed':
    'The bank returned a settlement that had arrived. Amount, fee and levy are available again.',
  'subaccount_settlement.pending':
    'A settlement of a sub-account waits for your callback or for members.',
  'subaccount_settlement.created':
    'A settlement of a sub-account was made: its naira are on their way to its bank account.',
  'subaccount_settlement.paid': 'A settlement of a sub-account arrived at its bank account.',
  'subaccount_settlement.failed':
    'A settlement of a sub-account failed. Amount, fee and levy are available to it again; its next settlement includes them.',
  'subaccount_settlement.reversed':
    'The bank returned a settlement of a sub-account that had arrived. Amount, fee and levy are available to it again.',
  'settlement_destination.changed':
    'Settlements go to another bank account or wallet from now on, or after the waiting time. If none of you changed it, remove it and ask the operator.',
  'customer.created': 'A customer was created.',
  'customer.credited': 'A customer has more credit than before.',
  'invoice.finalized': 'An invoice got its number and is due.',
  'invoice.sent': 'An invoice was mailed to its customer.',
  'invoice.overdue': 'An instalment of an invoice, or all of it, was not paid when it was due.',
  'invoice.credited': 'You gave up a part of an invoice.',
  'invoice.partially_paid': 'A part of an invoice was paid.',
  'invoice.paid': 'Nothing of an invoice is due any more.',
  'invoice.payment_moved':
    'Money that paid an invoice pays another one, or is credit. It is due again.',
  'invoice.refunded': 'Money that paid an invoice is on its way back. It is not due again.',
  'invoice.refund_failed': 'A refund failed or came back: the invoice is paid as before it.',
  'invoice.voided': 'An invoice that was not paid was voided.',
  'subaccount.created': 'A sub-account was created.',
  'subaccount.receivable':
    'A refund took back more than a sub-account had. It owes you the rest; its next credits pay it.',
  'split.posted': 'A payment was split: sub-accounts got their shares.',
  'split.released': 'A share that was pending was credited to its sub-account.',
  'subaccount.closed': 'A sub-account was closed. It is empty, for good.',
  'subaccount.closing_failed':
    'A sub-account could not be closed, because its last payout failed or money came that is not its own yet. It stays paused.',
  'balance.low': 'An available balance fell below its threshold.',
  'webhook_endpoint.disabled':
    'A webhook endpoint was disabled because it answered 410, or because every delivery failed for five days.',
  'webhook_endpoint.test': 'You requested a test event.',
} as const

export type EventType = keyof typeof catalogue

export const eventTypes = Object.keys(catalogue) as EventType[]
