import Type, { type TSchema } from 'typebox'
import { lowBalance } from '../resources/balance.js'
import { checkoutSession } from '../resources/checkout-session.js'
import {
  creditedAccount,
  creditedWallet,
  cryptoWallet,
  dedicatedAccount,
  dedicatedCryptoWallet,
  virtualAccount,
} from '../resources/collection-account.js'
import { eventSchema } from '../resources/event.js'
import { payment } from '../resources/payment.js'
import { bankTransfer, cryptoTransfer } from '../resources/payout.js'
import { webhookEndpoint } from '../resources/webhook-endpoint.js'

type Entry = { when: string; data: TSchema }

/**
 * Everything a merchant can be told: when, and what comes with it. It types what may be emitted and
 * writes the document's `webhooks` and docs/reference/events.md.
 */
export const catalogue = {
  'virtual_account.paid': {
    when: 'A virtual account was paid; also beside `overpaid`.',
    data: virtualAccount,
  },
  'virtual_account.underpaid': { when: 'A payment was too small.', data: virtualAccount },
  'virtual_account.overpaid': { when: 'A payment was too large.', data: virtualAccount },
  'virtual_account.late_payment': {
    when: 'A payment came after expiry or cancellation.',
    data: virtualAccount,
  },
  'virtual_account.duplicate_payment': {
    when: 'A payment came to an account that was paid before.',
    data: virtualAccount,
  },
  'virtual_account.expired': { when: 'Nobody paid in time.', data: virtualAccount },
  'virtual_account.cancelled': { when: 'You cancelled it.', data: virtualAccount },
  'dedicated_account.created': { when: 'A dedicated account was opened.', data: dedicatedAccount },
  'dedicated_account.credited': {
    when: 'A payment came to a dedicated account.',
    data: creditedAccount,
  },
  'dedicated_account.deactivated': { when: 'You deactivated it.', data: dedicatedAccount },
  'checkout.session.paid': { when: 'A checkout session was paid.', data: checkoutSession },
  'checkout.session.expired': { when: 'Nobody paid in time.', data: checkoutSession },
  'checkout.session.cancelled': { when: 'It was cancelled.', data: checkoutSession },
  'crypto_wallet.paid': {
    when: 'A wallet was paid and the payment is final.',
    data: cryptoWallet,
  },
  'crypto_wallet.underpaid': { when: 'A deposit was too small.', data: cryptoWallet },
  'crypto_wallet.overpaid': { when: 'A deposit was too large.', data: cryptoWallet },
  'crypto_wallet.late_payment': {
    when: 'A deposit came after expiry or cancellation.',
    data: cryptoWallet,
  },
  'crypto_wallet.duplicate_payment': {
    when: 'A deposit came to a wallet that was paid before.',
    data: cryptoWallet,
  },
  'crypto_wallet.expired': { when: 'Nobody paid in time.', data: cryptoWallet },
  'crypto_wallet.cancelled': { when: 'You cancelled it.', data: cryptoWallet },
  'dedicated_crypto_wallet.created': {
    when: 'A dedicated wallet was made.',
    data: dedicatedCryptoWallet,
  },
  'dedicated_crypto_wallet.credited': {
    when: 'A deposit came to a dedicated wallet and is final.',
    data: creditedWallet,
  },
  'payment.held': { when: 'Money waits for your decision.', data: payment },
  'payment.returning': { when: 'Money is on its way back to the sender.', data: payment },
  'payment.returned': { when: 'Money arrived back at the sender.', data: payment },
  'payment.refunded': { when: 'A refund arrived at the payer.', data: payment },
  'payment.refund_failed': {
    when: 'A refund did not arrive, or was sent back; the money is yours again.',
    data: payment,
  },
  'crypto_transfer.submitted': { when: 'A crypto transfer was accepted.', data: cryptoTransfer },
  'crypto_transfer.confirmed': { when: 'It is final on the chain.', data: cryptoTransfer },
  'crypto_transfer.failed': {
    when: 'It failed for certain; the money is available again.',
    data: cryptoTransfer,
  },
  'bank_transfer.submitted': { when: 'A bank transfer was accepted.', data: bankTransfer },
  'bank_transfer.completed': { when: 'The bank says that it arrived.', data: bankTransfer },
  'bank_transfer.failed': {
    when: 'It failed for certain; the money is available again.',
    data: bankTransfer,
  },
  'bank_transfer.reversed': {
    when: 'The bank sent it back after completion; amount and fee are available again.',
    data: bankTransfer,
  },
  'balance.low': { when: 'An available balance fell below its threshold.', data: lowBalance },
  'webhook_endpoint.disabled': {
    when: 'An endpoint answered 410, or only failed for five days.',
    data: webhookEndpoint,
  },
  'webhook_endpoint.test': { when: 'You asked for a test.', data: webhookEndpoint },
} as const satisfies Record<string, Entry>

export type EventType = keyof typeof catalogue

export const eventTypes = Object.keys(catalogue) as EventType[]

/** The body of a webhook of this type. */
export function bodySchema(type: EventType) {
  return eventSchema(Type.Literal(type, { examples: [type] }), catalogue[type].data)
}
