import { createHash } from 'node:crypto'
import { passOverAbsent } from './connect.mjs'
import { shelf } from './pages.mjs'

/** @import { CheckoutSession, Manilla } from 'manilla' */
/** @import { Order, Orders } from './orders.mjs' */

/**
 * The order that a form asks for, at our price, never at the form's. Its id comes from all that was
 * sent, with the token that every form has: sent twice it is one order, and changed it is another.
 * @returns {Order | undefined}
 */
export function readOrder(form, origin) {
  const said = ['token', 'good', 'name', 'email'].map((field) => form.get(field)?.trim() ?? '')
  const [token = '', code, name = '', email = ''] = said
  const good = shelf.find((one) => one.code === code)
  // What Manilla would refuse, too, is refused before it is an order.
  const isName = /^[^\p{Cc}\p{Cf}]{1,100}$/u.test(name)
  const isEmail = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(email) && email.length < 255
  if (!good || !isName || !isEmail || !/^[0-9a-f-]{36}$/.test(token)) return undefined
  const id = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32)
  const back = `${origin}/orders/${id}`
  const price = { amount: good.price, currency: /** @type {const} */ ('NGN') }
  const words = { description: good.name, customer: { name, email }, merchantReference: id }
  const request = { ...price, ...words, successUrl: back, cancelUrl: back }
  return { id, status: 'waiting', request }
}

/**
 * What a shop does with Manilla: it sells, hears, ships, and catches up after having been away.
 * @param {{ manilla: Manilla, orders: Orders, secret: string }} with
 */
export function openShop({ manilla, orders, secret }) {
  /** Gives the order with the address where its customer pays. */
  async function sell(/** @type {Order} */ wanted) {
    // On disk before anybody is asked, with every word of the request: after a crash or a second
    // click the same request goes out with the same key, and Manilla gives the same session.
    const { after: order } = await orders.change(wanted.id, (known) => known ?? wanted)
    if (order.session) return order
    const idempotencyKey = `session-of-${order.id}`
    const session = await manilla.checkout.sessions.create(order.request, { idempotencyKey })
    const { reference, url } = session
    const sold = await orders.change(order.id, (now) => ({ ...now, session: { reference, url } }))
    return sold.after
  }

  /** When this returns, what was said is on disk: only then may the answer be 2xx. */
  async function hear(body, headers) {
    const event = await manilla.webhooks.verify(body, headers, secret)
    switch (event.type) {
      case 'checkout.session.paid':
      case 'checkout.session.expired':
      case 'checkout.session.cancelled':
        await record(event.data)
    }
    // Other types get their 2xx too: they arrived, and are not for us.
  }

  /** The order's own state remembers what was heard: the same event may come five times at once. */
  async function record(/** @type {CheckoutSession} */ session) {
    const id = session.merchantReference ?? ''
    // Another program of the same merchant may sell, too.
    if (!orders.find(id)) return
    const { after } = await orders.change(id, (order) => judge(order, session))
    // Not waited for: Manilla wants its answer soon, and a parcel may take its time.
    if (after.status === 'paid') ship(id).catch(console.error)
  }

  async function ship(id) {
    // A real shop calls its courier here, with the order's id as the key: after a crash before the
    // next line it calls again, and still one parcel leaves.
    const { before, after } = await orders.change(id, (order) =>
      order.status === 'paid' ? { ...order, status: 'shipped' } : order,
    )
    if (after !== before) console.log(`Shipped ${after.request.description}, order ${id}`)
  }

  /** Webhooks are tried for days. Asking is sooner, and finds what was given up as well. */
  async function catchUp() {
    for (const { id, status, session } of orders.list()) {
      if (status === 'paid') await ship(id)
      // Where there is no session, nobody had an address to pay at. One that has expired may be
      // paid all the same: a bank can be slow to tell. A real shop stops asking after some days.
      if ((status !== 'waiting' && status !== 'expired') || !session) continue
      const { sessions } = manilla.checkout
      const found = await sessions.get(session.reference).catch(passOverAbsent)
      if (found) await record(found)
    }
  }

  return { sell, hear, catchUp }
}

/**
 * What an order becomes by what is known of its session; itself where nothing changes. Paid is
 * final, and may come after expired, when a bank was slow to tell.
 * @returns {Order}
 */
function judge(/** @type {Order} */ order, /** @type {CheckoutSession} */ session) {
  const { reference, amount, currency, status } = session
  const { request } = order
  const isOurs = (order.session?.reference ?? reference) === reference
  if (!isOurs || amount !== request.amount || currency !== request.currency) {
    console.error(`Session ${reference} is not what order ${order.id} asked for: look into it`)
    return order
  }
  if (status === 'pending' || order.status === 'paid' || order.status === 'shipped') return order
  return { ...order, status }
}
