import type { BankSender } from '../../collections/ports.js'
import type { BankNames } from '../bank/bank-names.js'
import type { DriverPage, DriverPayment, DriverPeriod, StoredAccount } from '../bank/driver.js'
import { koboOfNaira, readFeeInNaira } from '../bank/naira.js'
import { Unknown, Unreadable } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  needCurrency,
  needId,
  needNumericId,
  needTime,
  readName,
  readRows,
  readText,
} from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'
import { daysOf } from './days.js'
import { listFlutterwavePage } from './pages.js'

/** Payments of an account whose senders are fetched: lists do not name them. */
const sendersFetchedMax = 20

const accountPagesMax = 100

/** Payments of these kinds can be charged back: they are not bank transfers. */
const reversibleKinds = new Set(['card', 'applepay', 'googlepay', 'paypal'])

export type PaymentDependencies = { api: FlutterwaveApi; banks: BankNames }

/** By Flutterwave's id: payments into a static account share one reference. */
export async function fetchFlutterwavePayment(
  dependencies: PaymentDependencies,
  id: string,
): Promise<DriverPayment | undefined> {
  const path = `/transactions/${encodeURIComponent(id)}/verify`
  const found = await verify(dependencies, { path })
  if (found && found.id !== id) throw new Unknown(`flutterwave: GET ${path}: another transaction`)
  return found
}

/**
 * The list has all payments, perhaps late. Verification by reference has only the newest one, at
 * once.
 */
export async function findFlutterwavePayments(
  dependencies: PaymentDependencies,
  { reference }: StoredAccount,
): Promise<Omit<DriverPage<DriverPayment>, 'next'>> {
  const [newest, { items: listed, unreadable }] = await Promise.all([
    verify(dependencies, {
      path: '/transactions/verify_by_reference',
      query: { tx_ref: reference },
    }),
    listOfReference(dependencies, reference),
  ])
  const others = listed.filter(({ id }) => id !== newest?.id)
  const withSenders = await Promise.all(
    others.map(async (payment, index) =>
      index < sendersFetchedMax
        ? ((await fetchFlutterwavePayment(dependencies, payment.id)) ?? payment)
        : payment,
    ),
  )
  const isOwn = newest && 'reference' in newest.account && newest.account.reference === reference
  return { items: isOwn ? [newest, ...withSenders] : withSenders, unreadable }
}

async function verify(
  { api, banks }: PaymentDependencies,
  { path, query }: { path: string; query?: Record<string, string> },
): Promise<DriverPayment | undefined> {
  const reply = await api.call({ method: 'GET', path, ...(query && { query }) })
  if (reply.isMissing) return undefined
  if (!reply.isDone) throw new Unknown(`flutterwave: GET ${path}: ${reply.message}`)
  await banks.refresh()
  return toPayment(banks, asFields(reply.data))
}

async function listOfReference(
  { api, banks }: PaymentDependencies,
  reference: string,
): Promise<Omit<DriverPage<DriverPayment>, 'next'>> {
  const found: Fields[] = []
  for (let page = 1; page <= accountPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/transactions', { tx_ref: reference }, page)
    found.push(...rows.filter((row) => row.tx_ref === reference))
    if (!hasMore) break
  }
  await banks.refresh()
  return readRows(found, (row) => toPayment(banks, row))
}

export async function listFlutterwavePayments(
  { api, banks }: PaymentDependencies,
  { from, to, after }: DriverPeriod,
): Promise<DriverPage<DriverPayment>> {
  const query = daysOf({ from, to })
  const { items, next } = await listFlutterwavePage(api, '/transactions', { query, after })
  await banks.refresh()
  return { ...readRows(items, (row) => toPayment(banks, row)), next }
}

/** `amount` is the requested or received amount; a fee that the payer bears comes on top. */
function toPayment(banks: BankNames, row: Fields): DriverPayment {
  const id = needNumericId(row.id, 'id')
  const state = readState(row)
  const amount = koboOfNaira(readText(row.amount) ?? '')
  if (amount === undefined && state === 'paid')
    throw new Unreadable(`flutterwave: the amount of transaction ${id} is not an amount`)
  return {
    id,
    account: { reference: needId(readText(row.tx_ref) ?? `transaction ${id}`, 'tx_ref') },
    state,
    amount: amount ?? 0n,
    currency: needCurrency(row.currency, 'currency'),
    sender: readSender(banks, asFields(row.meta)),
    bankSessionId: null,
    narration: readName(row.narration) ?? null,
    receivedAt: needTime(row.created_at, 'created_at'),
    providerFee: providerFeeOf(row, amount),
  }
}

/** Nothing, if the payer bears it: then more was charged than `amount`. */
function providerFeeOf(row: Fields, amount: bigint | undefined): bigint | null {
  const fee = readFeeInNaira(row.app_fee)
  const charged = koboOfNaira(readText(row.charged_amount) ?? '')
  const isOnTop = charged !== undefined && amount !== undefined && charged > amount
  return fee !== null && isOnTop ? 0n : fee
}

/** Other programs may use the same Flutterwave account for cards and other currencies. */
function readState({ status, payment_type: kind, currency }: Fields): DriverPayment['state'] {
  if (
    needCurrency(currency, 'currency') !== 'NGN' ||
    reversibleKinds.has(readText(kind)?.toLowerCase() ?? '')
  )
    return 'other'
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
function readSender(banks: BankNames, meta: Fields): BankSender | null {
  const name = readKnown(meta.originatorname)
  const accountNumber = readKnown(meta.originatoraccountnumber)
  const bankName = readKnown(meta.bankname)
  if (name === '' && accountNumber === '') return null
  return { name, accountNumber, bankCode: banks.codeOf(bankName), bankName }
}

/** Flutterwave writes "N/A" for what it does not know. */
function readKnown(value: unknown): string {
  const text = readName(value)
  return text === undefined || text === 'N/A' ? '' : text
}
