import { after, type Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { DriverPage, DriverPayment, DriverPeriod, StoredAccount } from '../bank/driver.js'
import { koboOfText } from '../bank/naira.js'
import { Unknown, Unreadable } from '../bank/provider-client.js'
import { type Fields, readRows, readText, readTime } from '../bank/read-fields.js'
import type { PaystackCalls } from './calls.js'
import { paystackLimits } from './limits.js'
import { isOfOtherChannels, readPayment, stateOf } from './read-payment.js'
import { findOwnRefunds } from './refunds.js'

type Found = Omit<DriverPage<DriverPayment>, 'next'>

export type PaymentDependencies = { calls: PaystackCalls; payerEmail: string; clock: Clock }

/** Not "Invalid key", which is no answer about a transaction. */
const missing = /transaction.*(not found|invalid)/i

export const paymentKey = (id: string) => `transaction/${id}`

/** The amount and the reason are only shown: nothing is booked for a rejected transfer. */
export const rejectionKey = (given: { id: string; amount: string; reason: string }) =>
  `rejected/${given.id}/${given.amount}/${given.reason}`

/** `key` is one of the two above. */
export async function fetchPayment(
  dependencies: PaymentDependencies,
  key: string,
): Promise<DriverPayment | undefined> {
  const [kind, id = '', amount = '', reason = ''] = key.split('/')
  const transaction = await findTransaction(dependencies.calls, id)
  if (!transaction) return undefined
  if (kind !== 'rejected') return toPayment(dependencies, transaction)
  const { payerEmail } = dependencies
  const charge = readPayment(transaction, { state: 'rejected', payerEmail })
  return { ...charge, amount: koboOfText(amount) ?? 0n, sender: null, rejection: reason }
}

export async function findTransaction(
  calls: PaystackCalls,
  id: string,
): Promise<Fields | undefined> {
  const path = `/transaction/${encodeURIComponent(id)}`
  const found = await calls.find({ method: 'GET', path }, missing)
  if (found && found.id !== id) throw new Unknown(`paystack: ${path} answers another transaction`)
  return found
}

/** A temporary account has one charge; a dedicated one has a list. */
export async function findPayments(
  dependencies: PaymentDependencies,
  account: StoredAccount,
): Promise<Found> {
  const { charge } = account.details
  if (charge === undefined) return findDedicated(dependencies, account)
  const path = `/transaction/verify/${encodeURIComponent(charge)}`
  const found = await dependencies.calls.find({ method: 'GET', path }, missing)
  if (!found) return { items: [], unreadable: [] }
  if (found.reference !== charge) throw new Unknown(`paystack: ${path} answers another reference`)
  return { items: [await toPayment(dependencies, found)], unreadable: [] }
}

async function findDedicated(
  dependencies: PaymentDependencies,
  account: StoredAccount,
): Promise<Found> {
  const { number, reference } = account
  await requery(dependencies, account)
  const rows: Fields[] = []
  let next: string | undefined
  for (let page = 0; page < limits.banks.reversalPagesMax; page += 1) {
    const list = await dependencies.calls.list({
      path: '/transaction',
      query: { virtual_account_number: number },
      after: next,
    })
    rows.push(...list.rows)
    if (list.next === null) {
      const { items, unreadable } = await toPayments(dependencies, rows)
      // Checked here too: an ignored filter must not credit another account's payments.
      const own = items.filter(({ account }) =>
        'number' in account ? account.number === number : account.reference === reference,
      )
      return { items: own, unreadable }
    }
    next = list.next
  }
  throw new Unknown(`paystack: ${number} has more payments than can be read at once`)
}

/**
 * Makes Paystack query the bank for transfers that it missed, for which it then sends notices. It
 * does so at most once in ten minutes. A refusal does not matter: the list is read anyway.
 */
async function requery(
  { calls, clock }: PaymentDependencies,
  { number, details }: StoredAccount,
): Promise<void> {
  const query = {
    account_number: number,
    provider_slug: details.bankSlug ?? '',
    date: clock.now().toISOString().slice(0, 10),
  }
  try {
    await calls.ask({ method: 'GET', path: '/dedicated_account/requery', query })
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
  }
}

const listedStatuses = ['success', 'reversed']

/**
 * First the successful, then the reversed ones, so that a change meanwhile hides none. The period
 * may apply to creation, which for a charge is before the payment.
 */
export async function listPayments(
  dependencies: PaymentDependencies,
  { from, to, after: cursor = 'success/' }: DriverPeriod,
): Promise<DriverPage<DriverPayment>> {
  const [status = '', ...rest] = cursor.split('/')
  const since = new Date(Math.max(0, after(from, -paystackLimits.expiryMaxMs).getTime()))
  const { rows, next } = await dependencies.calls.list({
    path: '/transaction',
    query: { status, from: since.toISOString(), to: to.toISOString() },
    after: rest.join('/') || undefined,
  })
  const { items: payments, unreadable } = await toPayments(dependencies, rows)
  const items = payments.filter(({ receivedAt }) => receivedAt < to)
  if (next !== null) return { items, next: `${status}/${next}`, unreadable }
  const following = listedStatuses[listedStatuses.indexOf(status) + 1]
  return { items, next: following === undefined ? null : `${following}/`, unreadable }
}

/**
 * A refunded payment counts if we refunded it: then it is in our books. One that a person refunded
 * at Paystack must not be credited.
 */
async function toPayments(dependencies: PaymentDependencies, rows: Fields[]): Promise<Found> {
  const read = await readerOf(dependencies, rows)
  return readRows(
    rows.filter((row) => !isOfOtherChannels(row)),
    (row) => {
      const payment = read(row)
      // Money that arrived through an unknown channel is reported and not credited.
      if (payment.state === 'open' && readText(row.status) === 'success')
        throw new Unreadable(`paystack: transaction ${payment.id} is of an unknown channel`)
      return payment
    },
  )
}

async function toPayment(dependencies: PaymentDependencies, row: Fields): Promise<DriverPayment> {
  return (await readerOf(dependencies, [row]))(row)
}

async function readerOf(
  { calls, payerEmail }: PaymentDependencies,
  rows: Fields[],
): Promise<(row: Fields) => DriverPayment> {
  const refunded = rows.filter((row) => stateOf(row) === 'refunded')
  const own = await findOwnRefunds(calls, earliest(refunded))
  return (row) => {
    const found = stateOf(row)
    const refundedState = own.has(readText(row.id) ?? '') ? 'paid' : 'other'
    return readPayment(row, { state: found === 'refunded' ? refundedState : found, payerEmail })
  }
}

/** Undefined: none. */
function earliest(rows: Fields[]): Date | undefined {
  const times = rows.flatMap(({ paid_at }) => readTime(paid_at)?.getTime() ?? [])
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}
