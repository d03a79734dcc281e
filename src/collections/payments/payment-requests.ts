import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { PaymentName } from './find-payments.js'
import type { Payment } from './payment.js'
import { lockPayment } from './resolve-payment.js'

const paymentRequests = new Table('payment_requests', {
  id: column.uuid(),
  action: column.text<'accept' | 'return' | 'refund'>(),
  /** Of a refund, in the smallest unit. Null: everything. */
  amount: column.int8().orNull(),
  note: column.text(),
  state: column.text<'OPEN' | 'DONE' | 'DECLINED'>(),
  createdAt: column.time(),
  decidedAt: column.time().orNull(),
})

/** A decision about a payment that a member without the permission asks for. */
export type PaymentRequest = typeof paymentRequests.row & {
  requestedBy: { id: string; name: string }
  decidedBy: { id: string; name: string } | null
}

type NewRequest = Pick<PaymentRequest, 'action' | 'amount' | 'note' | 'requestedBy'>

/** A payment has one open request: the next one waits until it is decided. */
export async function requestDecision(
  tx: Tx,
  now: RealTime,
  name: PaymentName,
  { action, amount, note, requestedBy }: NewRequest,
): Promise<PaymentRequest> {
  const { payment } = await lockPayment(tx, name)
  const [open] = (await listRequests(tx, payment)).filter(({ state }) => state === 'OPEN')
  if (open)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `${open.requestedBy.name} has already asked for a decision about this payment.`,
    })
  const request: typeof paymentRequests.row = {
    id: newId(now),
    action,
    amount,
    note,
    state: 'OPEN',
    createdAt: now,
    decidedAt: null,
  }
  const { environmentId, id: paymentId } = payment
  tx.write(
    paymentRequests.insert(request, { environmentId, paymentId, requestedBy: requestedBy.id }),
  )
  return { ...request, requestedBy, decidedBy: null }
}

/** Newest first. */
export async function listRequests(
  db: Queryable,
  { environmentId, id }: Pick<Payment, 'environmentId' | 'id'>,
): Promise<PaymentRequest[]> {
  type Row = typeof paymentRequests.row & {
    requestedBy: string
    requesterName: string
    decidedBy: string | null
    deciderName: string | null
  }
  const rows = await db.rows(sql<Row>`
    select ${paymentRequests.of('r')}, r.requested_by, u.name as requester_name, r.decided_by,
      d.name as decider_name
    from payment_requests r join users u on u.id = r.requested_by
    left join users d on d.id = r.decided_by
    where r.environment_id = ${environmentId} and r.payment_id = ${id}
    order by r.id desc limit ${limits.http.pageSizeMax}`)
  return rows.map(({ requestedBy, requesterName, decidedBy, deciderName, ...row }) => ({
    ...row,
    requestedBy: { id: requestedBy, name: requesterName },
    decidedBy: decidedBy === null ? null : { id: decidedBy, name: deciderName! },
  }))
}

type Closing = {
  environmentId: EnvironmentId
  paymentId: string
  userId: string
  state: 'DONE' | 'DECLINED'
}

/**
 * Closes the open request of a payment. The member who asked may withdraw it, but does not carry
 * it out. Returns whether there was one.
 */
export async function closeRequest(
  tx: Tx,
  now: RealTime,
  { environmentId, paymentId, userId, state }: Closing,
): Promise<boolean> {
  const count = await tx.count(sql`
    update payment_requests set state = ${state}, decided_by = ${userId}, decided_at = ${now}
    where environment_id = ${environmentId} and payment_id = ${paymentId} and state = 'OPEN'
      and (requested_by <> ${userId} or ${state === 'DECLINED'})`)
  return count > 0
}
