import Type, { type TSchema } from 'typebox'
import { lowBalance } from '../resources/balance.js'
import { checkoutSession } from '../resources/checkout-session.js'
import {
  creditedAccount,
  creditedWallet,
  cryptoWallet,
  dedicatedAccount,
  dedicatedCryptoWallet,
  rejectingDedicatedAccount,
  rejectingVirtualAccount,
  virtualAccount,
} from '../resources/collection-account.js'
import { conversion } from '../resources/conversion.js'
import { eventSchema } from '../resources/event.js'
import { payment } from '../resources/payment.js'
import { bankTransfer, cryptoTransfer } from '../resources/payout.js'
import { payoutBatch } from '../resources/payout-batch.js'
import { settlement } from '../resources/settlement.js'
import { settlementDestination } from '../resources/settlement-destination.js'
import { webhookEndpoint } from '../resources/webhook-endpoint.js'

type Entry = { when: string; data: TSchema }

/**
 * Every event type: when it is sent and which resource it carries. Unlisted types do not compile.
 * The OpenAPI `webhooks` and docs/reference/events.md are generated from this table.
 */
export const catalogue = {
  'virtual_account.paid': {
    when: 'A virtual account was paid. Also sent along with `overpaid`.',
    data: virtualAccount,
  },
  'virtual_account.underpaid': {
    when: 'A payment was smaller than the amount of its virtual account.',
    data: virtualAccount,
  },
  'virtual_account.overpaid': {
    when: 'A payment was larger than the amount of its virtual account.',
    data: virtualAccount,
  },
  'virtual_account.late_payment': {
    when: 'A payment arrived after its virtual account expired or was cancelled.',
    data: virtualAccount,
  },
  'virtual_account.duplicate_payment': {
    when: 'A payment arrived at a virtual account that was already paid.',
    data: virtualAccount,
  },
  'virtual_account.expired': {
    when: 'A virtual account expired unpaid.',
    data: virtualAccount,
  },
  'virtual_account.cancelled': {
    when: 'A virtual account was cancelled: by you, or because its checkout session was paid by another method.',
    data: virtualAccount,
  },
  'virtual_account.payment_rejected': {
    when: 'The bank sent a payment into a virtual account back to the payer by itself. Nothing was credited. Only some live banks do this.',
    data: rejectingVirtualAccount,
  },
  'dedicated_account.created': {
    when: 'A dedicated account was created.',
    data: dedicatedAccount,
  },
  'dedicated_account.credited': {
    when: 'A payment arrived at a dedicated account.',
    data: creditedAccount,
  },
  'dedicated_account.deactivated': {
    when: 'You deactivated a dedicated account.',
    data: dedicatedAccount,
  },
  'dedicated_account.payment_rejected': {
    when: 'The bank sent a payment into a dedicated account back to the payer by itself. Nothing was credited.',
    data: rejectingDedicatedAccount,
  },
  'checkout.session.paid': {
    when: 'A checkout session was paid.',
    data: checkoutSession,
  },
  'checkout.session.expired': {
    when: 'A checkout session expired unpaid.',
    data: checkoutSession,
  },
  'checkout.session.cancelled': {
    when: 'A checkout session was cancelled.',
    data: checkoutSession,
  },
  'crypto_wallet.paid': {
    when: 'A crypto wallet was paid and the deposit is final.',
    data: cryptoWallet,
  },
  'crypto_wallet.underpaid': {
    when: 'A deposit was smaller than the amount of its crypto wallet.',
    data: cryptoWallet,
  },
  'crypto_wallet.overpaid': {
    when: 'A deposit was larger than the amount of its crypto wallet.',
    data: cryptoWallet,
  },
  'crypto_wallet.late_payment': {
    when: 'A deposit arrived after its crypto wallet expired or was cancelled.',
    data: cryptoWallet,
  },
  'crypto_wallet.duplicate_payment': {
    when: 'A deposit arrived at a crypto wallet that was already paid.',
    data: cryptoWallet,
  },
  'crypto_wallet.expired': {
    when: 'A crypto wallet expired unpaid.',
    data: cryptoWallet,
  },
  'crypto_wallet.cancelled': {
    when: 'A crypto wallet was cancelled: by you, or because its checkout session was paid by another method.',
    data: cryptoWallet,
  },
  'dedicated_crypto_wallet.created': {
    when: 'A dedicated crypto wallet was created.',
    data: dedicatedCryptoWallet,
  },
  'dedicated_crypto_wallet.credited': {
    when: 'A deposit to a dedicated crypto wallet is final.',
    data: creditedWallet,
  },
  'payment.held': {
    when: 'Money of a payment is held and waits for your decision.',
    data: payment,
  },
  'payment.returning': {
    when: 'Money of a payment is on its way back to the sender.',
    data: payment,
  },
  'payment.returned': {
    when: 'Money of a payment was returned to the sender.',
    data: payment,
  },
  'payment.refunded': {
    when: 'A refund reached the payer.',
    data: payment,
  },
  'payment.refund_failed': {
    when: 'A refund failed or was sent back. The money is in your balance again.',
    data: payment,
  },
  'crypto_transfer.pending': {
    when: 'A crypto transfer waits for the approval of a second person.',
    data: cryptoTransfer,
  },
  'crypto_transfer.submitted': {
    when: 'A crypto transfer was submitted.',
    data: cryptoTransfer,
  },
  'crypto_transfer.confirmed': {
    when: 'A crypto transfer is final on the chain.',
    data: cryptoTransfer,
  },
  'crypto_transfer.failed': {
    when: 'A crypto transfer failed. Amount and fee are available again.',
    data: cryptoTransfer,
  },
  'bank_transfer.pending': {
    when: 'A bank transfer waits for the approval of a second person.',
    data: bankTransfer,
  },
  'bank_transfer.submitted': {
    when: 'A bank transfer was submitted.',
    data: bankTransfer,
  },
  'bank_transfer.completed': {
    when: 'The bank confirmed that a bank transfer arrived.',
    data: bankTransfer,
  },
  'bank_transfer.failed': {
    when: 'A bank transfer failed. Amount and fee are available again.',
    data: bankTransfer,
  },
  'bank_transfer.reversed': {
    when: 'The bank returned a completed bank transfer. Amount and fee are available again.',
    data: bankTransfer,
  },
  'conversion.completed': {
    when: 'A conversion changed both balances.',
    data: conversion,
  },
  'batch.completed': {
    when: 'Every item of a payout batch has ended: paid, or failed.',
    data: payoutBatch,
  },
  'settlement.created': {
    when: 'A settlement was made: available naira is on its way to your primary bank account.',
    data: settlement,
  },
  'settlement.paid': {
    when: 'A settlement arrived at your bank account.',
    data: settlement,
  },
  'settlement.failed': {
    when: 'A settlement failed. Amount and fee are available again; the next settlement includes them.',
    data: settlement,
  },
  'settlement.reversed': {
    when: 'The bank returned a settlement that had arrived. Amount and fee are available again.',
    data: settlement,
  },
  'settlement_destination.changed': {
    when: 'Settlements go to another bank account or wallet from now on, or after the waiting time. If none of you changed it, remove it and ask the operator.',
    data: settlementDestination,
  },
  'balance.low': {
    when: 'An available balance fell below its threshold.',
    data: lowBalance,
  },
  'webhook_endpoint.disabled': {
    when: 'A webhook endpoint was disabled because it answered 410, or because every delivery failed for five days.',
    data: webhookEndpoint,
  },
  'webhook_endpoint.test': {
    when: 'You requested a test event.',
    data: webhookEndpoint,
  },
} as const satisfies Record<string, Entry>

export type EventType = keyof typeof catalogue

export const eventTypes = Object.keys(catalogue) as EventType[]

/** Schema of the webhook body. */
export function bodySchema(type: EventType) {
  return eventSchema(Type.Literal(type, { examples: [type] }), catalogue[type].data)
}
