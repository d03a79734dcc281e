import { fromReferenceOfAnyKind } from '../../src/base/ids.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Answered, Journal } from './journal.js'
import { differ } from './multiset.js'

export function idOf(reference: string | number | undefined): string {
  return fromReferenceOfAnyKind(String(reference)) ?? `unknown ${reference}`
}

/** What the operation made. */
export function createdId({ answer }: Answered): string {
  return idOf(answer.kept.reference)
}

/** Every payment and refund that was acknowledged is booked once, and no other. */
export async function findWrongPayments(db: Database, journal: Journal): Promise<string[]> {
  const payments = await db.rows(sql<{ id: string; amount: bigint }>`
    select id, amount from payments`)
  const refunds = await db.rows(sql<{ paymentId: string; amount: bigint }>`
    select payment_id, amount from payment_returns`)
  return [
    ...differ(
      'payment',
      journal.list('payment').map((paid) => `${createdId(paid)} ${paid.body.amount}`),
      payments.map(({ id, amount }) => `${id} ${amount}`),
    ),
    ...differ(
      'refund',
      journal.list('refund').map(({ path, body }) => `${idOf(path.split('/')[4])} ${body.amount}`),
      refunds.map(({ paymentId, amount }) => `${paymentId} ${amount}`),
    ),
  ]
}
