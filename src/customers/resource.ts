import type { Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes } from '../base/ids.js'
import { type JsonText, withField } from '../base/json-text.js'
import { metadata, notYet, reference, resource, text, timestamp } from '../base/shapes.js'
import { type Customer, customerReference } from './customer.js'

export const customer = resource('Customer', {
  reference: reference(prefixes.customer, 'Identifies the customer.'),
  externalReference: notYet(
    text('customer-77'),
    'Your own name for the customer, unique among your customers.',
  ),
  name: text('Ada Obi', 'Name of the customer.'),
  email: notYet(text('ada@example.com'), 'Where invoices and receipts are sent.'),
  phone: notYet(text('+2348012345678'), 'Phone number.'),
  metadata,
  createdAt: timestamp('When the customer was created.'),
  erasedAt: notYet(timestamp('When the personal data of the customer was erased.')),
})

export function showCustomer(shown: Customer): JsonText {
  const fields: Omit<Static<typeof customer>, 'metadata'> = {
    reference: customerReference(shown),
    externalReference: shown.externalReference,
    name: shown.name,
    email: shown.email,
    phone: shown.phone,
    createdAt: toIsoText(shown.createdAt),
    erasedAt: shown.erasedAt && toIsoText(shown.erasedAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
