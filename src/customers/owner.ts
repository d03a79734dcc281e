import Type from 'typebox'
import { prefixes, toReference } from '../base/ids.js'
import { reference } from '../base/shapes.js'

const leftOut = { 'x-left-out': true }

/** Whose money it is. Most accounts and payments belong to no customer, and show neither. */
export const ownerProperties = {
  customerReference: Type.Optional(
    Object.assign(
      reference(prefixes.customer, 'The customer that it belongs to. Left out if to none.'),
      leftOut,
    ),
  ),
  invoiceReference: Type.Optional(
    Object.assign(
      reference(prefixes.invoice, 'The invoice that it was opened for. Left out if for none.'),
      leftOut,
    ),
  ),
}

export type Owned = { customerId: string | null; invoiceId: string | null }

export function showOwner({ customerId, invoiceId }: Owned) {
  return {
    customerReference: customerId === null ? undefined : toReference(prefixes.customer, customerId),
    invoiceReference: invoiceId === null ? undefined : toReference(prefixes.invoice, invoiceId),
  }
}
