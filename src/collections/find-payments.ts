import { type RawBuilder, sql } from 'kysely'
import type { EnvironmentId } from '../environment.js'
import { fromReference, prefixes } from '../ids.js'
import type { Reader } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import type { AccountKind } from './account.js'
import type { Payment, PaymentStatus } from './payment.js'
import { type PaymentRow, paymentColumns, toPayment } from './store-payments.js'

export type PaymentName = { environmentId: EnvironmentId; reference: string }

export type PaymentFilter = {
  source: AccountKind | undefined
  accountId: string | undefined
  status: PaymentStatus | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export async function listPayments(
  db: Reader,
  environmentId: EnvironmentId,
  { source, accountId, status, beforeId, limit }: PaymentFilter,
): Promise<Payment[]> {
  const where = [
    sql`p.environment_id = ${environmentId}`,
    source && sql`p.source = ${source}`,
    accountId && sql`p.account_id = ${accountId}`,
    status && sql`p.status = ${status}`,
    beforeId && sql`p.id < ${beforeId}`,
  ].filter((condition): condition is RawBuilder<unknown> => Boolean(condition))
  const rows = await db.rows(sql<PaymentRow>`
    select ${sql.raw(paymentColumns)} from payments p
    where ${sql.join(where, sql` and `)} order by p.id desc limit ${limit}`)
  return rows.map(toPayment)
}

export async function getPayment(db: Reader, name: PaymentName): Promise<Payment> {
  const [row] = await db.rows(sql<PaymentRow>`
    select ${sql.raw(paymentColumns)} from payments p
    where p.environment_id = ${name.environmentId} and p.id = ${paymentId(name)}`)
  if (!row) throw unknownPayment(name)
  return toPayment(row)
}

/** By the bank's own name for it. */
export async function findByRailId(
  db: Reader,
  { rail, railId }: Pick<Payment, 'rail' | 'railId'>,
): Promise<Payment | undefined> {
  const [row] = await db.rows(sql<PaymentRow>`
    select ${sql.raw(paymentColumns)} from payments p
    where p.rail = ${rail} and p.rail_id = ${railId}`)
  return row && toPayment(row)
}

export function paymentId(name: PaymentName): string {
  const id = fromReference(prefixes.payment, name.reference)
  if (id === undefined) throw unknownPayment(name)
  return id
}

export function unknownPayment({ reference }: PaymentName): Refusal {
  return new Refusal('not_found', { message: `There is no payment ${reference}.` })
}
