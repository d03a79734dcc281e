import type { BankSender } from '../../collections/ports.js'
import type { DriverPayment, Page, Period, StoredAccount } from '../bank/driver.js'
import { koboOfNaira } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, type Fields, needText, needTime, readText } from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'
import { bankCodeOf } from './bank-codes.js'
import { daysOf } from './days.js'
import { listFlutterwavePage } from './pages.js'

/** Payments of an account whose senders are fetched: lists do not name them. */
const sendersFetchedMax = 20

const accountPagesMax = 100

/** Payments of these kinds can be charged back: they are not bank transfers. */
const reversibleKinds = new Set(['card', 'applepay', 'googlepay', 'paypal'])

/** By Flutterwave's id: payments into a static account share one reference. */
export function fetchFlutterwavePayment(
  api: FlutterwaveApi,
  id: string,
): Promise<DriverPayment | undefined> {
  return verify(api, { path: `/transactions/${encodeURIComponent(id)}/verify` })
}

/**
 * The list has all payments, perhaps late. Verification by reference has only the newest one, at
 * once.
 */
export async function findFlutterwavePayments(
  api: FlutterwaveApi,
  { reference }: StoredAccount,
): Promise<DriverPayment[]> {
  const [newest, listed] = await Promise.all([
    verify(api, {
      path: '/transactions/verify_by_reference',
      query: { tx_ref: reference },
    }),
    listOfReference(api, reference),
  ])
  const others = listed.filter(({ id }) => id !== newest?.id)
  const withSenders = await Promise.all(
    others.map(async (payment, index) =>
      index < sendersFetchedMax
        ? ((await fetchFlutterwavePayment(api, payment.id)) ?? payment)
        : payment,
    ),
  )
  return newest ? [newest, ...withSenders] : withSenders
}

async function verify(
  api: FlutterwaveApi,
  { path, query }: { path: string; query?: Record<string, string> },
): Promise<DriverPayment | undefined> {
  const reply = await api.call({ method: 'GET', path, ...(query && { query }) })
  if (reply.isDone) return toPayment(asFields(reply.data))
  if (/no transaction was found|not found/i.test(reply.message)) return undefined
  throw new Unknown(`flutterwave: GET ${path}: ${reply.message}`)
}

async function listOfReference(api: FlutterwaveApi, reference: string): Promise<DriverPayment[]> {
  const payments: DriverPayment[] = []
  for (let page = 1; page <= accountPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/transactions', { tx_ref: reference }, page)
    payments.push(...rows.filter((row) => row.tx_ref === reference).map(toPayment))
    if (!hasMore) break
  }
  return payments
}

export async function listFlutterwavePayments(
  api: FlutterwaveApi,
  { from, to, after }: Period,
): Promise<Page<DriverPayment>> {
  const query = daysOf({ from, to })
  const { items, next } = await listFlutterwavePage(api, '/transactions', { query, after })
  return { items: items.map(toPayment), next }
}

/** `amount` is the requested or received amount; a fee that the payer bears comes on top. */
function toPayment(row: Fields): DriverPayment {
  const id = needText(row.id, 'id')
  const state = readState(row)
  const amount = koboOfNaira(readText(row.amount) ?? '')
  if (amount === undefined && state === 'paid')
    throw new Unknown(`flutterwave: the amount of transaction ${id} is not an amount`)
  return {
    id,
    account: { reference: readText(row.tx_ref) ?? `transaction ${id}` },
    state,
    amount: amount ?? 0n,
    currency: needText(row.currency, 'currency'),
    sender: readSender(asFields(row.meta)),
    bankSessionId: null,
    narration: readText(row.narration) ?? null,
    receivedAt: needTime(row.created_at, 'created_at'),
  }
}

/** Other programs may use the same Flutterwave account for cards and other currencies. */
function readState({ status, payment_type: kind, currency }: Fields): DriverPayment['state'] {
  if (currency !== 'NGN' || reversibleKinds.has(readText(kind)?.toLowerCase() ?? '')) return 'other'
  switch (readText(status)?.toLowerCase()) {
    case 'successful':
      return 'paid'
    case 'failed':
      return 'other'
    default:
      return 'open'
  }
}

/** The number is masked but for its ends. */
function readSender(meta: Fields): BankSender | null {
  const name = readKnown(meta.originatorname)
  const accountNumber = readKnown(meta.originatoraccountnumber)
  const bankName = readKnown(meta.bankname)
  if (name === '' && accountNumber === '') return null
  return { name, accountNumber, bankCode: bankCodeOf(bankName), bankName }
}

/** Flutterwave writes "N/A" for what it does not know. */
function readKnown(value: unknown): string {
  const text = readText(value)
  return text === undefined || text === 'N/A' ? '' : text
}
