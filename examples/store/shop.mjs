import { createHash } from 'node:crypto'
import { passOverAbsent } from './connect.mjs'
import { invoice } from './invoices.mjs'
import { shelf } from './pages.mjs'

/** @import { CheckoutSession, Invoice, Manilla } from 'manilla' */
/** @import { Order, Orders } from './orders.mjs' */

/**
 * The order of a form, at our price, never at the form's. Its id is derived from the form's fields
 * and token: the same form twice is one order, a changed one is another.
 * @returns {Order | undefined}
 */
export function readOrder(form, origin) {
  const fields = ['token', 'good', 'name', 'email', 'terms']
  const said = fields.map((field) => form.get(field)?.trim() ?? '')
  const [token = '', code, name = '', email = '', terms] = said
  const good = shelf.find((one) => one.code === code)
  // Refuse what Manilla would refuse before it becomes an order.
  const isName = /^[^\p{Cc}\p{Cf}]{1,100}$/u.test(name)
  const isEmail = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(email) && email.length < 255
  if (!good || !isName || !isEmail || !/^[0-9a-f-]{36}$/.test(token)) return undefined
  const id = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32)
  const back = `${origin}/orders/${id}`
  const price = { amount: good.price, currency: /** @type {const} */ ('NGN') }
  const words = { description: good.name, customer: { name, email }, merchantReference: id }
  const request = { ...price, ...words, successUrl: back, cancelUrl: back }
  return { id, status: 'waiting', request, isInvoiced: terms === 'invoice' }
}

/**
 * What a shop does with Manilla: sell, receive webhooks, ship, and catch up after downtime.
 * @param {{ manilla: Manilla, orders: Orders, secret: string }} with
 */
export function openShop({ manilla, orders, secret }) {
  /** Returns the order with the URL where its customer pays. */
  async function sell(/** @type {Order} */ wanted) {
    // Save the whole request first: after a crash or a second click, the same request is sent with
    // the same idempotency key, and Manilla returns the same session.
    const { after: order } = await orders.change(wanted.id, (known) => known ?? wanted)
    if (order.session || order.invoice) return order
    if (order.isInvoiced) {
      const made = await invoice(manilla, order)
      return (await orders.change(order.id, (now) => ({ ...now, invoice: made }))).after
    }
    const idempotencyKey = `session-of-${order.id}`
    const session = await manilla.checkout.sessions.create(order.request, { idempotencyKey })
    const { reference, url } = session
    const sold = await orders.change(order.id, (now) => ({ ...now, session: { reference, url } }))
    return sold.after
  }

  /** Returns when the change is on disk; only then may the answer be 2xx. */
  async function hear(body, headers) {
    const event = await manilla.webhooks.verify(body, headers, secret)
    switch (event.type) {
      case 'checkout.session.paid':
      case 'checkout.session.expired':
      case 'checkout.session.cancelled':
        return record(event.data)
      case 'invoice.paid':
        return recordInvoice(event.data)
    }
    // Other event types get 2xx too: they arrived and need no action.
  }

  /** The order's state makes this idempotent: the same event may arrive five times at once. */
  async function record(/** @type {CheckoutSession} */ session) {
    const id = session.merchantReference ?? ''
    // The session may belong to another program of the same merchant.
    if (!orders.find(id)) return
    await settle(id, (order) => judge(order, session))
  }

  async function recordInvoice(/** @type {Invoice} */ paid) {
    const id = String(paid.metadata.order ?? '')
    if (!orders.find(id)) return
    await settle(id, (order) => judgeInvoice(order, paid))
  }

  async function settle(/** @type {string} */ id, /** @type {(order: Order) => Order} */ decide) {
    const { after } = await orders.change(id, decide)
    // Not awaited: Manilla expects a quick answer, and shipping may take time.
    if (after.status === 'paid') ship(id).catch(console.error)
  }

  async function ship(id) {
    // A real shop calls its courier here with the order's id as idempotency key: after a crash
    // before the next line it calls again, and still one parcel leaves.
    const { before, after } = await orders.change(id, (order) =>
      order.status === 'paid' ? { ...order, status: 'shipped' } : order,
    )
    if (after !== before) console.log(`Shipped ${after.request.description}, order ${id}`)
  }

  /** Webhooks are retried for days; polling is faster and also finds what was given up. */
  async function catchUp() {
    for (const { id, status, session, invoice: sent } of orders.list()) {
      if (status === 'paid') await ship(id)
      if (status === 'waiting' && sent) {
        const found = await manilla.invoices.get(sent.reference).catch(passOverAbsent)
        if (found) await recordInvoice(found)
      }
      // Without a session there is no URL to pay at. An expired session may still turn paid: bank
      // notices can be slow. A real shop stops polling after some days.
      if ((status !== 'waiting' && status !== 'expired') || !session) continue
      const { sessions } = manilla.checkout
      const found = await sessions.get(session.reference).catch(passOverAbsent)
      if (found) await record(found)
    }
  }

  return { sell, hear, catchUp }
}

/**
 * The order after the current state of its session; unchanged if nothing new. Paid is final, and
 * may follow expired when a bank's notice is slow.
 * @returns {Order}
 */
function judge(/** @type {Order} */ order, /** @type {CheckoutSession} */ session) {
  const { reference, amount, currency, status } = session
  const { request } = order
  const isOurs = (order.session?.reference ?? reference) === reference
  if (!isOurs || amount !== request.amount || currency !== request.currency) {
    console.error(`Session ${reference} does not match order ${order.id}. Check it by hand.`)
    return order
  }
  if (status === 'pending' || order.status === 'paid' || order.status === 'shipped') return order
  return { ...order, status }
}

/**
 * Only an invoice that is paid in full changes its order: parts may arrive over weeks.
 * @returns {Order}
 */
function judgeInvoice(/** @type {Order} */ order, /** @type {Invoice} */ paid) {
  const isOurs = (order.invoice?.reference ?? paid.reference) === paid.reference
  if (!isOurs || paid.total !== order.request.amount || paid.asset !== 'NGN') {
    console.error(`Invoice ${paid.number} does not match order ${order.id}. Check it by hand.`)
    return order
  }
  return order.status === 'waiting' && paid.status === 'PAID' ? { ...order, status: 'paid' } : order
}
