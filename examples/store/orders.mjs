import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {'waiting' | 'paid' | 'shipped' | 'expired' | 'cancelled'} status
 * @property {import('manilla').CreateCheckoutSessionInput} request  Sent to Manilla unchanged.
 * @property {{ reference: string, url: string }} [session]  The session that Manilla created.
 * @property {boolean} [isInvoiced]  Whether the customer asked for an invoice.
 * @property {{ reference: string, url: string }} [invoice]  The invoice that Manilla created.
 * @typedef {ReturnType<typeof openOrders>} Orders
 */

/**
 * The orders, in one file. A real shop uses its database: a table, and for `change` a transaction
 * that locks the row.
 */
export function openOrders(file) {
  /** @type {Map<string, Order>} */
  const orders = new Map(Object.entries(readJson(file) ?? {}))
  let queue = /** @type {Promise<unknown>} */ (Promise.resolve())

  /** Serialized, and on disk before the caller continues. */
  function change(id, /** @type {(order: Order) => Order} */ decide) {
    const changing = queue.then(async () => {
      const before = /** @type {Order} */ (orders.get(id))
      const after = decide(before)
      if (after !== before) await writeJson(file, { ...Object.fromEntries(orders), [id]: after })
      orders.set(id, after)
      return { before, after }
    })
    // A failed change has been reported to its caller and must not block the next one.
    queue = changing.catch(() => {})
    return changing
  }

  return { find: (id) => orders.get(id), list: () => [...orders.values()], change }
}

export function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Writes atomically, readable by the owner only. */
export async function writeJson(file, content) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.new`
  await writeFile(fresh, JSON.stringify(content, null, 2), { mode: 0o600, flush: true })
  await rename(fresh, file)
}
