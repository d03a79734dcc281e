import { prefixes, toReference } from '../base/ids.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import type { Payment } from './payment.js'
import { type ReturnRow, returnColumns, toReturn } from './store-returns.js'

/**
 * The returns and refunds of a payment, newest first. Once the rail has resolved the destination,
 * that one is shown instead of the requested one.
 */
export async function listReturns(
  db: Queryable,
  { environmentId, id }: Payment,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
) {
  const before = beforeId === undefined ? sql`` : sql`and r.id < ${beforeId}`
  const rows = await db.rows(sql<FoundRow>`
    ${selectReturns} where r.environment_id = ${environmentId} and r.payment_id = ${id} ${before}
    order by r.id desc limit ${limit}`)
  return rows.map(toFound)
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
  ${returnColumns('r')}, p.destination as resolved, p.failure_reason,
  coalesce(p.status = 'PENDING', false) as is_pending, encode(p.order_hash, 'hex') as order_hash,
  coalesce(p.reversed_at, p.failed_at, p.completed_at) as ended_at`)

const joinPayouts = sql.raw(
  'left join payouts p on p.environment_id = r.environment_id and p.id = r.id',
)

const selectReturns = sql`select ${returnFields} from payment_returns r ${joinPayouts}`

type FoundRow = ReturnRow & PayoutColumns

function toFound({ resolved, failureReason, isPending, orderHash, endedAt, ...row }: FoundRow) {
  return {
    ...toReturn({ ...row, destination: resolved ?? row.destination }),
    failureReason,
    isPending,
    orderHash,
    endedAt,
  }
}

/** Columns of the return's payout; null while there is none. */
type PayoutColumns = {
  resolved: string | null
  failureReason: string | null
  isPending: boolean
  orderHash: string | null
  endedAt: Date | null
}

/** References of the payments that returns belong to, by the id of the return. */
export async function findPaymentsOfReturns(
  db: Queryable,
  environmentId: Payment['environmentId'],
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<{ id: string; paymentId: string }>`
    select id, payment_id from payment_returns
    where environment_id = ${environmentId} and id = any (${ids}::uuid[])`)
  return new Map(rows.map(({ id, paymentId }) => [id, toReference(prefixes.payment, paymentId)]))
}
