import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes } from '../base/ids.js'
import { type JsonText, withField } from '../base/json-text.js'
import {
  anyAmount,
  anyAsset,
  metadata,
  notYet,
  reference,
  resource,
  text,
  timestamp,
  withExample,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import { assetNames } from '../money/assets.js'
import { customerReference, type ShownCustomer } from './customer.js'

export const customer = resource('Customer', {
  reference: reference(prefixes.customer, 'Identifies the customer.'),
  externalReference: notYet(
    text('customer-77'),
    'Your own name for the customer, unique among your customers.',
  ),
  name: text('Ada Obi', 'Name of the customer.'),
  email: notYet(text('ada@example.com'), 'Where invoices and receipts are sent.'),
  phone: notYet(text('+2348012345678'), 'Phone number.'),
  credit: Type.Array(Type.Object({ asset: anyAsset, amount: withExample(anyAmount, 0) }), {
    description: 'What the customer paid beyond what was due, per asset. You have the money.',
  }),
  metadata,
  createdAt: timestamp('When the customer was created.'),
  erasedAt: notYet(timestamp('When the personal data of the customer was erased.')),
})

export function showCustomer(shown: ShownCustomer): JsonText {
  const fields: Omit<Static<typeof customer>, 'metadata'> = {
    reference: customerReference(shown),
    externalReference: shown.externalReference,
    name: shown.name,
    email: shown.email,
    phone: shown.phone,
    credit: assetNames.map((asset) => ({ asset, amount: toWire(shown.credit[asset], asset) })),
    createdAt: toIsoText(shown.createdAt),
    erasedAt: shown.erasedAt && toIsoText(shown.erasedAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
