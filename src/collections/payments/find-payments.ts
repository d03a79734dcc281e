import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { gather } from '../../postgres/transactions/gather.js'
import { keyedRead, type RowKey } from '../../postgres/transactions/keyed-read.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { findShares } from '../../subaccounts/shares/store-shares.js'
import { withRefunds } from '../returns/find-returns.js'
import type { Refund } from '../returns/store-returns.js'
import type { Payment } from './payment.js'
import { type PaymentRow, paymentColumns, toPayment } from './store-payments.js'

export type PaymentName = { environmentId: EnvironmentId; reference: string }

/** What a list shows beside a payment. */
type PaymentContext = {
  /** Of the account, or the address of the wallet. */
  accountNumber: string
  /** What the account or wallet asks for; null: any amount. */
  amountExpected: bigint | null
  merchantReference: string | null
  sessionReference: string | null
  sessionDescription: string | null
  customerName: string | null
  customerEmail: string | null
}

export type ListedPayment = Payment & PaymentContext & { refund?: Refund | undefined }

const contextColumns = `a.number as account_number, a.amount as amount_expected,
  coalesce(s.merchant_reference, case when s.id is null then a.merchant_reference end)
    as merchant_reference, s.reference as session_reference, s.description as session_description,
  s.customer_name, s.customer_email`

export type ListedRow = PaymentRow & PaymentContext

export const listedColumns = sql.raw(`${paymentColumns}, ${contextColumns}`)

/** What `listedColumns` names beside a payment `p`. */
export const listedJoins = sql`
  join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
  left join checkout_sessions s on s.environment_id = a.environment_id and s.id = a.session_id`

export function toListedPayments(db: Queryable, rows: ListedRow[]): Promise<ListedPayment[]> {
  return withRefunds(
    db,
    rows.map((row) => ({ ...row, sender: toPayment(row).sender })),
  )
}

const findPayments = keyedRead<PaymentRow, Payment>({
  name: 'read_payments',
  columns: paymentColumns,
  table: 'payments',
  alias: 'p',
  toValues: (_db, rows) => rows.map(toPayment),
  keyOf: (payment) => payment,
})

/** Reads single payments; calls that arrive together share a query. */
export function createPaymentReader(db: Queryable) {
  const findOne = gather((keys: RowKey[]) => findPayments(db, keys))
  return async (name: PaymentName) => {
    const found = checkFound(name, await findOne(toKey(name)))
    const [[payment], shares] = await Promise.all([
      withRefunds(db, [found]),
      found.splitId === null ? undefined : findShares(db, [found]),
    ])
    return { ...payment!, ...(shares && { shares: shares.get(found.id) ?? [] }) }
  }
}

/** With its session, if it has one. */
export async function findListedPayment(db: Queryable, name: PaymentName): Promise<ListedPayment> {
  const { environmentId, id } = toKey(name)
  const rows = await db.rows(sql<ListedRow>`
    select ${listedColumns} from payments p ${listedJoins}
    where p.environment_id = ${environmentId} and p.id = ${id}`)
  const [payment] = await toListedPayments(db, rows)
  if (!payment) throw unknownPayment(name)
  return payment
}

export async function getPayment(db: Queryable, name: PaymentName): Promise<Payment> {
  const [found] = await findPayments(db, [toKey(name)])
  return checkFound(name, found)
}

function toKey(name: PaymentName): RowKey {
  return { environmentId: name.environmentId, id: paymentId(name) }
}

function checkFound(name: PaymentName, found: Payment | undefined): Payment {
  if (!found) throw unknownPayment(name)
  return found
}

export async function findPaymentByRailId(
  db: Queryable,
  { rail, railId }: Pick<Payment, 'rail' | 'railId'>,
): Promise<Payment | undefined> {
  const [row] = await db.rows<PaymentRow>({
    name: 'find_payment_by_rail_id',
    text: `select ${paymentColumns} from payments p where p.rail = $1 and p.rail_id = $2`,
    values: [rail, railId],
  })
  return row && toPayment(row)
}

export function paymentId(name: PaymentName): string {
  const id = fromReference(prefixes.payment, name.reference)
  if (id === undefined) throw unknownPayment(name)
  return id
}

export function unknownPayment({ reference }: PaymentName): Refusal {
  return new Refusal('not_found', { message: `No payment ${reference} exists.` })
}
