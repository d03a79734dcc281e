import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import {
  anyAmount,
  anyAsset,
  notYet,
  reference,
  resource,
  timestamp,
  withDescription,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'

export const entryTypes = [
  'invoice',
  'payment',
  'credit_note',
  'void',
  'refund',
  'not_due_again',
] as const
export type EntryType = (typeof entryTypes)[number]

export const customerEntry = resource('CustomerEntry', {
  number: Type.Integer({
    description: 'Counts the entries of the customer in this asset from 1.',
    examples: [1],
  }),
  type: Type.Enum([...entryTypes], {
    description:
      '`invoice`: finalized. `payment`: accepted. `credit_note`: a part that you gave up. `void`: an invoice that you voided. `refund`: sent back. `not_due_again`: what a refund took from an invoice, which is not due again.',
    examples: ['invoice'],
  }),
  asset: anyAsset,
  amount: withDescription(anyAmount, 'Change of `balance`; negative if the customer owes less.'),
  balance: withDescription(
    anyAmount,
    'What the customer owes after it; negative: what you owe the customer.',
  ),
  invoice: notYet(reference(prefixes.invoice), 'The invoice that it is about.'),
  payment: notYet(reference(prefixes.payment), 'The payment that it is about.'),
  refund: notYet(reference(prefixes.paymentReturn), 'The refund that it is about.'),
  at: timestamp('When it happened.'),
})

export type CustomerEntry = {
  number: bigint
  type: EntryType
  amount: bigint
  balance: bigint
  invoiceId: string | null
  paymentId: string | null
  returnId: string | null
  at: Date
}

export function showEntry(entry: CustomerEntry, asset: Asset): Static<typeof customerEntry> {
  const { number, type, amount, balance, invoiceId, paymentId, returnId, at } = entry
  return {
    number: Number(number),
    type,
    asset,
    amount: toWire(amount, asset),
    balance: toWire(balance, asset),
    invoice: invoiceId && toReference(prefixes.invoice, invoiceId),
    payment: paymentId && toReference(prefixes.payment, paymentId),
    refund: returnId && toReference(prefixes.paymentReturn, returnId),
    at: toIsoText(at),
  }
}

export type StatementQuery = {
  environmentId: EnvironmentId
  customerId: string
  asset: Asset
  from?: Date | undefined
  to?: Date | undefined
  /** Only entries before this number. */
  before?: bigint | undefined
  limit: number
}

/**
 * Newest first. What the customer owes is what is due of its invoices less its credit. A refund of
 * what paid an invoice changes neither, so its second entry takes it back. Refunds that failed are
 * left out, and so is what a member or an API key moved between invoices and credit. Coins that
 * paid an invoice in naira are listed with these naira.
 */
export function listEntries(db: Queryable, query: StatementQuery): Promise<CustomerEntry[]> {
  const { environmentId, customerId, asset, limit } = query
  const { from = null, to = null, before = null } = query
  return db.rows(sql<CustomerEntry>`
    with own as (
      select * from invoices
      where environment_id = ${environmentId} and customer_id = ${customerId}
        and asset = ${asset} and number is not null),
    notes as (
      select n.* from own i join credit_notes n
        on n.environment_id = i.environment_id and n.invoice_id = i.id),
    used as (
      select a.* from payments p join payment_allocations a
        on a.environment_id = p.environment_id and a.payment_id = p.id
      where p.environment_id = ${environmentId} and p.customer_id = ${customerId}
        and case when a.paid_asset is null then p.asset else 'NGN' end = ${asset}),
    refunds as (
      select u.payment_id, r.return_id, min(r.created_at) as at,
        sum(r.of_invoice + r.of_credit) as amount, sum(r.of_invoice) as of_invoice
      from used u join allocation_refunds r
        on r.environment_id = u.environment_id and r.allocation_id = u.id
      where r.state = 'TAKEN' group by u.payment_id, r.return_id),
    entries as (
      select 'invoice' as type, total::numeric as amount, finalized_at as at, id as invoice_id,
        null::uuid as payment_id, null::uuid as return_id, 1 as place from own
      union all
      select 'payment', -sum(amount), created_at, null, payment_id, null, 2 from used
      where reallocation_id is null group by payment_id, created_at
      union all
      select 'credit_note', -amount, created_at, invoice_id, null, null, 3 from notes
      union all
      select 'void', coalesce(given_up.amount, 0) - i.total, i.voided_at, i.id, null, null, 4
      from own i left join lateral (
        select sum(amount) as amount from notes n where n.invoice_id = i.id) given_up on true
      where i.status = 'VOID'
      union all
      select 'refund', amount, at, null, payment_id, return_id, 5 from refunds
      union all
      select 'not_due_again', -of_invoice, at, null, payment_id, return_id, 6 from refunds),
    numbered as (
      select *, row_number() over counted as number, sum(amount) over counted as balance
      from entries where amount <> 0
      window counted as (
        order by at, place, invoice_id, payment_id, return_id rows unbounded preceding))
    select number, type, amount::int8 as amount, balance::int8 as balance, invoice_id, payment_id,
      return_id, at
    from numbered
    where (${from}::timestamptz is null or at >= ${from})
      and (${to}::timestamptz is null or at < ${to})
      and (${before}::int8 is null or number < ${before})
    order by number desc limit ${limit}`)
}
