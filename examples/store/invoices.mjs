import { ValidationError } from 'manilla'

/** @import { Customer, Manilla } from 'manilla' */
/** @import { Order } from './orders.mjs' */

/**
 * Invoices an order: its customer pays by transfer within two weeks, in parts if they like. Every
 * step may be repeated after a crash: the same keys lead to the same invoice.
 * @param {Manilla} manilla
 * @param {Order} order
 */
export async function invoice(manilla, { id, request }) {
  const { description, amount, customer } = request
  const { reference: to } = await findCustomer(manilla, customer)
  const lines = [{ description, quantity: '1', unitAmount: amount }]
  const metadata = { order: id }
  const draft = await manilla.invoices.create(
    { customer: to, lines, metadata },
    { idempotencyKey: `invoice-of-${id}` },
  )
  const { reference, url } = await manilla.invoices.finalize(draft.reference)
  return { reference, url: /** @type {string} */ (url) }
}

/**
 * The customer with this e-mail address, who may have bought before.
 * @param {Manilla} manilla
 * @returns {Promise<Customer>}
 */
async function findCustomer(manilla, { name, email }) {
  const { customers } = manilla
  const externalReference = email.toLowerCase()
  for await (const customer of customers.list({ q: externalReference }))
    if (customer.externalReference === externalReference) return customer
  try {
    return await customers.create({ name, email, externalReference })
  } catch (error) {
    // Another order of the same person was faster.
    const isKnown = error instanceof ValidationError && error.reason === 'duplicate_reference'
    if (!isKnown) throw error
    return findCustomer(manilla, { name, email })
  }
}
