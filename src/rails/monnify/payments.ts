import { after } from '../../base/clock.js'
import type { BankSender } from '../../collections/ports.js'
import type { DriverPage, DriverPayment, DriverPeriod, StoredAccount } from '../bank/driver.js'
import { readFeeInNaira } from '../bank/naira.js'
import { Unreadable } from '../bank/provider-client.js'
import {
  asFields,
  asList,
  type Fields,
  lookUp,
  needCurrency,
  needId,
  needText,
  readName,
  readRows,
  readText,
} from '../bank/read-fields.js'
import { BoundedMap } from '../bounded-map.js'
import { fetchTransactionReference, isTemporaryAccount } from './accounts.js'
import { needKobo } from './amounts.js'
import { isNotFound, type MonnifyCalls, readPage, unexpected } from './calls.js'
import type { DriverDependencies } from './driver-dependencies.js'
import { readPaymentKey } from './payment-key.js'
import { needTime, readTime } from './read-time.js'

type PaymentDependencies = Pick<DriverDependencies, 'limits' | 'logger'> & { calls: MonnifyCalls }

type Found = Omit<DriverPage<DriverPayment>, 'next'>

/**
 * What the status of a transaction means. A payer who sent too little is recorded, too, if Monnify
 * keeps such money. REVERSED and REFUNDED: the payer has it back, so it is never credited.
 */
const states: Record<string, DriverPayment['state']> = {
  PAID: 'paid',
  OVERPAID: 'paid',
  PARTIALLY_PAID: 'paid',
  UNDERPAID: 'paid',
  PENDING: 'open',
  ABANDONED: 'other',
  CANCELLED: 'other',
  FAILED: 'other',
  REVERSED: 'other',
  EXPIRED: 'other',
  REFUNDED: 'other',
}

const paidStatuses = ['PAID', 'OVERPAID', 'PARTIALLY_PAID', 'UNDERPAID']

const rowsPerPage = 100
/** A dedicated account's newest payments, page by page. */
const accountPagesMax = 20
const rememberedMax = 20_000
const fetchesAtOnceMax = 16

/**
 * Payments at Monnify. Lists have neither the sender nor our reference, so every listed payment is
 * fetched, and remembered once it is paid: later lists repeat it.
 */
export class MonnifyPayments {
  readonly #calls: MonnifyCalls
  readonly #limits: PaymentDependencies['limits']
  readonly #logger: PaymentDependencies['logger']
  readonly #paid = new BoundedMap<string, DriverPayment>(rememberedMax)

  constructor({ calls, limits, logger }: PaymentDependencies) {
    this.#calls = calls
    this.#limits = limits
    this.#logger = logger
  }

  /** A rejection is known only from the notice; the transaction that it concerns is confirmed. */
  async fetchPayment(key: string): Promise<DriverPayment | undefined> {
    const { id, session, rejected } = readPaymentKey(key)
    const payment = await this.#fetch(id)
    if (!payment) return undefined
    if (rejected === null) return { ...payment, bankSessionId: session }
    return {
      ...payment,
      id: `${id}/rejected/${session ?? ''}`,
      state: 'rejected',
      amount: needKobo(rejected.amount, 'amountPaid'),
      bankSessionId: session,
      rejection: rejected.reason,
    }
  }

  async findPayments(account: StoredAccount): Promise<Found> {
    if (isTemporaryAccount(account)) {
      const { transactionReference } = account.details
      const id = transactionReference ?? (await fetchTransactionReference(this.#calls, account))
      const found = await this.#fetch(id)
      return { items: found ? [found] : [], unreadable: [] }
    }
    const listed: Fields[] = []
    let isComplete = false
    for (let page = 0; page < accountPagesMax && !isComplete; page += 1) {
      const { rows, isLast } = await this.#listOfAccount(account, page)
      listed.push(...rows)
      isComplete = isLast
    }
    if (!isComplete)
      this.#logger.warn(
        { account: account.reference },
        'monnify: only the newest payments were read',
      )
    return this.#fetchAll(listed)
  }

  /**
   * A period selects transactions by when they were made, and an invoice is paid until it expires.
   * So the list begins earlier, and what was paid outside the period is left out.
   */
  async listPayments({
    from,
    to,
    after: cursor,
  }: DriverPeriod): Promise<DriverPage<DriverPayment>> {
    const [status = '', page = ''] = (cursor ?? `${paidStatuses[0]}/0`).split('/')
    const body = await this.#calls.need({
      method: 'GET',
      path: '/api/v1/transactions/search',
      query: {
        page,
        size: `${rowsPerPage}`,
        from: `${after(from, -this.#limits.expiryMaxMs).getTime()}`,
        to: `${to.getTime()}`,
        paymentStatus: status,
      },
    })
    const { rows, isLast } = readPage(body)
    const inPeriod = rows.filter(({ completedOn }) => {
      const paidAt = readTime(completedOn)
      return !paidAt || (paidAt >= wholeSecond(from) && paidAt <= to)
    })
    const nextStatus = paidStatuses[paidStatuses.indexOf(status) + 1]
    const following = nextStatus === undefined ? null : `${nextStatus}/0`
    return {
      ...(await this.#fetchAll(inPeriod)),
      next: isLast ? following : `${status}/${Number(page) + 1}`,
    }
  }

