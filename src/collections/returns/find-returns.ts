import { prefixes, toReference } from '../../base/ids.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { findRefundSplits, type RefundSplit } from '../../subaccounts/shares/refund-splits.js'
import type { Payment } from '../payments/payment.js'
import {
  type Refund,
  type Return,
  type ReturnRow,
  type ReturnWithState,
  returnColumns,
  toReturn,
} from './store-returns.js'

/**
 * The returns and refunds of a payment, newest first. Once the rail has resolved the destination,
 * that one is shown instead of the requested one.
 */
export async function listReturns(
  db: Queryable,
  { environmentId, id, splitId }: Payment,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<FoundReturn[]> {
  const before = beforeId === undefined ? sql`` : sql`and r.id < ${beforeId}`
  const rows = await db.rows(sql<FoundRow>`
    ${selectReturns} where r.environment_id = ${environmentId} and r.payment_id = ${id} ${before}
    order by r.id desc limit ${limit}`)
  const returns = rows.map(toFound)
  if (splitId === null) return returns
  const splits = await findRefundSplits(db, environmentId, idsOf(returns))
  return returns.map((found) => ({
    ...found,
    ...(found.takesFrom === 'available' && { splits: splits.get(found.id) ?? [] }),
  }))
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

/** The latest of several payments together, newest first. */
export async function listReturnsOfPayments(
  db: Queryable,
  environmentId: Payment['environmentId'],
  { paymentIds, limit }: { paymentIds: string[]; limit: number },
) {
  const rows = await db.rows(sql<FoundRow>`
    select ${returnFields}
    from unnest(${paymentIds}::uuid[]) payment (id) cross join lateral (
      select * from payment_returns
      where environment_id = ${environmentId} and payment_id = payment.id
      order by id desc limit ${limit}) r ${joinPayouts}
    order by r.id desc limit ${limit}`)
  return rows.map(toFound)
}

/** The same for one return by its own id. */
export async function findReturn(
  db: Queryable,
  { environmentId, id }: Pick<Payment, 'environmentId' | 'id'>,
) {
  const [row] = await db.rows(sql<FoundRow>`
    ${selectReturns} where r.environment_id = ${environmentId} and r.id = ${id}`)
  return row && toFound(row)
}

const returnFields = sql.raw(`
  ${returnColumns('r')}, p.id as payout_id, p.destination as resolved,
  coalesce(p.failure_reason, case c.status when 'EXPIRED' then 'claim_expired'
    when 'CANCELLED' then 'claim_cancelled' end) as failure_reason,
  coalesce(p.status = 'PENDING', false) as is_pending, encode(p.order_hash, 'hex') as order_hash,
  coalesce(p.reversed_at, p.failed_at, p.completed_at, c.ended_at) as ended_at`)

/** The payout of a return that its payer claims is that of the claim. */
const joinPayouts = sql.raw(`
  left join claims c on c.environment_id = r.environment_id and c.id = r.claim_id
  left join payouts p on p.environment_id = r.environment_id
    and p.id = case when r.claim_id is null then r.id else c.payout_id end`)

const selectReturns = sql`select ${returnFields} from payment_returns r ${joinPayouts}`

type FoundRow = ReturnRow & PayoutColumns

export type FoundReturn = ReturnWithState &
  Omit<PayoutColumns, 'resolved'> & {
    /** What sub-accounts gave to a refund of a payment that was split. */
    splits?: RefundSplit[]
  }

function toFound(found: FoundRow): FoundReturn {
  const { resolved, payoutId, failureReason, isPending, orderHash, endedAt, ...row } = found
  return {
    ...toReturn({ ...row, destination: resolved ?? row.destination }),
    payoutId,
    failureReason,
    isPending,
    orderHash,
    endedAt,
  }
}

/** Columns of the return's payout, or of its claim; null while there is none. */
type PayoutColumns = {
  payoutId: string | null
  resolved: string | null
  failureReason: string | null
  isPending: boolean
  orderHash: string | null
  endedAt: Date | null
}

const ofPayment = { environmentId: 'int4', paymentId: 'uuid' } as const

const latestRefunds = listStatement<typeof ofPayment, Refund & { paymentId: string }>({
  name: 'find_latest_refunds',
  columns: ofPayment,
  text: (list) => `
    select distinct on (r.payment_id) r.payment_id as payment_id, r.id, r.amount, r.reason, r.note
    from ${list} join payment_returns r on r.environment_id = list.environment_id
      and r.payment_id = list.payment_id and r.takes_from = 'available'
      and r.state not in ('FAILED', 'REVERSED')
    order by r.payment_id, r.id desc`,
})

/** Payments with their latest refund that did not fail. Reads nothing if no money went back. */
export async function withRefunds<Found extends Payment>(
  db: Queryable,
  payments: Found[],
): Promise<(Found & { refund?: Refund | undefined })[]> {
  const names = payments
    .filter(({ amountReturning, amountReturned }) => amountReturning + amountReturned > 0n)
    .map(({ environmentId, id }) => ({ environmentId, paymentId: id }))
  if (names.length === 0) return payments
  const rows = await db.rows(latestRefunds(names))
  const refunds = new Map(rows.map(({ paymentId, ...refund }) => [paymentId, refund]))
  const splits = await splitsOfRefunds(db, payments, refunds)
  return payments.map((payment) => {
    const refund = refunds.get(payment.id)
    if (!refund || payment.splitId === null) return { ...payment, refund }
    return { ...payment, refund: { ...refund, splits: splits.get(refund.id) ?? [] } }
  })
}

async function splitsOfRefunds(
  db: Queryable,
  payments: Payment[],
  refunds: Map<string, Refund>,
): Promise<Map<string, RefundSplit[]>> {
  const ids = payments.flatMap(({ id, splitId }) => {
    const refund = refunds.get(id)
    return refund && splitId !== null ? [refund.id] : []
  })
  // Payments that are read together are of one environment.
  return ids.length === 0 ? new Map() : findRefundSplits(db, payments[0]!.environmentId, ids)
}

/** The payments that returns belong to, and why they were refunded, by the id of the payout. */
export async function findPaymentsOfReturns(
  db: Queryable,
  environmentId: Payment['environmentId'],
  ids: string[],
): Promise<Map<string, { payment: string } & Pick<Return, 'reason' | 'note'>>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<Pick<Return, 'id' | 'paymentId' | 'reason' | 'note'>>`
    select id, payment_id, reason, note from payment_returns
    where environment_id = ${environmentId} and id = any (${ids}::uuid[])
    union all
    select h.payout_id, r.payment_id, r.reason, r.note from claim_holds h
    join payment_returns r on r.environment_id = h.environment_id and r.claim_id = h.claim_id
    where h.environment_id = ${environmentId} and h.payout_id = any (${ids}::uuid[])`)
  return new Map(
    rows.map(({ id, paymentId, reason, note }) => [
      id,
      { payment: toReference(prefixes.payment, paymentId), reason, note },
    ]),
  )
}
