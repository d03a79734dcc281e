import { strict as assert } from 'node:assert'
import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { EventType } from '../events/catalogue.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import { smallerOf } from '../money/amounts.js'
import type { Asset, Coin } from '../money/assets.js'
import { listStatement } from '../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../postgres/transactions/busy.js'
import type { Tx } from '../postgres/transactions/tx.js'
import {
  type Allocation,
  type AllocationMove,
  type AllocationRefund,
  findAllocations,
  findAllocationsById,
  findTaken,
  insertAllocations,
  insertMoves,
  insertReallocation,
  insertRefunds,
  markGivenBack,
  type Reallocation,
  type UsedAllocation,
} from './allocations.js'
import {
  type CreditEntry,
  type CreditUse,
  findCredit,
  findCreditUses,
  insertCreditEntries,
} from './credit/customer-credit.js'
import { type Customer, customers, type ShownCustomer } from './customer.js'
import {
  allocateCoins,
  allocateToOldest,
  allocateToOne,
  type CoinQuote,
  type PaidCoins,
  shareOfRefund,
} from './invoices/allocate.js'
import type { ChangedInvoice } from './invoices/deadlines.js'
import type { Invoice } from './invoices/invoice.js'
import { showInvoice } from './invoices/resource.js'
import { settle, toPayable } from './invoices/settle.js'
import { findInvoices, findPayableInvoices, updateInvoices } from './invoices/store-invoices.js'
import type { Reallocation as PlannedReallocation, Room } from './plan-reallocation.js'
import { showCustomer } from './resource.js'

export type CustomerKey = { environmentId: EnvironmentId; id: string }