  async #listOfAccount({ reference }: StoredAccount, page: number) {
    const call = {
      method: 'GET',
      path: '/api/v1/bank-transfer/reserved-accounts/transactions',
      query: { accountReference: reference, page: `${page}`, size: `${rowsPerPage}` },
    } as const
    return readPage(await this.#calls.need(call))
  }

  /** A few at a time, so that payouts do not wait for a long list. */
  async #fetchAll(rows: Fields[]): Promise<Found> {
    const { items: ids, unreadable } = readRows(rows, idOf)
    const items: DriverPayment[] = []
    for (let start = 0; start < ids.length; start += fetchesAtOnceMax) {
      const some = ids.slice(start, start + fetchesAtOnceMax)
      for (const found of await Promise.all(some.map((id) => this.#fetchListed(id))))
        if (found instanceof Unreadable) unreadable.push(found.message)
        else items.push(found)
    }
    return { items, unreadable }
  }

  async #fetchListed(id: string): Promise<DriverPayment | Unreadable> {
    try {
      const payment = this.#paid.find(id) ?? (await this.#fetch(id))
      return payment ?? new Unreadable(`monnify: lists ${id} but does not know it`)
    } catch (error) {
      if (error instanceof Unreadable) return error
      throw error
    }
  }

  async #fetch(id: string): Promise<DriverPayment | undefined> {
    const call = { method: 'GET', path: `/api/v2/transactions/${encodeURIComponent(id)}` } as const
    const answer = await this.#calls.call(call)
    if (isNotFound(answer)) return undefined
    if (answer.code !== '0') throw unexpected(call, answer)
    const fields = asFields(answer.body)
    if (idOf(fields) !== id) throw new Unreadable(`monnify: another transaction than ${id}`)
    const payment = readPayment(fields)
    if (fields.paymentStatus === 'PARTIALLY_PAID' || fields.paymentStatus === 'UNDERPAID')
      this.#logger.warn({ id }, 'monnify keeps underpayments; ask its support to reject them')
    else if (payment.state === 'paid') this.#paid.set(id, payment)
    return payment
  }
}

function idOf(fields: Fields): string {
  return needId(fields.transactionReference, 'transactionReference')
}

/** An unknown status may still become a payment. */
export function readPayment(fields: Fields): DriverPayment {
  const state = lookUp(states, needText(fields.paymentStatus, 'paymentStatus')) ?? 'open'
  const isPaid = state === 'paid'
  return {
    id: idOf(fields),
    account: { reference: accountReferenceOf(fields) },
    state,
    amount: isPaid ? needKobo(fields.amountPaid, 'amountPaid') : 0n,
    currency: needCurrency(fields.currency, 'currency'),
    sender: readSender(fields),
    // Only notices contain the session id.
    bankSessionId: null,
    narration: null,
    receivedAt: isPaid ? needTime(fields.paidOn, 'paidOn') : new Date(0),
    providerFee: isPaid ? providerFeeOf(fields) : null,
  }
}

/** What Monnify keeps: it settles less than was paid. */
function providerFeeOf({ amountPaid, settlementAmount }: Fields): bigint | null {
  const paid = readFeeInNaira(amountPaid)
  const settled = readFeeInNaira(settlementAmount)
  return paid === null || settled === null || settled > paid ? null : paid - settled
}

/**
 * Our reference of the account: the product's, according to the documentation. Samples of invoices
 * have it in the other fields, too; the first that has the form of ours is taken.
 */
function accountReferenceOf({ invoiceReference, product, paymentReference }: Fields): string {
  const productReference = asFields(product).reference
  const given = [invoiceReference, productReference, paymentReference].map(readText)
  return (
    given.find((text) => text && /^(va|da)-[a-z0-9-]{1,100}$/.test(text)) ??
    needId(productReference, 'product')
  )
}

/** The last payer, masked. One object, or a list of them. */
function readSender({ accountDetails, accountPayments }: Fields): BankSender | null {
  const last = asFields(accountDetails ?? asList(accountPayments).at(-1))
  const accountNumber = readName(last.accountNumber)
  if (accountNumber === undefined) return null
  return {
    name: readName(last.accountName) ?? '',
    accountNumber,
    bankCode: readName(last.bankCode) ?? '',
    bankName: '',
  }
}

/** Lists write times to the second. */
function wholeSecond(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % 1_000))
}
