import Type, { type TProperties, type TSchema } from 'typebox'
import { caseSchema } from '../../cases/resource.js'
import {
  creditedAccount,
  creditedWallet,
  cryptoWallet,
  dedicatedAccount,
  dedicatedCryptoWallet,
  rejectingDedicatedAccount,
  rejectingVirtualAccount,
  virtualAccount,
} from '../../collections/accounts/resource.js'
import { payment } from '../../collections/payments/resource.js'
import { checkoutSession } from '../../collections/sessions/resource.js'
import { conversion } from '../../conversions/resource.js'
import { invoice } from '../../customers/invoices/resource.js'
import { customer } from '../../customers/resource.js'
import type { EventType } from '../../events/catalogue.js'
import { type EventKind, kindOf } from '../../events/filter.js'
import { eventSchema } from '../../events/resource.js'
import { lowBalance } from '../../ledger/balance-resource.js'
import { payoutBatch } from '../../payouts/batches/resource.js'
import { claim } from '../../payouts/claims/resource.js'
import { recipient } from '../../payouts/recipients/resource.js'
import { bankTransfer, cryptoTransfer } from '../../payouts/resource.js'
import { settlementDestination } from '../../payouts/settlements/destination-resource.js'
import { settlement } from '../../payouts/settlements/resource.js'
import { subaccount } from '../../subaccounts/resource.js'
import { postedSplit, share } from '../../subaccounts/shares/resource.js'
import { webhookEndpoint } from '../../webhooks/endpoints/resource.js'

type Resource = TSchema & { title: string; properties: TProperties }

const resourceOfKind: Record<EventKind, Resource> = {
  virtual_account: virtualAccount,
  dedicated_account: dedicatedAccount,
  checkout_session: checkoutSession,
  crypto_wallet: cryptoWallet,
  dedicated_crypto_wallet: dedicatedCryptoWallet,
  payment,
  crypto_transfer: cryptoTransfer,
  bank_transfer: bankTransfer,
  conversion,
  customer,
  invoice,
  subaccount,
  split: postedSplit,
  batch: payoutBatch,
  recipient,
  case: caseSchema,
  claim,
  settlement,
  subaccount_settlement: settlement,
  settlement_destination: settlementDestination,
  balance: lowBalance,
  webhook_endpoint: webhookEndpoint,
}

/** Events that carry something else, or the payment behind them as well. */
const resourceOfType: Partial<Record<EventType, Resource>> = {
  'virtual_account.payment_rejected': rejectingVirtualAccount,
  'dedicated_account.credited': creditedAccount,
  'dedicated_account.payment_rejected': rejectingDedicatedAccount,
  'dedicated_crypto_wallet.credited': creditedWallet,
  'split.released': share,
}

/** Schema of the resource that an event carries. */
export function dataSchema(type: EventType): Resource {
  return resourceOfType[type] ?? resourceOfKind[kindOf(type)]
}

/** Schema of the webhook body. */
export function bodySchema(type: EventType) {
  return eventSchema(Type.Literal(type, { examples: [type] }), dataSchema(type))
}