/** Accepted money of a payment, and through whose account it came. */
export type AcceptedMoney = {
  paymentId: string
  customerId: string
  /** Set if the account was opened for one invoice. */
  invoiceId: string | null
  /** The price at which coins pay the invoice, if that is in naira; see `quoteCoins`. */
  quoteId: string | null
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
  readonly #quotes = new Map<string, CoinQuote>()
  readonly #changed = new Set<string>()
  readonly #allocations: Allocation[] = []
  readonly #taken: AllocationRefund[] = []
  readonly #givenBack: AllocationRefund[] = []
  readonly #reallocations: Reallocation[] = []
  readonly #moves: AllocationMove[] = []
  readonly #entries: CreditEntry[] = []
  readonly #events: NewEvent[] = []

  private constructor(tx: Tx, read: ReadBooks) {
    this.#tx = tx
    this.#customers = read.customers
    this.#lastEntries = read.lastEntries
    this.#invoices = read.invoices
  }

  /** Throws `Busy` if it may not wait and another transaction has locked a customer. */
  static async open(
    tx: Tx,
    keys: CustomerKey[],
    { waits = tx.waitsForLocks } = {},
  ): Promise<CustomerBooks> {
    return new CustomerBooks(tx, await readBooks(tx, keys, waits))
  }

  customer(id: string): ShownCustomer {
    return this.#customers.get(id)!
  }

  /** Undefined: nothing is due of it. */
  findPayable(id: string): Invoice | undefined {
    const invoice = this.#invoices.get(id)
    return invoice && isPayable(invoice, invoice.asset) ? invoice : undefined
  }

  /** Prices of sessions by an id, for `receive`. What was paid of them was read under the lock. */
  quoteCoins(quotes: Map<string, CoinQuote>): void {
    for (const [id, quote] of quotes) this.#quotes.set(id, quote)
  }

  /** Pays invoices with it; what none needs becomes credit. */
  receive(money: AcceptedMoney): void {
    const { paymentId, customerId, asset, amount, now } = money
    const invoice = money.invoiceId === null ? undefined : this.findPayable(money.invoiceId)
    if (invoice && invoice.asset !== asset) {
      this.#receiveCoins(money, invoice)
      return
    }
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
      // A payment may pay several invoices: the cause of each event is its allocation.
      const causeId = this.#allocate(customer, { paymentId, invoiceId, amount: paid }, now)
      this.#pay(now, invoiceId, paid, { causeId })
    }
    this.#keepAsCredit(money, credit)
  }

  /** Coins for an invoice in naira. Without a price that holds, they are credit. */
  #receiveCoins(money: AcceptedMoney, invoice: Invoice): void {
    const { paymentId, customerId, quoteId, amount, now } = money
    const quote = quoteId === null ? undefined : this.#quotes.get(quoteId)
    const unpriced = { coins: 0n, kobo: 0n, credit: amount }
    const { coins, kobo, credit } = quote
      ? allocateCoins(amount, quote, invoice.amountDue)
      : unpriced
    if (quote && kobo > 0n) {
      this.#quotes.set(quoteId!, {
        ...quote,
        paidCoins: quote.paidCoins + coins,
        paidKobo: quote.paidKobo + kobo,
      })
      const paid = { paidAsset: money.asset as Coin, paidAmount: coins }
      const part = { paymentId, invoiceId: invoice.id, amount: kobo, ...paid }
      const causeId = this.#allocate(this.customer(customerId), part, now)
      this.#pay(now, invoice.id, kobo, { causeId })
    }
    this.#keepAsCredit(money, credit)
  }

  /** In the asset of the payment. */
  #keepAsCredit({ paymentId, customerId, asset, now }: AcceptedMoney, amount: bigint): void {
    if (amount === 0n) return
    const part = { paymentId, invoiceId: null, amount }
    const causeId = this.#allocate(this.customer(customerId), part, now)
    this.#changeCredit(now, customerId, {
      kind: 'payment',
      asset,
      amount,
      causeId,
      invoiceId: null,
    })
  }

  /** Between what is due and what was paid; `type`, if it is not a payment. */
  #pay(
    now: Date,
    invoiceId: string,
    paid: bigint,
    { type, causeId }: { type?: EventType; causeId: string },
  ): void {
    const before = this.#invoices.get(invoiceId)!
    const after = settle(now, {
      ...before,
      amountDue: before.amountDue - paid,
      amountPaid: before.amountPaid + paid,
    })
    const paidType = after.status === 'PAID' ? 'invoice.paid' : 'invoice.partially_paid'
    this.changeInvoice(now, after, { types: [type ?? paidType], causeId })
  }

  #allocate(
    { environmentId }: Customer,
    allocation: Pick<Allocation, 'paymentId' | 'invoiceId' | 'amount'> &
      Partial<Pick<Allocation, 'paidAsset' | 'paidAmount'>>,
    createdAt: Date,
    reallocationId: string | null = null,
  ): string {
    const id = newId(createdAt)
    const place = this.#allocations.length
    this.#allocations.push({
      environmentId,
      id,
      paidAsset: null,
      paidAmount: null,
      ...allocation,
      place,
      createdAt,
      reallocationId,
    })
    return id
  }

  /** Pays what is due of a new invoice with credit of its customer. Returns how much it paid. */
  applyCredit(now: Date, invoice: Invoice): bigint {
    const { customerId, asset, id } = invoice
    const credit = this.customer(customerId).credit[asset]
    const paid = credit - allocateToOne(credit, toPayable(invoice)).credit
    if (paid > 0n)
      this.#changeCredit(now, customerId, {
        kind: 'applied',
        asset,
        amount: -paid,
        causeId: id,
        invoiceId: id,
      })
    return paid
  }

  /** Gives the customer back what credit paid of an invoice that is voided. */
  unapplyCredit(now: Date, { customerId, asset, id, amountPaid }: Invoice): void {
    if (amountPaid > 0n)
      this.#changeCredit(now, customerId, {
        kind: 'unapplied',
        asset,
        amount: amountPaid,
        causeId: id,
        invoiceId: id,
      })
  }

  /** What a payment was used for. Reads invoices that are paid, too. */
  async findUse(payment: PaymentOfCustomer): Promise<PaymentUse> {
    const allocations = await findAllocations(this.#tx, [payment])
    const creditUses = await findCreditUses(this.#tx, payment)
    const { environmentId } = payment
    // A credit note may have turned what coins paid into credit in naira, which was used.
    if (allocations.some(({ paidAsset }) => paidAsset !== null))
      creditUses.push(...(await findCreditUses(this.#tx, { ...payment, asset: 'NGN' })))
    await this.#read([
      ...allocations,
      ...creditUses.map(({ invoiceId }) => ({ environmentId, invoiceId })),
    ])
    return { allocations, creditUses }
  }

  /** What refunds took, for `giveBack`. */
  async findTaken(returns: CustomerKey[]): Promise<TakenAllocation[]> {
    const taken = await findTaken(this.#tx, returns)
    const ids = taken.map(({ environmentId, allocationId: id }) => ({ environmentId, id }))
    const found = await findAllocationsById(this.#tx, ids)
    await this.#read(found)
    await this.#read(
      taken.map(({ environmentId, otherInvoiceId: invoiceId }) => ({ environmentId, invoiceId })),
    )
    const byId = new Map(found.map((allocation) => [allocation.id, allocation]))
    return taken.map((refund) => ({ ...refund, allocation: byId.get(refund.allocationId)! }))
  }

  async #read(named: Pick<Allocation, 'environmentId' | 'invoiceId'>[]): Promise<void> {
    const names = named.flatMap(({ environmentId, invoiceId }) =>
      invoiceId === null || this.#invoices.has(invoiceId) ? [] : [{ environmentId, id: invoiceId }],
    )
    for (const invoice of await findInvoices(this.#tx, names))
      this.#invoices.set(invoice.id, invoice)
  }

  /**
   * Takes a refund back from what its payment was used for: credit first, then what was paid last.
   * Credit that is spent is taken back from the invoices that it paid, the last one first. What was
   * paid and refunded is not due again. Coins take their share of the naira that they paid.
   */
  refund({ allocations, creditUses }: PaymentUse, refund: RefundedMoney): void {
    const { customerId, asset, now } = refund
    let remaining = refund.amount
    const unspent = creditUses.map((use) => ({ ...use }))
    const creditFirst = [...allocations].reverse().sort((a, b) => rankOf(a) - rankOf(b))
    for (const allocation of creditFirst) {
      const ofPayment = smallerOf(remaining, allocation.remainingPaid)
      const coins = coinsOf(allocation)
      const wanted = coins ? shareOfRefund(ofPayment, coins) : ofPayment
      const before = allocation.invoiceId && this.#invoices.get(allocation.invoiceId)
      const ownAsset = before ? before.asset : asset
      // A credit note may have turned some of it into credit.
      const ofInvoice = before ? smallerOf(wanted, before.amountPaid) : 0n
      const ofCredit = smallerOf(wanted - ofInvoice, this.customer(customerId).credit[ownAsset])
      const paidAmount = coins ? ofPayment : null
      if (ofInvoice + ofCredit + (paidAmount ?? 0n) > 0n) {
        const parts = { otherInvoiceId: null, ofInvoice, ofCredit, paidAmount }
        const id = this.#take(refund, allocation, parts)
        if (before && ofInvoice > 0n) this.#shift(now, before, -ofInvoice, id)
        if (ofCredit > 0n)
          this.#changeCredit(now, customerId, {
            kind: 'refund',
            asset: ownAsset,
            amount: -ofCredit,
            causeId: id,
            invoiceId: null,
          })
      }
      let spent = wanted - ofInvoice - ofCredit
      for (const use of unspent) {
        const { invoiceId: otherInvoiceId } = use
        const other = this.#invoices.get(otherInvoiceId)!
        const part = smallerOf(spent, smallerOf(use.amount, other.amountPaid))
        if (part <= 0n || other.asset !== ownAsset) continue
        spent -= part
        use.amount -= part
        const parts = { otherInvoiceId, ofInvoice: part, ofCredit: 0n }
        const id = this.#take(refund, allocation, { ...parts, paidAmount: coins ? 0n : null })
        this.#shift(now, other, -part, id)
      }
      assert(!coins || spent === 0n, 'what coins paid in naira is credit, or paid an invoice')
      remaining -= ofPayment - spent
    }
    assert(remaining === 0n, 'accepted money is credit, or paid an invoice')
  }

  #take(
    { returnId, now }: RefundedMoney,
    { environmentId, id: allocationId }: Allocation,
    parts: Pick<AllocationRefund, 'otherInvoiceId' | 'ofInvoice' | 'ofCredit' | 'paidAmount'>,
  ): string {
    const id = newId(now)
    this.#taken.push({
      environmentId,
      id,
      returnId,
      allocationId,
      ...parts,
      state: 'TAKEN',
      createdAt: now,
    })
    return id
  }

  /** What invoices and credit can give and take, for `planReallocation`. */
  roomOf(customerId: string, asset: Asset): Room {
    const own = [...this.#invoices.values()].filter(
      (invoice) => invoice.customerId === customerId && invoice.asset === asset,
    )
    const payable = own.filter((invoice) => isPayable(invoice, asset))
    return {
      due: new Map(payable.map(({ id, amountDue }) => [id, amountDue])),
      paid: new Map(own.map(({ id, amountPaid }) => [id, amountPaid])),
      credit: this.customer(customerId).credit[asset],
    }
  }

  /**
   * Carries out what was planned. What is taken from an invoice is due again. Returns the invoices
   * from which it took something.
   */
  reallocate(
    plan: PlannedReallocation,
    change: Reallocation,
    { customerId, asset }: MovedTo,
  ): ChangedInvoice[] {
    const { environmentId, id: reallocationId, paymentId, createdAt: now } = change
    const before = new Map(
      plan.taken.flatMap(({ invoiceId: id }) => (id ? [[id, this.#invoices.get(id)!]] : [])),
    )
    const customer = this.customer(customerId)
    this.#reallocations.push(change)
    for (const { allocationId, invoiceId, amount } of plan.taken) {
      const id = newId(now)
      this.#moves.push({ environmentId, id, reallocationId, allocationId, amount, createdAt: now })
      if (invoiceId === null)
        this.#changeCredit(now, customerId, {
          kind: 'reallocation',
          asset,
          amount: -amount,
          causeId: id,
          invoiceId: null,
        })
      else this.#pay(now, invoiceId, -amount, { type: 'invoice.payment_moved', causeId: id })
    }
    for (const { invoiceId, amount } of plan.given) {
      const causeId = this.#allocate(
        customer,
        { paymentId, invoiceId, amount },
        now,
        reallocationId,
      )
      if (invoiceId === null)
        this.#changeCredit(now, customerId, {
          kind: 'reallocation',
          asset,
          amount,
          causeId,
          invoiceId: null,
        })
      else this.#pay(now, invoiceId, amount, { causeId })
    }
    return [...before].map(([id, invoice]) => ({
      before: invoice,
      after: this.#invoices.get(id)!,
    }))
  }

  /** The refund failed: everything is as before it. */
  giveBack(taken: TakenAllocation, { customerId, asset, now }: GivenBackTo): void {
    const { id: causeId, ofInvoice, ofCredit, allocation, otherInvoiceId } = taken
    const invoiceId = otherInvoiceId ?? allocation.invoiceId
    const before = invoiceId && this.#invoices.get(invoiceId)
    if (before && ofInvoice > 0n) this.#shift(now, before, ofInvoice, causeId)
    if (ofCredit > 0n)
      this.#changeCredit(now, customerId, {
        kind: 'refund_reversal',
        asset: allocation.invoiceId ? this.#invoices.get(allocation.invoiceId)!.asset : asset,
        amount: ofCredit,
        causeId,
        invoiceId: null,
      })
    this.#givenBack.push(taken)
  }

  /** Between what was paid and what was refunded of it. */
  #shift(now: Date, before: Invoice, amount: bigint, causeId: string): void {
    const shifted = settle(now, {
      ...before,
      amountPaid: before.amountPaid + amount,
      amountRefunded: before.amountRefunded - amount,
    })
    const type = amount < 0n ? 'invoice.refunded' : 'invoice.refund_failed'
    this.changeInvoice(now, shifted, { types: [type], causeId })
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

  addCredit(now: Date, customerId: string, change: CreditChange): void {
    assert(change.amount > 0n, 'credit is added')
    this.#changeCredit(now, customerId, change)
  }

  #changeCredit(now: Date, customerId: string, change: CreditChange): void {
    const before = this.customer(customerId)
    const { asset, amount, causeId } = change
    const balanceAfter = before.credit[asset] + amount
    assert(balanceAfter >= 0n, 'no more credit is taken than there is')
    const isMore = amount > 0n
    const sequence = before.eventSequence + (isMore ? 1 : 0)
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
    if (!isMore) return
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
    for (const change of this.#reallocations) insertReallocation(tx, change)
    insertAllocations(tx, this.#allocations)
    insertMoves(tx, this.#moves)
    insertRefunds(tx, this.#taken)
    markGivenBack(tx, this.#givenBack)
    insertCreditEntries(tx, this.#entries)
    const credited = new Set(this.#entries.map(({ customerId }) => customerId))
    if (credited.size > 0)
      tx.write(countEvents([...credited].map((id) => this.#customers.get(id)!)))
    emitAll(tx, now, this.#events)
  }
}

type CreditChange = Pick<CreditEntry, 'kind' | 'asset' | 'amount' | 'causeId' | 'invoiceId'>

export type PaymentOfCustomer = CustomerKey & { customerId: string; asset: Asset }

/** What a payment was used for, and the invoices that credit of its customer paid. */
type PaymentUse = { allocations: UsedAllocation[]; creditUses: CreditUse[] }

/** A refund of a payment of a customer. */
export type RefundedMoney = GivenBackTo & { returnId: string; amount: bigint }

type MovedTo = { customerId: string; asset: Asset }

type GivenBackTo = MovedTo & { now: Date }

export type TakenAllocation = AllocationRefund & { allocation: Allocation }

/** Undefined if the payment is in the asset of the invoice. */
function coinsOf(allocation: UsedAllocation): PaidCoins | undefined {
  const { paidAmount, amount, remaining, remainingPaid } = allocation
  return paidAmount === null
    ? undefined
    : {
        coins: paidAmount,
        kobo: amount,
        remainingCoins: remainingPaid,
        remainingKobo: remaining,
      }
}

function rankOf({ invoiceId }: Allocation): number {
  return invoiceId === null ? 0 : 1
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

async function readBooks(tx: Tx, keys: CustomerKey[], waits: boolean): Promise<ReadBooks> {
  const wanted = [...new Map(keys.map((one) => [one.id, one])).values()]
  const locked = await tx.rows(waits ? lock(wanted) : lockUnheld(wanted))
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
