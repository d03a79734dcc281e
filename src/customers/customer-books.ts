import { strict as assert } from 'node:assert'
import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { EventType } from '../events/catalogue.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import type { Asset } from '../money/assets.js'
import { listStatement } from '../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../postgres/transactions/busy.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { type CreditEntry, findCredit, insertCreditEntries } from './credit/customer-credit.js'
import { type Customer, customers, type ShownCustomer } from './customer.js'
import { allocateToOldest, allocateToOne } from './invoices/allocate.js'
import type { Invoice, InvoiceAllocation } from './invoices/invoice.js'
import { showInvoice } from './invoices/resource.js'
import { settle, toPayable } from './invoices/settle.js'
import {
  findPayableInvoices,
  insertAllocations,
  updateInvoices,
} from './invoices/store-invoices.js'
import { showCustomer } from './resource.js'

export type CustomerKey = { environmentId: EnvironmentId; id: string }

/** Accepted money of a payment, and through whose account it came. */
export type AcceptedMoney = {
  paymentId: string
  customerId: string
  /** Set if the account was opened for one invoice. */
  invoiceId: string | null
  asset: Asset
  amount: bigint
  /** In the time of the environment. */
  now: Date
}

/**
 * Customers that one transaction has locked, with their credit and the invoices that are due. The
 * row of a customer protects all of these. Changes are decided here, and written at the end.
 */
export class CustomerBooks {
  readonly #tx: Tx
  readonly #customers: Map<string, ShownCustomer>
  readonly #lastEntries: Map<string, bigint>
  readonly #invoices: Map<string, Invoice>
  readonly #changed = new Set<string>()
  readonly #allocations: InvoiceAllocation[] = []
  readonly #entries: CreditEntry[] = []
  readonly #events: NewEvent[] = []

  private constructor(tx: Tx, read: ReadBooks) {
    this.#tx = tx
    this.#customers = read.customers
    this.#lastEntries = read.lastEntries
    this.#invoices = read.invoices
  }

  /** Throws `Busy` if the transaction may not wait and another one has locked a customer. */
  static async open(tx: Tx, keys: CustomerKey[]): Promise<CustomerBooks> {
    return new CustomerBooks(tx, await readBooks(tx, keys))
  }

  customer(id: string): ShownCustomer {
    return this.#customers.get(id)!
  }

  /** Pays invoices with it; what none needs becomes credit. */
  receive(money: AcceptedMoney): void {
    const { paymentId, customerId, asset, amount, now } = money
    const customer = this.customer(customerId)
    const payable = [...this.#invoices.values()].filter(
      (invoice) => invoice.customerId === customerId && isPayable(invoice, asset),
    )
    const { allocations, credit } =
      money.invoiceId === null
        ? allocateToOldest(amount, payable.map(toPayable))
        : allocateToOne(
            amount,
            payable.filter(({ id }) => id === money.invoiceId).map(toPayable)[0],
          )
    for (const { invoiceId, amount: paid } of allocations) {
      const before = this.#invoices.get(invoiceId)!
      const after = settle(now, {
        ...before,
        amountDue: before.amountDue - paid,
        amountPaid: before.amountPaid + paid,
      })
      const type = after.status === 'PAID' ? 'invoice.paid' : 'invoice.partially_paid'
      const { environmentId } = customer
      const id = newId(now)
      const createdAt = now
      this.#allocations.push({ environmentId, id, invoiceId, paymentId, amount: paid, createdAt })
      // A payment may pay several invoices: the cause of each event is its allocation.
      this.changeInvoice(now, after, { types: [type], causeId: id })
    }
    if (credit > 0n)
      this.addCredit(now, customerId, {
        kind: 'payment',
        asset,
        amount: credit,
        causeId: paymentId,
      })
  }

  /** `types`: what happened to the invoice, in this order. */
  changeInvoice(
    now: Date,
    after: Invoice,
    { types, causeId }: { types: EventType[]; causeId: string },
  ): Invoice {
    const { environmentId, id: resourceId } = after
    const changed = { ...after, eventSequence: after.eventSequence + types.length }
    this.#invoices.set(changed.id, changed)
    this.#changed.add(changed.id)
    const data = showInvoice(changed, now)
    for (const [index, type] of types.entries()) {
      const sequence = after.eventSequence + 1 + index
      this.#events.push({ environmentId, type, resourceId, causeId, sequence, data })
    }
    return changed
  }

  addCredit(
    now: Date,
    customerId: string,
    change: Pick<CreditEntry, 'kind' | 'asset' | 'amount' | 'causeId'>,
  ): void {
    const before = this.customer(customerId)
    const { asset, amount, causeId } = change
    assert(amount > 0n, 'credit is added')
    const balanceAfter = before.credit[asset] + amount
    const sequence = before.eventSequence + 1
    const after = {
      ...before,
      credit: { ...before.credit, [asset]: balanceAfter },
      eventSequence: sequence,
    }
    this.#customers.set(customerId, after)
    const place = `${customerId} ${asset}`
    const number = (this.#lastEntries.get(place) ?? 0n) + 1n
    this.#lastEntries.set(place, number)
    const { environmentId } = before
    this.#entries.push({
      environmentId,
      customerId,
      number,
      balanceAfter,
      createdAt: now,
      ...change,
    })
    const type = 'customer.credited'
    const data = showCustomer(after)
    this.#events.push({ environmentId, type, resourceId: customerId, causeId, sequence, data })
  }

  write(now: RealTime): void {
    const tx = this.#tx
    updateInvoices(
      tx,
      [...this.#changed].map((id) => this.#invoices.get(id)!),
    )
    insertAllocations(tx, this.#allocations)
    insertCreditEntries(tx, this.#entries)
    const credited = new Set(this.#entries.map(({ customerId }) => customerId))
    if (credited.size > 0)
      tx.write(countEvents([...credited].map((id) => this.#customers.get(id)!)))
    emitAll(tx, now, this.#events)
  }
}

function isPayable({ status, asset }: Invoice, paid: Asset): boolean {
  return asset === paid && (status === 'OPEN' || status === 'PARTIALLY_PAID')
}

type ReadBooks = {
  customers: Map<string, ShownCustomer>
  /** Number of the last credit entry, by customer and asset. */
  lastEntries: Map<string, bigint>
  invoices: Map<string, Invoice>
}

const key = { environmentId: 'int4', id: 'uuid' } as const

const lockText = (list: string) => `
    select ${customers.of('c')} from customers c
    join ${list} on c.environment_id = list.environment_id and c.id = list.id
    order by c.environment_id, c.id for no key update of c`

/** Always in the same order, so that two batches never deadlock. */
const lock = listStatement<typeof key, Customer>({
  name: 'lock_customers',
  columns: key,
  text: lockText,
})

const lockUnheld = listStatement<typeof key, Customer>({
  name: 'lock_unheld_customers',
  columns: key,
  text: (list) => `${lockText(list)} skip locked`,
})

const countEvents = listStatement({
  name: 'count_events_of_customers',
  columns: { ...key, eventSequence: 'int4' },
  text: (list) => `
    update customers c set event_sequence = list.event_sequence from ${list}
    where c.environment_id = list.environment_id and c.id = list.id`,
})

async function readBooks(tx: Tx, keys: CustomerKey[]): Promise<ReadBooks> {
  const wanted = [...new Map(keys.map((one) => [one.id, one])).values()]
  const locked = await tx.rows(tx.waitsForLocks ? lock(wanted) : lockUnheld(wanted))
  const got = new Set(locked.map(({ id }) => id))
  throwIfHeld(
    wanted.map((one) => ({ ...one, isHeld: !got.has(one.id) })),
    ({ environmentId }) => environmentKey(environmentId),
  )
  const [credit, payable] = await Promise.all([
    findCredit(tx, locked),
    findPayableInvoices(tx, locked),
  ])
  return {
    customers: new Map(
      locked.map((row) => [row.id, { ...row, credit: credit.balances.get(row.id)! }]),
    ),
    lastEntries: credit.lastEntries,
    invoices: new Map(payable.map((invoice) => [invoice.id, invoice])),
  }
}
